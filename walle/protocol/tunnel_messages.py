"""What the bodies of the tunnel's frames hold: named values, as one JSON object in UTF-8."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from walle.protocol.errors import FrameMalformed
from walle.schema.values import MAX_DEPTH, is_json

MAX_VALUES: Final = 1024 * 1024
"""The most bytes of one feature's values as JSON."""
_EXPECTED: Final = f"expected a JSON object in UTF-8, of finite numbers, without NUL and repeated names, nested {MAX_DEPTH} deep at most"
_NUL: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""NUL as JSON spells it, which PostgreSQL cannot store: one device would make its whole batch fail."""


def write_values(values: Mapping[str, Any]) -> bytes:
    """Return named values as JSON without spaces, in their order. Raises ValueError for what `read_values` refuses."""
    plain = dict(values)
    if not is_json(plain):
        raise ValueError(_EXPECTED)
    written = json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()
    if _NUL.search(written) or len(written) > MAX_VALUES:
        raise ValueError(f"{_EXPECTED}, of at most {MAX_VALUES} bytes")
    return written


def read_values(data: bytes) -> dict[str, Any]:
    """Return the named values in a body that was decompressed. Raises FrameMalformed."""
    if len(data) > MAX_VALUES:
        raise FrameMalformed("body-too-large", f"expected at most {MAX_VALUES} bytes, found {len(data)}")
    try:
        values = _DECODER.decode(data.decode())
    except (ValueError, RecursionError) as error:
        raise FrameMalformed("body-malformed", _EXPECTED) from error
    if not isinstance(values, dict) or not is_json(values) or _NUL.search(data):
        raise FrameMalformed("body-malformed", _EXPECTED)
    return values


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's members. What a name said first would be stored, but never looked at."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name comes twice")
    return members


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_members)
