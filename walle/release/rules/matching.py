"""The predicates of operators: each function takes the operand and returns a test of a fact's value.

A test accepts any value that a device sent, None if it sent none, and never raises.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from walle.release.rules.value_sets import Beginning, OneOf, Scalar, ValueOrder, ValueSet

ValueTest = Callable[[object], bool]
Bounds = tuple[tuple[str, Any], ...]

_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}


def one_of(values: tuple[Scalar, ...]) -> ValueTest:
    """Test for one of these values: 1 equals 1.0, but neither "1" nor true."""
    # True is 1 to Python, and has its hash.
    truths = frozenset(value for value in values if isinstance(value, bool))
    others = frozenset(value for value in values if not isinstance(value, bool))

    def holds(value: object) -> bool:
        if isinstance(value, bool):
            return value in truths
        return isinstance(value, str | int | float) and value in others

    return holds


def within(order: ValueOrder, bounds: Bounds) -> ValueTest:
    """Test for a value of the order within all bounds."""
    key_of = order.key
    comparisons = tuple((_COMPARE[sign], bound) for sign, bound in bounds)

    def holds(value: object) -> bool:
        key = key_of(value)
        if key is None:
            return False
        for compare, bound in comparisons:  # noqa: SIM110 - twice as quick as all()
            if not compare(key, bound):
                return False
        return True

    return holds


def begins_with(text: str) -> ValueTest:
    """Test for text with this prefix."""
    return lambda value: isinstance(value, str) and value.startswith(text)


def is_like(pattern: str) -> ValueTest:
    """Test for text that matches a pattern; * stands for any characters, ? for one."""
    matches = glob_regex(pattern).fullmatch
    return lambda value: isinstance(value, str) and matches(value) is not None


def glob_regex(pattern: str) -> re.Pattern[str]:
    """Return the regular expression that matches the same texts.

    Each piece between two stars is matched once, at its first occurrence (atomic groups): matching takes at most the
    length of the text times that of the pattern.
    """
    first, *others = [re.escape(piece).replace(r"\?", ".") for piece in re.split(r"\*+", pattern)]
    if not others:
        return re.compile(first, re.DOTALL)
    *middle, last = others
    return re.compile(first + "".join(f"(?>.*?{piece})" for piece in middle) + ".*" + last, re.DOTALL)


def texts_like(pattern: str) -> ValueSet:
    """Return the texts that a pattern matches: a single text, all with a prefix, or some of these."""
    if not re.search(r"[*?]", pattern):
        return OneOf((pattern,))
    head = re.split(r"[*?]", pattern, maxsplit=1)[0]
    return Beginning(head, whole=pattern == f"{head}*")
