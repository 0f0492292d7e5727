"""Canonical JSON vectors: texts of JSON in, the one text that is signed out."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

# (name, JSON text, canonical text), both written by hand.
_SAME: tuple[tuple[str, str, str], ...] = (
    ("empty object", " { } ", "{}"),
    ("keys are sorted", '{"b": 1, "a": 2, "B": 3}', '{"B":3,"a":2,"b":1}'),
    (
        "keys are sorted by code point",
        '{"\\uff5e": 1, "\\ud83d\\ude00": 2, "z": 3}',
        '{"z":3,"\uff5e":1,"\U0001f600":2}',
    ),
    ("nested keys too", '[{"b": {"d": null, "c": true}}]', '[{"b":{"c":true,"d":null}}]'),
    ("order of lists is kept", "[3, 1, 2]", "[3,1,2]"),
    ("text is UTF-8, not escaped", '"\\u00e9\\u4e2d"', '"é中"'),
    ("slashes are not escaped", '"a\\/b"', '"a/b"'),
    ("quotes and backslashes are", '"\\u0022\\u005c"', '"\\"\\\\"'),
    ("control characters are", '"\\u0000\\u001f\\u0008\\t\\n\\f\\r"', '"\\u0000\\u001f\\b\\t\\n\\f\\r"'),
    ("delete is not", '"\\u007f"', '"\x7f"'),
    ("integers", "[0, -0, 10, -7, 9007199254740993]", "[0,0,10,-7,9007199254740993]"),
    ("fractions", "[0.5, 1.0, 0.1, 1e2]", "[0.5,1.0,0.1,100.0]"),
    ("no normalization of text", '["\\u00e9", "e\\u0301"]', '["é","e\u0301"]'),
)

_REFUSED: tuple[tuple[str, str], ...] = (
    ("a lone surrogate", '"\\ud800"'),
    ("a lone surrogate in a key", '{"\\udfff": 1}'),
    ("not a number", "NaN"),
    ("infinity", "[-Infinity]"),
)


def canonical() -> list[dict[str, Any]]:
    accepted = [
        {"name": name, "json": text, "canonical": wanted, "sha256": sha256(wanted.encode()).hexdigest()}
        for name, text, wanted in _SAME
    ]
    return accepted + [{"name": name, "json": text, "error": "canonical"} for name, text in _REFUSED]
