"""The order of versions as the order of texts, so that a bound is compared at the cost of two strings.

The key of a version, `order_key`, is ASCII. Each number follows the character that stands so many places after `0` as
the number has digits, at most 64: 9 is `19`, 10 is `210`. The parts of a pre-release come after that: 1 and a number,
or 2 and text that ends with `!`, which is below whatever text holds. What is no pre-release has a 3 there.
PostgreSQL's twin is `walle_version_key`, which devices_app makes in a migration.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

from walle.protocol.names import MAX_VERSION, InvalidNameError, SemVer, VersionRange

_REMEMBERED: Final = 4096


def order_key(version: SemVer) -> str:
    """Return a text whose order by code points is the precedence of semver.org, paragraph 11."""
    pre = "".join([f"1{_number(part)}" if isinstance(part, int) else f"2{part}!" for part in version.pre])
    return "".join(map(_number, version.release)) + (pre or "3")


def _number(number: int) -> str:
    digits = str(number)
    return chr(ord("0") + len(digits)) + digits


def version_key(value: object) -> str | None:
    """Return the key of a fact that is a version, with 0 for missing parts; None for anything else."""
    return _remembered_key(value) if isinstance(value, str) and len(value) <= MAX_VERSION else None


@lru_cache(_REMEMBERED)
def _remembered_key(text: str) -> str | None:
    try:
        return order_key(SemVer.parse_loose(text))
    except InvalidNameError:
        return None


def version_bounds(text: object) -> tuple[tuple[str, str], ...]:
    """Parse a version range into operators (>= > <= < == !=) with keys that must all hold; raises InvalidNameError."""
    return _remembered_bounds(text) if isinstance(text, str) else _bounds(text)


def _bounds(text: object) -> tuple[tuple[str, str], ...]:
    return tuple(_bound(operator, version) for operator, version in VersionRange.parse(text).comparators)


# Many rules name the same versions.
_remembered_bounds = lru_cache(_REMEMBERED)(_bounds)


def _bound(operator: str, version: SemVer) -> tuple[str, str]:
    if operator == "<" and not version.pre:
        # "<2" admits no pre-release of 2.0.0, of which 2.0.0-0 is the lowest.
        version = replace(version, pre=(0,))
    return operator, order_key(version)
