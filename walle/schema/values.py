"""Plain values: which of them are JSON data, and how an error message shows any of them."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any, Final

MAX_DEPTH: Final = 64
"""The deepest nesting of lists and objects in one value, so that recursive functions cannot exhaust the stack."""


def shown(value: object, limit: int = 80) -> str:
    """Return a value as an error message shows it: on one line, shortened, whatever the value is."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= limit else text[: limit - 3] + "..."


def is_text(value: object) -> bool:
    """Return whether a value is text that UTF-8 can encode: escapes in JSON can also spell lone surrogates."""
    if not isinstance(value, str):
        return False
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_json(value: object, depth: int = MAX_DEPTH) -> bool:
    """Return whether `value` is plain JSON data: text keys, finite numbers, nested no deeper than `depth`."""
    match value:
        case dict() if depth:
            return all(map(is_text, value)) and _are_json(value.values(), depth - 1)
        case list() if depth:
            return _are_json(value, depth - 1)
        case str():
            return is_text(value)
        case float():
            return isfinite(value)
        case None | bool() | int():
            return True
        case _:
            return False


def _are_json(values: Iterable[Any], depth: int) -> bool:
    """Return whether each value is JSON data; gateways do this for each upload, so usual leaves cost no call."""
    for value in values:
        kind = type(value)
        if kind is int or (kind is float and isfinite(value)) or (kind is str and value.isascii()):
            continue
        if not is_json(value, depth):
            return False
    return True
