"""Names, versions and ranges: what they accept, what they refuse, and the laws of their order."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.protocol import names
from walle.protocol.names import InvalidNameError, SemVer, VersionRange

numbers = st.integers(min_value=0, max_value=10**6)
word = st.text("0123456789abcXYZ-", min_size=1, max_size=4)
pre_parts = st.one_of(numbers, word.filter(lambda text: not text.isdigit()))
versions = st.builds(
    SemVer,
    numbers,
    numbers,
    numbers,
    st.lists(pre_parts, max_size=3).map(tuple),
    st.lists(word, max_size=2).map(tuple),
)
small = st.integers(0, 2)
close_versions = st.builds(SemVer, small, small, small, st.sampled_from([(), ("rc", 1), ("rc",), (1,)]))
ranges = st.builds(
    lambda pairs: VersionRange(tuple(pairs)),
    st.lists(st.tuples(st.sampled_from([">=", "<=", ">", "<", "==", "!="]), close_versions), max_size=3),
)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (
            names.check_slug,
            ["a", "a" * 40, "on-device-2"],
            ["", "A", "1a", "-a", "a_b", "a" * 41, "a\n", "é"],
        ),
        (names.check_task_name, ["camera/digits"], ["camera", "/a", "a/", "a/b/c", "camera/Digits", "a/b\n"]),
        (names.check_device_id, ["A-z_9", "x" * 64], ["", "x" * 65, "a b", "a.b", "a\n", "٣"]),
        (names.check_digest, ["0" * 64], ["0" * 63, "A" * 64, "0" * 64 + "\n", "g" * 64]),
        (names.check_commit, ["0" * 40], ["0" * 41, "HEAD", "G" * 40]),
        (
            names.check_bundle_path,
            ["main.py", "a/b/c.npz", "..a/b..", ".gitignore", "x" * 200],
            [
                "",
                "/a",
                "a/",
                "a//b",
                ".",
                "..",
                "a/../b",
                "./a",
                "a\\b",
                "a b",
                "é",
                "x" * 201,
                "a\n",
                "C:/a",
            ],
        ),
        (
            names.check_version,
            ["1.0.0", "0.0.0-0.a-b+001.x"],
            ["1", "1.0", "01.0.0", "1.0.0-01", "1.0.0-", "v1.0.0"],
        ),
    ],
)
def test_checks_accept_proper_names_and_refuse_the_rest(check, good, bad):
    for name in good:
        assert check(name) == name
        assert names.is_valid(check, name)
    for name in [*bad, None, 3, b"main.py", ["a"]]:
        with pytest.raises(InvalidNameError, match="expected"):
            check(name)
        assert not names.is_valid(check, name)


def test_the_error_names_the_thing_and_shortens_what_it_shows():
    with pytest.raises(InvalidNameError) as caught:
        names.check_slug("X" * 5000, "scenario")
    assert str(caught.value).startswith("scenario: expected a lowercase letter")
    assert len(str(caught.value)) < 300


def test_task_names_and_tags_come_apart_and_together():
    assert names.split_task_name("camera/digits") == ("camera", "digits")
    assert names.version_tag("digits", "1.0.0-rc.1") == "digits/1.0.0-rc.1"
    assert names.split_version_tag("digits/1.0.0") == ("digits", SemVer(1, 0, 0))
    with pytest.raises(InvalidNameError, match=r"does not end in \.lock"):
        names.version_tag("digits", "1.0.0-rc.lock")
    for tag in ["digits", "digits/", "/1.0.0", "digits/1", "Digits/1.0.0", "a/b/1.0.0", None]:
        with pytest.raises(InvalidNameError):
            names.split_version_tag(tag)


def test_precedence_follows_the_specification():
    pre = ["alpha", "alpha.1", "alpha.beta", "beta", "beta.2", "beta.11", "rc.1"]
    chain = [*(f"1.0.0-{part}" for part in pre), "1.0.0", "2.0.0"]
    assert sorted([*chain[3:], *chain[:3]], key=SemVer.parse) == chain


def test_a_version_is_at_most_64_characters():
    assert SemVer.parse("1.0.0-" + "a" * 58)
    with pytest.raises(InvalidNameError):
        SemVer.parse("1.0.0-" + "a" * 59)


@given(versions)
def test_a_version_survives_writing_and_reading(version):
    if len(str(version)) <= names.MAX_VERSION:
        assert SemVer.parse(str(version)) == version


@given(versions, versions, versions)
def test_the_order_is_total_and_agrees_with_equality(a, b, c):
    assert (a < b) + (a == b) + (a > b) == 1
    assert (a <= b) == (not b < a)
    if a <= b <= c:
        assert a <= c


@given(close_versions, ranges)
def test_a_range_is_the_conjunction_of_its_comparators(version, wanted):
    assert wanted.allows(version) == all(VersionRange((one,)).allows(version) for one in wanted.comparators)
    assert VersionRange.parse(str(wanted)) == wanted


@given(close_versions, close_versions, word)
def test_builds_never_decide(version, bound, build):
    built = SemVer(*version.release, version.pre, (build,))
    for operator in [">=", "<=", ">", "<", "==", "!="]:
        wanted = VersionRange(((operator, bound),))
        assert wanted.allows(built) == wanted.allows(version)


@pytest.mark.parametrize(
    ("wanted", "inside", "outside"),
    [
        (">=1.2,<2", ["1.2.0", "1.99.0", "1.2.1-rc.1"], ["1.1.9", "2.0.0", "1.2.0-rc.1", "2.0.0-beta"]),
        ("<2.0.0-rc.1", ["2.0.0-beta", "1.0.0"], ["2.0.0-rc.1", "2.0.0"]),
        ("!=1.3.0, >=1", ["1.2.9", "1.3.1"], ["1.3.0", "0.9.0"]),
        ("=1.2.3", ["1.2.3", "1.2.3+linux"], ["1.2.4"]),
        (">1,<=1.5", ["1.0.1", "1.5.0"], ["1.0.0", "1.5.1"]),
        ("*", ["0.0.0", "9.9.9-x"], []),
    ],
)
def test_ranges(wanted, inside, outside):
    parsed = VersionRange.parse(wanted)
    assert [text for text in inside + outside if parsed.allows(SemVer.parse(text))] == inside


@pytest.mark.parametrize("bad", ["", ",", ">=1,", "1.2.3", "~=1.0", ">= ", ">=a", ">=1.2.3.4", None, 5, "<" * 300])
def test_bad_ranges_are_refused(bad):
    with pytest.raises(InvalidNameError):
        VersionRange.parse(bad)


def test_a_range_may_have_256_characters():
    longest = ",".join([">=1.0.0"] * 32).ljust(256)
    assert len(VersionRange.parse(longest).comparators) == 32
    with pytest.raises(InvalidNameError):
        VersionRange.parse(longest + " ")


def test_loose_versions_fill_missing_parts_with_zeros():
    assert SemVer.parse_loose("14") == SemVer(14, 0, 0)
    assert SemVer.parse_loose("17.1") == SemVer(17, 1, 0)
    assert SemVer.parse_loose("3.12.0-rc.1").pre == ("rc", 1)
    with pytest.raises(InvalidNameError):
        SemVer.parse("14")


@given(st.one_of(st.text(), st.binary(), st.none(), st.integers(), st.lists(st.text())))
def test_nothing_but_the_declared_error_is_raised(value):
    for parse in (SemVer.parse, SemVer.parse_loose, VersionRange.parse, names.check_bundle_path):
        with contextlib.suppress(InvalidNameError):
            parse(value)
