"""The predicates of operators: each takes what is compared with and answers a test of a fact's value.

A test is asked of whatever a device sent, None where it sent nothing, and raises nothing.
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
    """One of these: 1 is 1.0, but neither "1" nor true."""
    # True is 1 to Python, and has its hash.
    truths = frozenset(value for value in values if isinstance(value, bool))
    others = frozenset(value for value in values if not isinstance(value, bool))

    def holds(value: object) -> bool:
        if isinstance(value, bool):
            return value in truths
        return isinstance(value, str | int | float) and value in others

    return holds


def within(order: ValueOrder, bounds: Bounds) -> ValueTest:
    """A value of the order that is within all bounds."""
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
    """Text that begins so."""
    return lambda value: isinstance(value, str) and value.startswith(text)


def is_like(pattern: str) -> ValueTest:
    """Text that is so as a whole; * stands for any characters, ? for one."""
    matches = glob_regex(pattern).fullmatch
    return lambda value: isinstance(value, str) and matches(value) is not None


def glob_regex(pattern: str) -> re.Pattern[str]:
    """The expression that matches the same whole texts.

    Each piece between two stars is sought once, at its first place, and never again (atomic groups): no text makes
    the matching slower than its length times that of the pattern.
    """
    first, *others = [re.escape(piece).replace(r"\?", ".") for piece in re.split(r"\*+", pattern)]
    if not others:
        return re.compile(first, re.DOTALL)
    *middle, last = others
    return re.compile(first + "".join(f"(?>.*?{piece})" for piece in middle) + ".*" + last, re.DOTALL)


def texts_like(pattern: str) -> ValueSet:
    """What a pattern admits: a single text, all that begin so, or some of them."""
    if not re.search(r"[*?]", pattern):
        return OneOf((pattern,))
    head = re.split(r"[*?]", pattern, maxsplit=1)[0]
    return Beginning(head, whole=pattern == f"{head}*")
