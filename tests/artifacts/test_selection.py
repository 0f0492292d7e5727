"""Preconditions and ranges (RFC 9110) as pure decisions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.artifacts.selection import RequestFields, byte_range, select

ETAG = '"abc"'
SIZE = 100


def decide(method: str = "GET", size: int = SIZE, **fields: str) -> tuple[int, range]:
    headers = [(name.replace("_", "-").encode(), value.encode()) for name, value in fields.items()]
    selection = select(method, RequestFields(headers), ETAG, size)
    return selection.status, selection.body


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("bytes=0-0", range(1)),
        ("bytes=0-99", range(100)),
        ("bytes=0-", range(100)),
        ("bytes=99-", range(99, 100)),
        ("bytes=10-19", range(10, 20)),
        ("bytes=10-1000", range(10, 100)),
        ("bytes=-1", range(99, 100)),
        ("bytes=-100", range(100)),
        ("bytes=-1000", range(100)),
        ("bytes=00010-0019", range(10, 20)),
        ("BYTES=1-2", range(1, 3)),
        ("bytes=10-999999999999999999", range(10, 100)),
    ],
)
def test_a_range_selects(field: str, expected: range) -> None:
    assert byte_range(field, SIZE) == expected
    assert decide(range=field) == (206, expected)


@pytest.mark.parametrize("field", ["bytes=100-", "bytes=100-200", "bytes=999999999999999999-", "bytes=-0"])
def test_a_range_beyond_the_file_cannot_be_satisfied(field: str) -> None:
    assert not byte_range(field, SIZE)
    assert decide(range=field)[0] == 416


@pytest.mark.parametrize(
    "field",
    [
        "",
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=5-3",
        "bytes=a-b",
        "bytes= 1-2",
        "bytes=1 -2",
        "bytes=1-2 3",
        "bytes=+1-2",
        "bytes=1--2",
        "bytes=--2",
        "bytes=0x1-2",
        "bytes=1.5-2",
        "bytes=\u0661-2",
        "bytes=9999999999999999999-",
        "bytes:1-2",
        "items=1-2",
        "bytes=0-1,3-4",
        "bytes=0-1, 3-4",
        "bytes=-1,-2",
    ],
)
def test_any_other_range_is_ignored(field: str) -> None:
    assert byte_range(field, SIZE) is None
    assert decide(range=field) == (200, range(SIZE))


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))
def test_ranges_stay_inside_the_file(size: int, first: int, last: int) -> None:
    content = bytes(index % 251 for index in range(size))
    for field, expected in {
        f"bytes={first}-{last}": content[first : last + 1],
        f"bytes={first}-": content[first:],
        f"bytes=-{last}": content[-last:] if last else b"",
    }.items():
        selected = byte_range(field, size)
        if selected is not None:
            assert content[selected.start : selected.stop] == expected
            assert len(selected) == len(expected)


@given(st.text(max_size=40), st.integers(0, 10**6))
def test_no_range_field_fails(field: str, size: int) -> None:
    selected = byte_range(field, size)
    assert selected is None or not selected or (selected.start >= 0 and selected.stop <= size)


@pytest.mark.parametrize("field", ["bytes=0-", "bytes=5-9", "bytes=-0"])
def test_an_empty_file_has_no_satisfiable_range(field: str) -> None:
    assert decide(size=0, range=field)[0] == 416


def test_a_suffix_of_an_empty_file_is_the_whole() -> None:
    assert decide(size=0, range="bytes=-5") == (200, range(0))


def test_head_ignores_ranges() -> None:
    assert decide("HEAD", range="bytes=1-2") == (200, range(SIZE))
    assert decide("HEAD", range="bytes=500-") == (200, range(SIZE))


@pytest.mark.parametrize("tags", [ETAG, f"W/{ETAG}", f'"x", {ETAG}', f'"x",W/{ETAG} , "y"', "*", '"a, b", "abc"'])
def test_what_the_client_has_is_not_sent_again(tags: str) -> None:
    assert decide(if_none_match=tags) == (304, range(0))
    assert decide("HEAD", if_none_match=tags, range="bytes=1-2") == (304, range(0))


@pytest.mark.parametrize("tags", ['"x"', "abc", "", '"abc', 'W/"x", "ABC"', '"*"', '"x, *"'])
def test_other_tags_do_not_match(tags: str) -> None:
    assert decide(if_none_match=tags)[0] == 200
    assert decide(if_match=tags)[0] == 412


@pytest.mark.parametrize(
    ("tags", "status"), [(ETAG, 200), ("*", 200), (f'"x", {ETAG}', 200), (f"W/{ETAG}", 412), ('"x"', 412)]
)
def test_if_match_compares_strongly(tags: str, status: int) -> None:
    assert decide(if_match=tags)[0] == status


@pytest.mark.parametrize(
    ("validator", "status"),
    [
        (ETAG, 206),
        (f"W/{ETAG}", 200),
        ('"x"', 200),
        ("Sat, 29 Oct 2033 19:43:31 GMT", 200),
        ("", 200),
        ("*", 200),
        (f"{ETAG}, {ETAG}", 200),
    ],
)
def test_if_range_wants_the_very_same_tag(validator: str, status: int) -> None:
    assert decide(range="bytes=1-2", if_range=validator)[0] == status
    if status == 200:
        assert decide(range="bytes=500-", if_range=validator)[0] == 200


def test_preconditions_come_in_order() -> None:
    assert decide(if_match='"x"', if_none_match=ETAG, range="bytes=500-")[0] == 412
    assert decide(if_match=ETAG, if_none_match=ETAG, range="bytes=500-")[0] == 304


def test_dates_are_passed_over() -> None:
    past = "Sat, 29 Oct 1994 19:43:31 GMT"
    assert decide(if_modified_since="Sat, 29 Oct 2033 19:43:31 GMT", if_unmodified_since=past)[0] == 200


def test_several_lines_are_one_list() -> None:
    fields = RequestFields([(b"if-none-match", b'"x"'), (b"if-none-match", ETAG.encode())])
    assert select("GET", fields, ETAG, SIZE).status == 304
    two_ranges = RequestFields([(b"range", b"bytes=0-1"), (b"range", b"bytes=2-3")])
    assert select("GET", two_ranges, ETAG, SIZE).status == 200
