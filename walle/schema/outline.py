"""The length of a text's keys and the depth of its brackets, found in one pass before it is parsed.

Python's parser of TOML copies a dotted key with each of its parts, and walks all of it for each of them: one of 80 KB
costs half a minute. Therefore this pass recognizes strings and comments only.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

# A string without an end includes all of the rest, which is never parsed.
_TOML_STRINGS_AND_COMMENTS: Final = re.compile(
    r"""#[^\n]*"""
    r"""|"{3}(?>(?:[^"\\]|\\.|"{1,2}(?!"))*)(?:"{3,5}|\Z|\\\Z)"""
    r"""|'{3}(?>(?:[^']|'{1,2}(?!'))*)(?:'{3,5}|\Z)"""
    r"""|"(?>(?:[^"\\\n]|\\[^\n])*)(?:"|[\s\S]*)"""
    r"""|'[^'\n]*+(?:'|[\s\S]*)""",
    re.DOTALL,
)
_JSON_STRINGS: Final = re.compile(r'"(?>(?:[^"\\]|\\.)*)(?:"|\Z|\\\Z)', re.DOTALL)
# A key ends at any character that it cannot contain.
_ENDS_OF_KEYS: Final = re.compile(r"[=,\[\]{}\n]+")
_BRACKETS: Final = re.compile(r"[\[\]{}]")
_STEPS: Final = {"[": 1, "{": 1, "]": -1, "}": -1}


def plain_toml(text: str) -> str:
    """Return a TOML text without its strings and comments."""
    return _TOML_STRINGS_AND_COMMENTS.sub("", text)


def plain_json(text: str) -> str:
    """Return a JSON text without its strings."""
    return _JSON_STRINGS.sub("", text)


def longest_key(plain: str) -> int:
    """Return the number of parts of a TOML text's longest key, or a few more: dots in numbers and times count too."""
    return max(each.count(".") for each in _ENDS_OF_KEYS.split(plain)) + 1


def deepest(plain: str) -> int:
    """Return how many brackets are open at once, up to the first unmatched closing one: no parser reads beyond that."""
    return max(accumulate(_STEPS[bracket] for bracket in _BRACKETS.findall(plain)), default=0)
