"""Structured field values for HTTP (RFC 9651).

`parse_item`, `parse_list` and `parse_dictionary` take a complete field value (several field lines already joined with
commas, RFC 9651 section 4.2). They refuse all that the RFC refuses, with one exception that contains the position and
what was expected. `serialize_*` are their inverse and return the canonical text.

Python types: int, Decimal, str (a String, printable ASCII), Token, bytes, bool, Date and DisplayString. Parsing is one
regular expression match per bare item and per parameter, linear in the length of the field.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import NamedTuple, NoReturn
from urllib.parse import unquote_to_bytes

MAXIMUM_INTEGER = 999_999_999_999_999


class StructuredFieldError(ValueError):
    """A field value that RFC 9651 refuses, or a Python value that it cannot express.

    `position` is the offset into the field value, None when serializing; `expected` says what would be valid.
    """

    def __init__(self, position: int | None, expected: str) -> None:
        where = "" if position is None else f" at position {position}"
        super().__init__(f"expected {expected}{where}")
        self.position = position
        self.expected = expected


class Token(str):
    """A Token (section 3.3.4): a short identifier without quotes."""

    __slots__ = ()


class DisplayString(str):
    """A Display String (section 3.3.8): Unicode text for people, percent-encoded in the field."""

    __slots__ = ()


class Date(int):
    """A Date (section 3.3.7): seconds since 1970-01-01T00:00:00Z without leap seconds; may be negative."""

    __slots__ = ()


# Token and DisplayString are also str, Date and bool are also int: match the narrow type first.
BareItem = int | Decimal | str | Token | bytes | bool | Date | DisplayString
Parameters = dict[str, BareItem]


class Item(NamedTuple):
    """A bare item with its parameters, in order (section 3.3)."""

    value: BareItem
    params: Parameters


class InnerList(NamedTuple):
    """A list of items inside a List or Dictionary, with parameters of its own (section 3.1.1)."""

    items: list[Item]
    params: Parameters


Member = Item | InnerList

_KEY = r"([a-z*][a-z0-9_.*-]*)"
_NAME = r"([A-Za-z*][A-Za-z0-9:/!#$%&'*+.^_`|~-]*)"
_STRING = r'"([ !#-\[\]-~]*(?:\\["\\][ !#-\[\]-~]*)*)"'
_INTEGER = r"(-?[0-9]{1,15})(?![0-9.])"
_DECIMAL = r"(-?[0-9]{1,12}\.[0-9]{1,3})(?![0-9.])"
_BYTES = r":([A-Za-z0-9+/]*={0,2}):"
_BOOLEAN = r"\?([01])"
_DISPLAY = r'%"([ !#$&-~]*(?:%[0-9a-f]{2}[ !#$&-~]*)*)"'
_NOTHING = r"()"
# Exactly one group takes part in a match; its number is the type. The last one stands for unknown types.
_BARE_ITEM = "|".join((_NAME, _STRING, _INTEGER, _BYTES, _BOOLEAN, _DECIMAL, f"@{_INTEGER}", _DISPLAY, _NOTHING))

_match_key = re.compile(_KEY).fullmatch
_match_token = re.compile(_NAME).fullmatch
_match_text = re.compile(r"[ -~]*").fullmatch
_match_bare_item = re.compile(_BARE_ITEM).match
_match_parameter = re.compile(f"; *{_KEY}(?:=(?:{_BARE_ITEM}))?").match
_match_dictionary_member = re.compile(f"{_KEY}(?:=(?:{_BARE_ITEM}))?").match
_match_separator = re.compile(r"[ \t]*+(?:,[ \t]*+(?!\Z)|\Z)").match
_match_delimiter = re.compile(r" +|(?=\))").match
_match_spaces = re.compile(r" *").match
_new = tuple.__new__  # avoids the tuple types' constructors, half of an item's cost

_EXPECTED_KEY = "a key (a-z or *, then a-z 0-9 _ - . *)"
_EXPECTED_NUMBER = "an integer of at most 15 digits or a decimal of at most 12 digits before the point and 3 after"
_EXPECTED_BARE_ITEM = {
    '"': 'a string: printable ASCII between quotes, \\ only before \\ or "',
    ":": "base64 between colons",
    "?": "?0 or ?1",
    "@": "a date: @ and an integer of at most 15 digits",
    "%": 'a display string: %"...", other than printable ASCII as lowercase %xx of valid UTF-8',
    **dict.fromkeys("-0123456789", _EXPECTED_NUMBER),
}


def parse_item(value: bytes | str) -> Item:
    """Parse an Item (section 4.2.3). Raises StructuredFieldError."""
    text, position = _open(value)
    item, position = _item(text, position)
    if position != len(text):
        _refuse(text, position, "the end of the item")
    return item


def parse_list(value: bytes | str) -> list[Member]:
    """Parse the members of a List field (section 4.2.1); an empty value is an empty list."""
    text, position = _open(value)
    end = len(text)
    members: list[Member] = []
    while position < end:
        member, position = _inner_list(text, position) if text[position] == "(" else _item(text, position)
        members.append(member)
        separator = _match_separator(text, position)
        if separator is None:
            _refuse(text, position, "a comma and a member, or the end")
        position = separator.end()
    return members


def parse_dictionary(value: bytes | str) -> dict[str, Member]:
    """Parse the members of a Dictionary field (section 4.2.2); of a repeated key the last value counts."""
    text, position = _open(value)
    end = len(text)
    members: dict[str, Member] = {}
    while position < end:
        key, member, position = _dictionary_member(text, position)
        members[key] = member
        separator = _match_separator(text, position)
        if separator is None:
            _refuse(text, position, "a comma and a key, or the end")
        position = separator.end()
    return members


def _open(value: bytes | str) -> tuple[str, int]:
    """Return the field value as text without trailing spaces, and the position after the leading ones."""
    try:
        text = str(value, "ascii") if isinstance(value, bytes) else str(value.encode("ascii"), "ascii")
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        raise StructuredFieldError(error.start, "ASCII") from None
    text = text.rstrip(" ")
    return text, len(text) - len(text.lstrip(" "))


def _item(text: str, position: int) -> tuple[Item, int]:
    match = _match_bare_item(text, position)
    if match is None:
        _refuse_bare_item(text, position)
    kind = match.lastindex or 0
    try:
        value = _CONVERTERS[kind](match[kind])
    except ValueError:
        _refuse_bare_item(text, position)
    params, position = _parameters(text, match.end())
    return _new(Item, (value, params)), position


def _parameters(text: str, position: int) -> tuple[Parameters, int]:
    params: Parameters = {}
    while match := _match_parameter(text, position):
        kind = match.lastindex or 0
        try:
            params[match[1]] = _KEYED_CONVERTERS[kind](match[kind])
        except ValueError:
            _refuse_bare_item(text, match.end(1) + 1)
        position = match.end()
    return params, position


def _inner_list(text: str, position: int) -> tuple[InnerList, int]:
    items: list[Item] = []
    position = _skip_spaces(text, position + 1)
    while not text.startswith(")", position):
        item, position = _item(text, position)
        items.append(item)
        delimiter = _match_delimiter(text, position)
        if delimiter is None:
            _refuse(text, position, "a space or ) in an inner list")
        position = delimiter.end()
    params, position = _parameters(text, position + 1)
    return _new(InnerList, (items, params)), position


def _dictionary_member(text: str, position: int) -> tuple[str, Member, int]:
    match = _match_dictionary_member(text, position)
    if match is None:
        _refuse(text, position, _EXPECTED_KEY)
    kind, end = match.lastindex or 0, match.end()
    if kind == len(_CONVERTERS) and text.startswith("(", end):
        inner, position = _inner_list(text, end)
        return match[1], inner, position
    try:
        value = _KEYED_CONVERTERS[kind](match[kind])
    except ValueError:
        _refuse_bare_item(text, match.end(1) + 1)
    params, position = _parameters(text, end)
    return match[1], _new(Item, (value, params)), position


def _skip_spaces(text: str, position: int) -> int:
    match = _match_spaces(text, position)
    return position if match is None else match.end()


def _refuse(text: str, position: int, expected: str) -> NoReturn:
    if text.startswith(";", position):
        raise StructuredFieldError(_skip_spaces(text, position + 1), _EXPECTED_KEY)
    raise StructuredFieldError(position, expected)


def _refuse_bare_item(text: str, position: int) -> NoReturn:
    expected = "an item (number, string, token, bytes, boolean, date or display string)"
    raise StructuredFieldError(position, _EXPECTED_BARE_ITEM.get(text[position : position + 1], expected))


def _string(content: str) -> str:
    return _unescape(r"\1", content) if "\\" in content else content


def _bytes(content: str) -> bytes:
    """Decode base64: missing padding is added and pad bits are ignored (section 4.2.7)."""
    missing = -len(content) % 4
    if missing and missing + content.count("=", -2) > 2:
        raise ValueError
    return a2b_base64(content + "=" * missing)


def _display_string(content: str) -> DisplayString:
    return DisplayString(unquote_to_bytes(content).decode("utf-8") if "%" in content else content)


def _date(content: str) -> Date:
    return Date(int(content))


def _nothing(_: str) -> NoReturn:
    raise ValueError


_unescape = re.compile(r"\\(.)").sub
_Converter = Callable[[str], BareItem]
# In the order of the groups of _BARE_ITEM, which count from one.
_CONVERTERS: tuple[_Converter, ...] = (
    _nothing,
    Token,
    _string,
    int,
    _bytes,
    "1".__eq__,
    Decimal,
    _date,
    _display_string,
    _nothing,
)
# After a key, which is the first group: a key without a value means true.
_KEYED_CONVERTERS: tuple[_Converter, ...] = (_nothing, bool, *_CONVERTERS[1:])


def serialize_item(item: Item | BareItem) -> str:
    """Return the canonical text of an Item (section 4.1.3); a bare value has no parameters."""
    if isinstance(item, Item):
        return _serialize_bare_item(item.value) + _serialize_parameters(item.params)
    return _serialize_bare_item(item)


def serialize_list(members: Iterable[Member | BareItem]) -> str:
    """Return the canonical text of a List (section 4.1.1). If it is empty, the field must not be sent at all."""
    return ", ".join([_serialize_member(member) for member in members])


def serialize_dictionary(members: Mapping[str, Member | BareItem]) -> str:
    """Return the canonical text of a Dictionary (section 4.1.2). If it is empty, the field must not be sent at all."""
    return ", ".join([_serialize_dictionary_member(key, member) for key, member in members.items()])


def _serialize_member(member: Member | BareItem) -> str:
    if not isinstance(member, InnerList):
        return serialize_item(member)
    items = " ".join([serialize_item(item) for item in member.items])
    return f"({items}){_serialize_parameters(member.params)}"


def _serialize_dictionary_member(key: str, member: Member | BareItem) -> str:
    key = _serialize_key(key)
    if member is True:
        return key
    if isinstance(member, Item) and member.value is True:
        return key + _serialize_parameters(member.params)
    return f"{key}={_serialize_member(member)}"


def _serialize_parameters(params: Parameters) -> str:
    return "".join([_serialize_parameter(key, value) for key, value in params.items()])


def _serialize_parameter(key: str, value: BareItem) -> str:
    key = _serialize_key(key)
    return f";{key}" if value is True else f";{key}={_serialize_bare_item(value)}"


def _serialize_key(key: str) -> str:
    if _match_key(key) is None:
        _unserializable(key, _EXPECTED_KEY)
    return key


def _serialize_bare_item(value: BareItem) -> str:
    serialize = _SERIALIZERS.get(type(value)) or _inherited_serializer(value)
    return serialize(value)


def _inherited_serializer(value: object) -> Callable[..., str]:
    """Return the serializer of the nearest base class, for enumerations and the like."""
    for base in type(value).__mro__:
        if base in _SERIALIZERS:
            return _SERIALIZERS[base]
    _unserializable(value, "int, Decimal, str, Token, bytes, bool, Date or DisplayString")


def _serialize_integer(value: int) -> str:
    if not -MAXIMUM_INTEGER <= value <= MAXIMUM_INTEGER:
        _unserializable(int(value), "an integer of at most 15 digits")
    return int.__repr__(value)


def _serialize_decimal(value: Decimal) -> str:
    """Return a decimal rounded to three digits, half to even (section 4.1.5)."""
    if not value.is_finite() or value.copy_abs() >= _DECIMAL_END:
        _unserializable(value, "a finite decimal of at most 12 digits before the point")
    rounded = value.quantize(_THOUSANDTH, context=_DECIMAL_CONTEXT)
    integral, _, fraction = f"{rounded.copy_abs():f}".partition(".")
    return f"{'-' if rounded < 0 else ''}{integral}.{fraction.rstrip('0') or '0'}"


def _serialize_string(value: str) -> str:
    if _match_text(value) is None:
        _unserializable(value, "printable ASCII (a DisplayString carries other text)")
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _serialize_token(value: Token) -> str:
    if _match_token(value) is None:
        _unserializable(value, "a token (a letter or *, then letters, digits and !#$%&'*+-.^_`|~:/)")
    return str(value)


def _serialize_bytes(value: bytes) -> str:
    return f":{b2a_base64(value, newline=False).decode('ascii')}:"


def _serialize_boolean(value: bool) -> str:
    return "?1" if value else "?0"


def _serialize_date(value: Date) -> str:
    return f"@{_serialize_integer(value)}"


def _serialize_display_string(value: DisplayString) -> str:
    try:
        encoded = value.encode("utf-8").decode("latin-1")
    except UnicodeEncodeError:
        _unserializable(value, "text that UTF-8 can express, without lone surrogates")
    return '%"' + _escape_display(lambda match: f"%{ord(match[0]):02x}", encoded) + '"'


def _unserializable(value: object, expected: str) -> NoReturn:
    raise StructuredFieldError(None, f"{expected}, got {value!r}")


_THOUSANDTH = Decimal("0.001")
_DECIMAL_END = Decimal("999999999999.9995")  # the first that is rounded to thirteen digits before the point
_DECIMAL_CONTEXT = Context(prec=15, rounding=ROUND_HALF_EVEN)
_escape_display = re.compile(r"[^ !#$&-~]").sub
_SERIALIZERS: dict[type, Callable[..., str]] = {
    int: _serialize_integer,
    Decimal: _serialize_decimal,
    str: _serialize_string,
    Token: _serialize_token,
    bytes: _serialize_bytes,
    bool: _serialize_boolean,
    Date: _serialize_date,
    DisplayString: _serialize_display_string,
}
