"""One neutral form for values of walle.protocol.structured, of http_sfv and of the JSON vectors.

A bare item is (type name, value), so that 1, 1.0, True and a Date of one second are four different things.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import http_sfv
from http_sfv.types import DisplayString as TheirDisplayString
from http_sfv.types import Token as TheirToken

from walle.protocol.structured import BareItem, Date, DisplayString, InnerList, Item, Member, Parameters, Token

_EPOCH = datetime(1970, 1, 1)
_THEIR_NAMES = {TheirToken: "Token", TheirDisplayString: "DisplayString", datetime: "Date"}
_THEIR_CLASSES = {"item": http_sfv.Item, "list": http_sfv.List, "dictionary": http_sfv.Dictionary}


def neutral(value: Any) -> Any:
    """The neutral form of a parsed field of ours."""
    if isinstance(value, Item):
        return ("item", _bare(value.value), _pairs(value.params))
    if isinstance(value, InnerList):
        return ("inner", [neutral(item) for item in value.items], _pairs(value.params))
    if isinstance(value, dict):
        return [(key, neutral(member)) for key, member in value.items()]
    return [neutral(member) for member in value]


def neutral_theirs(value: Any) -> Any:
    """The neutral form of a parsed field of http_sfv."""
    if isinstance(value, http_sfv.Item):
        return ("item", _their_bare(value.value), _their_pairs(value.params))
    if isinstance(value, http_sfv.InnerList):
        return ("inner", [neutral_theirs(item) for item in value.data], _their_pairs(value.params))
    if isinstance(value, http_sfv.Dictionary):
        return [(key, neutral_theirs(member)) for key, member in value.items()]
    return [neutral_theirs(member) for member in value.data]


def parse_theirs(kind: str, raw: bytes) -> Any:
    """What http_sfv reads. It refuses with ValueError, and here and there with IndexError."""
    field = _THEIR_CLASSES[kind]()
    field.parse(raw)
    return neutral_theirs(field)


def to_theirs(value: Any) -> Any:
    """The field in http_sfv's classes."""
    if isinstance(value, Item):
        return _with_params(http_sfv.Item(_to_their_bare(value.value)), value.params)
    if isinstance(value, InnerList):
        return _with_params(http_sfv.InnerList([to_theirs(item) for item in value.items]), value.params)
    if isinstance(value, dict):
        field = http_sfv.Dictionary()
        field.update({key: to_theirs(member) for key, member in value.items()})
        return field
    return http_sfv.List([to_theirs(member) for member in value])


def from_json(kind: str, value: Any) -> Any:
    """The field of ours that a vector's `expected` describes (decoded with parse_float=Decimal)."""
    if kind == "item":
        return _json_member(value)
    if kind == "list":
        return [_json_member(member) for member in value]
    return {key: _json_member(member) for key, member in value}


def _bare(value: BareItem) -> tuple[str, Any]:
    return type(value).__name__, value


def _pairs(params: Parameters) -> list[tuple[str, Any]]:
    return [(key, _bare(value)) for key, value in params.items()]


def _their_bare(value: Any) -> tuple[str, Any]:
    name = _THEIR_NAMES.get(type(value), type(value).__name__)
    if isinstance(value, datetime):
        return name, round((value.astimezone(UTC).replace(tzinfo=None) - _EPOCH).total_seconds())
    return name, value


def _their_pairs(params: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(key, _their_bare(value)) for key, value in params.items()]


def _to_their_bare(value: BareItem) -> Any:
    if isinstance(value, Token):
        return TheirToken(value)
    if isinstance(value, DisplayString):
        return TheirDisplayString(value)
    return datetime.fromtimestamp(value, UTC) if isinstance(value, Date) else value


def _with_params(field: Any, params: Parameters) -> Any:
    field.params.update({key: _to_their_bare(value) for key, value in params.items()})
    return field


def _json_member(value: Any) -> Member:
    content, pairs = value
    params = {key: _json_bare(param) for key, param in pairs}
    if isinstance(content, list):
        return InnerList([Item(*_json_member(item)) for item in content], params)
    return Item(_json_bare(content), params)


def _json_bare(value: Any) -> BareItem:
    if not isinstance(value, dict):
        return value
    make = {"token": Token, "binary": base64.b32decode, "date": Date, "displaystring": DisplayString}
    return make[value["__type"]](value["value"])


DECIMALS = {"parse_float": Decimal}
