"""Readers of TOML and JSON from untrusted sources, bounded in bytes and depth: their time is linear in the bytes."""

from __future__ import annotations

import json
import tomllib
from typing import Any, Final

from walle.schema.outline import deepest, longest_key, plain_json, plain_toml
from walle.schema.problems import Malformed, Problem

MAX_DOCUMENT: Final = 1024 * 1024
"""The most bytes of a document, unless its reader has another limit."""
MAX_NESTING: Final = 100
"""The deepest nesting of lists and tables in a document; values in it may be `walle.schema.values.MAX_DEPTH` deep."""
MAX_KEY_PARTS: Final = 16
"""The most parts of a dotted key of TOML, or of a table's name."""
MAX_INTEGER_BITS: Final = 1024
"""The greatest integer, that of floating-point numbers. Python may refuse to write longer ones."""


def read_toml(content: bytes, file: str = "", at_most: int = MAX_DOCUMENT) -> dict[str, Any]:
    """Parse a TOML document in UTF-8. Raises Malformed for any invalid bytes."""
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
    """Parse a JSON document. Raises Malformed for any invalid bytes.

    NaN and infinities are accepted like in Python's parser; schemas refuse them where they are not allowed.
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
    """Check what the text does not show: dotted keys nest tables too, and hexadecimal integers may be too long."""
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
