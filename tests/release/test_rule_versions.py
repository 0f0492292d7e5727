"""Versions as keys: the order of semver.org, and ranges in the sense of walle.protocol.names."""

from __future__ import annotations

from hypothesis import given

from tests.release import rules as some
from walle.protocol.names import InvalidNameError, SemVer, VersionRange
from walle.release.rules import compile_rule
from walle.release.rules.versions import order_key, version_key

# As semver.org has it in paragraph 11, and what that implies.
ASCENDING = [
    "0.0.0-0", "0.0.0-0.0", "0.0.0", "0.0.1", "0.9.0", "0.10.0",
    "1.0.0-1", "1.0.0-9", "1.0.0-10", "1.0.0-10.a", "1.0.0--", "1.0.0-1a", "1.0.0-Z",
    "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-alpha-", "1.0.0-alphab",
    "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
    "2.0.0", "2.1.0", "2.1.1", "99999999999999999999.0.0",
]  # fmt: skip


def test_keys_are_in_the_order_of_versions() -> None:
    keys = [version_key(text) for text in ASCENDING]
    assert keys == sorted(set(keys))


@given(some.versions, some.versions)
def test_keys_compare_as_versions_do(one: str, other: str) -> None:
    left, right = SemVer.parse(one), SemVer.parse(other)
    assert (order_key(left) < order_key(right)) is (left.precedence < right.precedence)
    assert (order_key(left) == order_key(right)) is (left.precedence == right.precedence)


@given(some.values)
def test_what_is_no_version_has_no_key(value: object) -> None:
    try:
        key = order_key(SemVer.parse_loose(value))
    except InvalidNameError:
        assert version_key(value) is None
    else:
        assert version_key(value) == key


@given(some.ranges, some.texts)
def test_a_range_admits_what_it_admits_elsewhere(text: str, fact: str) -> None:
    matches = compile_rule({"fact": "a", "version": text})
    try:
        version = SemVer.parse_loose(fact)
    except InvalidNameError:
        assert not matches({"a": fact})
    else:
        assert matches({"a": fact}) is VersionRange.parse(text).allows(version)
