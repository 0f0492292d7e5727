"""Structured fields against RFC 9651: shared vectors, http_sfv as an oracle, and what errors say."""

from __future__ import annotations

import enum
import json
import re
import time
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.protocol.structured_model import from_json, neutral, neutral_theirs, parse_theirs, to_theirs
from walle.conformance.vectors import FOLDER
from walle.protocol import structured
from walle.protocol.structured import Date, DisplayString, InnerList, Item, StructuredFieldError, Token

PARSE = {
    "item": structured.parse_item,
    "list": structured.parse_list,
    "dictionary": structured.parse_dictionary,
}
SERIALIZE: dict[str, Any] = {
    "item": structured.serialize_item,
    "list": structured.serialize_list,
    "dictionary": structured.serialize_dictionary,
}
VECTORS = FOLDER / "structured"


def load(directory: Path) -> list[Any]:
    vectors = []
    for path in sorted(directory.glob("*.json")):
        for vector in json.loads(path.read_text("utf-8"), parse_float=Decimal):
            vectors.append(pytest.param(vector, id=f"{path.stem}: {vector['name']}"))
    return vectors


@pytest.mark.parametrize("vector", load(VECTORS))
def test_vector(vector: dict[str, Any]) -> None:
    kind = vector["header_type"]
    if "raw" not in vector:
        check_serialization(vector)
        return
    raw = ", ".join(vector["raw"])
    if vector.get("must_fail"):
        with pytest.raises(StructuredFieldError):
            PARSE[kind](raw)
        return
    expected = from_json(kind, vector["expected"])
    for value in (raw, raw.encode("ascii")):
        assert neutral(PARSE[kind](value)) == neutral(expected)
    assert SERIALIZE[kind](expected) == ", ".join(vector.get("canonical", vector["raw"]))


def check_serialization(vector: dict[str, Any]) -> None:
    kind = vector["header_type"]
    value = from_json(kind, vector["expected"])
    if vector.get("must_fail"):
        with pytest.raises(StructuredFieldError) as refusal:
            SERIALIZE[kind](value)
        assert refusal.value.position is None
    else:
        assert SERIALIZE[kind](value) == vector["canonical"][0]


# Values

keys = st.from_regex(r"[a-z*][a-z0-9_.*-]{0,5}", fullmatch=True)
decimals = st.builds(
    lambda thousandths: Decimal(thousandths).scaleb(-3), st.integers(-(10**15) + 1, 10**15 - 1)
) | st.sampled_from([Decimal("0.0"), Decimal("-0.000"), Decimal("1E2"), Decimal("1E-3")])
# http_sfv makes datetimes of dates: away from the ends of the calendar no time zone leaves it.
dates = st.integers(-62_135_000_000, 253_402_000_000).map(Date)
bare_items = st.one_of(
    st.integers(-(10**15) + 1, 10**15 - 1),
    st.integers(-9, 9),
    decimals,
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12),
    st.from_regex(r"[A-Za-z*][A-Za-z0-9:/!#$%&'*+.^_`|~-]{0,8}", fullmatch=True).map(Token),
    st.binary(max_size=9),
    st.booleans(),
    dates,
    st.text(max_size=8).map(DisplayString),
)
params = st.dictionaries(keys, bare_items, max_size=3)
items = st.builds(Item, bare_items, params)
members = items | st.builds(InnerList, st.lists(items, max_size=3), params)
fields = st.one_of(
    st.tuples(st.just("item"), items),
    st.tuples(st.just("list"), st.lists(members, max_size=4)),
    st.tuples(st.just("dictionary"), st.dictionaries(keys, members, max_size=4)),
)


@given(fields)
def test_what_we_write_we_read(field: tuple[str, Any]) -> None:
    kind, value = field
    text = SERIALIZE[kind](value)
    assert neutral(PARSE[kind](text)) == neutral(value)
    assert SERIALIZE[kind](PARSE[kind](text)) == text


@given(fields)
def test_what_we_write_http_sfv_reads(field: tuple[str, Any]) -> None:
    kind, value = field
    text = SERIALIZE[kind](value)
    if text:
        assert parse_theirs(kind, text.encode()) == neutral(value)


def without_mangled_characters(field: tuple[str, Any]) -> bool:
    """http_sfv writes these characters of a DisplayString as one hex digit or raw (4.1.11 wants two digits)."""
    return not re.search(r"[\x00-\x0f\x1f\x7f]", repr(neutral(field[1])).encode().decode("unicode_escape"))


@given(fields.filter(without_mangled_characters))
def test_what_http_sfv_writes_we_read_and_write_alike(field: tuple[str, Any]) -> None:
    kind, value = field
    theirs = to_theirs(value)
    if value != [] and value != {}:
        text = str(theirs)
        assert neutral(PARSE[kind](text)) == neutral(value) == neutral_theirs(theirs)
        assert SERIALIZE[kind](value) == text


# Where http_sfv 0.9.9 leaves RFC 9651. Each row: what it is, a field that shows it, whether the RFC accepts that field.
DEVIATIONS = {
    "4.2: an empty list is a list without members": ("list", b"", True),
    "4.2: an empty dictionary is a dictionary without members": ("dictionary", b"  ", True),
    "4.2.4: an integer has at most 15 digits, leading zeros count, also at the end": (
        "item",
        b"0000000000000001",
        False,
    ),
    "4.2.4: a decimal does not end in its point": ("item", b"1.", False),
    "3.3.7: a date is any integer, years beyond 9999 included": ("item", b"@999999999999999", True),
    "4.2.7: missing padding should not fail": ("item", b":YQ:", True),
    "4.2.7: padding elsewhere is not base64 (RFC 4648 3.3)": ("item", b":=YQ==:", False),
    "4.2.10: after % come two lowercase hexadecimal digits": ("item", b'%"%+1"', False),
}


@pytest.mark.parametrize("deviation", DEVIATIONS)
def test_http_sfv_deviates(deviation: str) -> None:
    """If one of these fails, http_sfv was corrected: drop its row and its part of `explained`."""
    kind, raw, accepted = DEVIATIONS[deviation]
    assert (ours(kind, raw) is not None) == accepted
    assert (theirs(kind, raw) is not None) != accepted
    assert explained(kind, raw, accepted=accepted)


CANONICAL_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
LAST_YEARS = range(-62_135_000_000, 253_402_000_000)


def explained(kind: str, raw: bytes, *, accepted: bool) -> bool:
    """Whether a deviation above accounts for http_sfv disagreeing with us, who accepted the field or not."""
    loose_bytes = any(not CANONICAL_BASE64.fullmatch(found) for found in re.findall(rb"(?=:([A-Za-z0-9+/=]*):)", raw))
    if accepted:
        empty = kind != "item" and not raw.strip(b" ")
        far_dates = any(int(found) not in LAST_YEARS for found in re.findall(rb"@(-?[0-9]{1,15})", raw))
        return empty or far_dates or loose_bytes
    long_integer = re.search(rb"(?<![0-9])0[0-9]{15}\Z", raw)
    open_decimal = re.search(rb"[0-9]\.(?![0-9])", raw)
    loose_percent = re.search(rb"%(?:[ \t\n\r\x0b\x0c+-][0-9a-f]|[0-9a-f][ \t\n\r\x0b\x0c])", raw)
    return bool(long_integer or open_decimal or loose_percent or loose_bytes)


def ours(kind: str, raw: bytes) -> Any:
    try:
        return neutral(PARSE[kind](raw))
    except StructuredFieldError as error:
        position = error.position
    assert position is not None
    assert 0 <= position <= len(raw)
    return None


def theirs(kind: str, raw: bytes) -> Any:
    try:
        return parse_theirs(kind, raw)
    except (ValueError, IndexError, OverflowError, OSError):
        return None


def check_agreement(kind: str, raw: bytes) -> None:
    mine, other = ours(kind, raw), theirs(kind, raw)
    if mine != other:
        assert mine is None or other is None, "both accept, with different values"
        assert explained(kind, raw, accepted=mine is not None)
    if mine is not None:
        assert neutral(PARSE[kind](SERIALIZE[kind](PARSE[kind](raw)))) == mine


kinds = st.sampled_from(sorted(PARSE))
FRAGMENTS = ["a", "b=", "=", ";", ";x", "; y=", ",", ", ", " ", "\t", "(", ")", "1", "-", "0", ".", "12.5", '"', "\\"]
FRAGMENTS += ['"s"', '\\"', ":", ":AA==:", ":AAE=:", "AA", "?1", "?0", "?", "@", "@5", "%", '%"', "%c3%bc", "%41", "*"]
FRAGMENTS += ["Z", "\x00", "\x7f", "\n", "\xfc", "a/b", "000000000000000", "999999999999", "=a"]


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A valid field with a few slices removed, repeated or replaced."""
    kind, value = draw(fields)
    raw = SERIALIZE[kind](value)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(raw)))
        end = min(len(raw), start + draw(st.integers(0, 3)))
        insert = draw(st.sampled_from([*FRAGMENTS, "", raw[start:end] * 2]))
        raw = raw[:start] + insert + raw[end:]
    return kind, raw.encode("latin-1")


@pytest.mark.slow
@settings(max_examples=600)
@given(mutated())
def test_mutated_fields_are_judged_alike(field: tuple[str, bytes]) -> None:
    check_agreement(*field)


@settings(max_examples=600)
@given(kinds, st.lists(st.sampled_from(FRAGMENTS), max_size=12).map(lambda parts: "".join(parts).encode("latin-1")))
@example("item", b"a;x=@")
@example("list", b"(a;x=@ b)")
def test_made_up_fields_are_judged_alike(kind: str, raw: bytes) -> None:
    check_agreement(kind, raw)


@given(kinds, st.binary(max_size=40))
def test_arbitrary_bytes_are_judged_alike(kind: str, raw: bytes) -> None:
    check_agreement(kind, raw)


@given(kinds, st.text(max_size=20))
def test_text_and_bytes_are_judged_alike(kind: str, text: str) -> None:
    if text.isascii():
        assert ours(kind, text.encode()) == ours(kind, text)  # type: ignore[arg-type]
    else:
        with pytest.raises(StructuredFieldError):
            PARSE[kind](text)


# Errors

REFUSALS = [
    ("item", "", 0, "an item"),
    ("item", "a;x=", 4, "an item"),
    ("item", "  a;  X", 6, "a key"),
    ("item", "a;x=(1)", 4, "an item"),
    ("item", "a b", 1, "the end of the item"),
    ("item", "f\u00fc", 1, "ASCII"),
    ("item", ":A:", 0, "base64"),
    ("item", 'a;x="b', 4, "a string"),
    ("item", '%"%ff"', 0, "a display string"),
    ("item", "a;x=1.", 4, "an integer"),
    ("item", "?2", 0, "?0 or ?1"),
    ("item", "@1.5", 0, "a date"),
    ("list", "a, b,", 4, "a comma and a member"),
    ("list", "a, (b", 5, "a space or )"),
    ("list", "a, (b,c)", 5, "a space or )"),
    ("list", "a, :A:", 3, "base64"),
    ("dictionary", "a=1, B=2", 5, "a key"),
    ("dictionary", "a=1, b=", 7, "an item"),
    ("dictionary", "a=1, b=:A:;c", 7, "base64"),
    ("dictionary", "a=1 b", 3, "a comma and a key"),
    ("dictionary", "a=1;", 4, "a key"),
]


@pytest.mark.parametrize(("kind", "raw", "position", "expected"), REFUSALS)
def test_refusals_say_where_and_what(kind: str, raw: str, position: int, expected: str) -> None:
    with pytest.raises(StructuredFieldError) as refusal:
        PARSE[kind](raw)
    assert (refusal.value.position, refusal.value.expected.startswith(expected)) == (position, True), refusal.value
    assert str(refusal.value) == f"expected {refusal.value.expected} at position {position}"


@pytest.mark.parametrize(
    "value",
    [1.5, None, Decimal("nan"), Decimal("inf"), Decimal(10**12), [1], datetime(2026, 1, 1), Item(Item(1, {}), {})],
)
def test_values_without_a_field_form_are_refused(value: Any) -> None:
    with pytest.raises(StructuredFieldError, match=r"expected .*, got ") as refusal:
        structured.serialize_item(value)
    assert refusal.value.position is None


def test_a_display_string_that_utf_8_cannot_express_is_refused() -> None:
    with pytest.raises(StructuredFieldError, match=r"^expected text that UTF-8 .*, got .*\\ud800"):
        structured.serialize_item(DisplayString("\ud800"))


def test_bare_values_need_no_item() -> None:
    assert structured.serialize_item(Token("a")) == "a"
    assert structured.serialize_list([1, Token("b"), InnerList([], {}), Item("c", {"x": True})]) == '1, b, (), "c";x'
    assert structured.serialize_dictionary({"a": True, "b": False, "c": Date(5)}) == "a, b=?0, c=@5"


def test_subclasses_serialize_as_their_base() -> None:
    class Region(enum.StrEnum):
        EU = "eu"

    class Port(enum.IntEnum):
        HTTP = 80

    class Name(Token):
        pass

    assert structured.serialize_list([Region.EU, Port.HTTP, Name("n")]) == '"eu", 80, n'


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["a;", '"\\"', ":", "(", "1", "%", ' ,"', "a=", ";a=", "\t", "%61", "; "])
@pytest.mark.parametrize("kind", PARSE)
def test_hostile_fields_take_linear_time(kind: str, unit: str) -> None:
    """A quadratic scan of 256 KiB would take minutes; the bound leaves a busy machine much room."""
    prefix = {"item": '%"', "list": 'a, "', "dictionary": 'a=%"'}[kind]
    for raw in (unit * (262_144 // len(unit)), prefix + unit * (262_144 // len(unit))):
        started = time.process_time()
        ours(kind, raw.encode())
        assert time.process_time() - started < 5
