"""TOML of strangers, read in time linear in its length.

Python's parser copies a dotted key with each of its parts, and walks the whole of it for each of them: one of 80 KB
costs half a minute. So the longest key is looked for first, in one pass that knows strings and comments only.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

MAX_KEY_PARTS: Final = 16
"""Of a dotted key, or of a table's name."""

# A string that does not end takes all of the rest with it: nothing behind it is ever read.
_STRINGS_AND_COMMENTS: Final = re.compile(
    r"""#[^\n]*"""
    r"""|"{3}(?:[^"\\]|\\.|"{1,2}(?!"))*+(?:"{3,5}|\Z|\\\Z)"""
    r"""|'{3}(?:[^']|'{1,2}(?!'))*+(?:'{3,5}|\Z)"""
    r"""|"(?:[^"\\\n]|\\[^\n])*+(?:"|[\s\S]*)"""
    r"""|'[^'\n]*+(?:'|[\s\S]*)""",
    re.DOTALL,
)
# What cannot be part of a key ends it.
_ENDS_OF_KEYS: Final = re.compile(r"[=,\[\]{}\n]+")


class TomlError(ValueError):
    """The text is no TOML, or more deeply nested than anybody needs."""


def read_toml(text: str) -> dict[str, Any]:
    """The table that a text says; raises TomlError."""
    if longest_key(text) > MAX_KEY_PARTS:
        raise TomlError(f"a key of more than {MAX_KEY_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise TomlError("too deep nesting") from error
    except ValueError as error:
        raise TomlError(str(error)) from error


def longest_key(text: str) -> int:
    """How many parts the longest key of a TOML text has, or a few more: dots in numbers and times count too."""
    plain = _STRINGS_AND_COMMENTS.sub("", text)
    return max(each.count(".") for each in _ENDS_OF_KEYS.split(plain)) + 1
