"""TOML and JSON of strangers, bounded in bytes and depth before they are parsed: reading takes time linear in bytes."""

from __future__ import annotations

import json
import tomllib
from typing import Any, Final

from walle.schema.outline import deepest, longest_key, plain_json, plain_toml
from walle.schema.problems import Malformed, Problem

MAX_DOCUMENT: Final = 1024 * 1024
"""Bytes of a document, unless its reader says otherwise."""
MAX_NESTING: Final = 100
"""Lists and tables within each other, in one document; a value in it may be `walle.schema.values.MAX_DEPTH` deep."""
MAX_KEY_PARTS: Final = 16
"""Of a dotted key of TOML, or of a table's name."""
MAX_INTEGER_BITS: Final = 1024
"""Any integer that a floating-point number can come near. Longer ones Python may refuse to write."""


def read_toml(content: bytes, file: str = "", at_most: int = MAX_DOCUMENT) -> dict[str, Any]:
    """The table that a TOML document in UTF-8 says; raises Malformed, whatever the bytes are."""
    _check_size(content, file, at_most)
    try:
        text = content.decode("utf-8")
        plain = plain_toml(text)
        if longest_key(plain) > MAX_KEY_PARTS:
            raise ValueError(f"a key of more than {MAX_KEY_PARTS} parts")
        _check_depth(deepest(plain))
        table = tomllib.loads(text)
        _check_parsed(table)
    except ValueError as error:
        raise Malformed([Problem(file, "", "valid TOML in UTF-8", str(error))]) from error
    return table


def read_json(content: bytes, file: str = "", at_most: int = MAX_DOCUMENT) -> Any:
    """What a JSON document says; raises Malformed, whatever the bytes are.

    NaN and infinities are read as Python's parser does: a schema refuses them where they must not stand.
    """
    _check_size(content, file, at_most)
    try:
        text = content.decode(json.detect_encoding(content))
        _check_depth(deepest(plain_json(text)))
        value = json.loads(text)
        _check_parsed(value)
    except ValueError as error:
        raise Malformed([Problem(file, "", "valid JSON", str(error))]) from error
    return value


def _check_size(content: bytes, file: str, at_most: int) -> None:
    if len(content) > at_most:
        raise Malformed([Problem(file, "", f"at most {at_most} bytes", f"{len(content)} bytes")])


def _check_depth(depth: int) -> None:
    if depth > MAX_NESTING:
        raise ValueError(f"values nested more than {MAX_NESTING} deep")


def _check_parsed(value: object) -> None:
    """What a text does not show: dotted keys nest tables too, and a few hexadecimal digits make a long integer."""
    level, depth = [value], 0
    while level:
        if any(isinstance(each, int) and each.bit_length() > MAX_INTEGER_BITS for each in level):
            raise ValueError(f"an integer of more than {MAX_INTEGER_BITS} bits")
        level = [inner for each in level for inner in _inside(each)]
        depth += bool(level)
        _check_depth(depth)


def _inside(value: object) -> list[object]:
    match value:
        case dict():
            return list(value.values())
        case list():
            return value
        case _:
            return []
