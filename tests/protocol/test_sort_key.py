"""The text that sorts as versions do: what the database orders them by."""

from hypothesis import given
from hypothesis import strategies as st

from walle.protocol.names import MAX_VERSION, SemVer

NUMBERS = st.integers(0, 120) | st.integers(0, 10**20)
PRE = st.from_regex(r"\A(?:0|[1-9][0-9]{0,3}|[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,3})\Z")
BUILD = st.from_regex(r"\A[0-9A-Za-z-]{1,3}\Z")


def text(release, pre, build):
    version = ".".join(map(str, release))
    return version + (f"-{'.'.join(pre)}" if pre else "") + (f"+{'.'.join(build)}" if build else "")


VERSIONS = st.builds(
    text, st.tuples(NUMBERS, NUMBERS, NUMBERS), st.lists(PRE, max_size=3), st.lists(BUILD, max_size=2)
).filter(lambda version: len(version) <= MAX_VERSION)


@given(VERSIONS, VERSIONS)
def test_keys_sort_as_versions_do(one, other):
    left, right = SemVer.parse(one), SemVer.parse(other)
    assert (left < right) == (left.sort_key.encode() < right.sort_key.encode())
    assert (left == right) == (left.sort_key == right.sort_key)


def test_keys_sort_as_semver_has_it():
    """The example of semver.org, paragraph 11, and numbers of more digits."""
    pre = ("2", "10", "alpha", "alpha.1", "alpha.beta", "beta", "beta.2", "beta.11", "rc.1")
    versions = [*(f"1.0.0-{each}" for each in pre), "1.0.0", "1.0.2", "1.0.10", "1.2.0", "1.10.0", "2.0.0", "10.0.0"]
    assert sorted(versions, key=lambda version: SemVer.parse(version).sort_key) == versions


def test_the_longest_key_fits_its_column():
    for version in ("1.1.1-" + ".".join("1" * 29), "1.1.1+" + ".".join("1" * 29), f"{'9' * 20}.{'9' * 20}.{'9' * 20}"):
        assert len(SemVer.parse(version).sort_key) <= 300
