"""Templates of exclusive files, such as `{age_band}-{lang}`: trusted facts yield the key of a variant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

MAX_VARIANT_KEY: Final = 200
_FACT: Final = re.compile(r"\{([a-z][a-z0-9_]{0,63})\}")
_VALUE: Final = r"[^\x00-\x1f\x7f]+"


def variant_key(template: str, facts: Mapping[str, object]) -> str | None:
    """Return the key for these facts; None if a fact is missing or empty, or the key would be invalid.

    Booleans are written true and false, numbers as in JSON, text as it is.
    """
    values = {name: _text(facts.get(name)) for name in _FACT.findall(template)}
    if not all(values.values()):
        return None
    key = _FACT.sub(lambda match: values[match[1]], template)
    return key if fits_template(template, key) else None


def fits_template(template: str, key: object) -> bool:
    """Return whether some facts could yield the key: 1 to 200 printable characters around the template's own."""
    if not isinstance(key, str) or not 0 < len(key) <= MAX_VARIANT_KEY:
        return False
    literals = _FACT.sub("\0", template).split("\0")
    # Greedy matching of literals from the left suffices here, and cannot backtrack on hostile keys.
    return _literals_fit(literals, key)


def _literals_fit(literals: list[str], key: str) -> bool:
    first, *middle, last = literals if len(literals) > 1 else [literals[0], ""]
    if re.fullmatch(_VALUE, key) is None or not key.startswith(first) or not key.endswith(last):
        return False
    position = len(first)
    for literal in middle:
        found = key.find(literal, position + 1)
        if found < 0:
            return False
        position = found + len(literal)
    return position + 1 + len(last) <= len(key)


def _text(fact: object) -> str:
    if isinstance(fact, bool):
        return "true" if fact else "false"
    return str(fact) if isinstance(fact, str | int | float) else ""
