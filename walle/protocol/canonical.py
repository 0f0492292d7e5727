"""The canonical JSON of everything that is signed or hashed: sorted keys, no spaces, UTF-8, no NaN."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256


class CanonicalError(ValueError):
    """The value has no canonical form, because it is not plain JSON data."""


def canonical_json(value: object) -> bytes:
    """Return `value` as canonical JSON bytes: the same data yields the same bytes on every machine.

    Raises CanonicalError for data that JSON cannot represent without loss: NaN and infinities, keys that are not text,
    lone surrogates, cycles, and any type other than dict, list, tuple, str, int, float, bool and None.
    """
    try:
        _refuse_odd_keys(value)
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8")
    except (ValueError, TypeError, RecursionError) as error:
        raise CanonicalError(f"no canonical JSON form: {error}") from error


def canonical_digest(value: object) -> str:
    """Return the SHA-256 of the canonical form, as 64 hex digits."""
    return sha256(canonical_json(value)).hexdigest()


def _refuse_odd_keys(value: object) -> None:
    # json.dumps would silently turn {1: ...} and {None: ...} into text keys.
    children: Iterable[object] = ()
    if isinstance(value, dict):
        odd = next((key for key in value if not isinstance(key, str)), None)
        if odd is not None or None in value:
            raise CanonicalError(f"expected text keys, found {odd!r}")
        children = value.values()
    elif isinstance(value, list | tuple):
        children = value
    for child in children:
        _refuse_odd_keys(child)
