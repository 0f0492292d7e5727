"""The values in a feature: what JSON can say is read as it was written; what a table cannot hold is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.protocol.errors import FrameMalformed
from walle.protocol.tunnel_messages import MAX_VALUES, read_values, write_values

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63), st.floats(allow_nan=False, allow_infinity=False), texts
)
trees = st.recursive(leaves, lambda inner: st.one_of(st.lists(inner), st.dictionaries(texts, inner)), max_leaves=20)


@pytest.mark.slow
@given(st.dictionaries(texts, trees, max_size=8))
def test_what_is_written_is_read(values: dict[str, Any]) -> None:
    written = write_values(values)
    assert read_values(written) == values
    assert list(read_values(written)) == list(values)


def nested(depth: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(depth - 1):
        value = [value]
    return {"x": value}


def test_the_deepest_values() -> None:
    assert read_values(write_values(nested(64))) == nested(64)
    with pytest.raises(ValueError, match="64 deep"):
        write_values(nested(65))


def test_the_longest_values() -> None:
    longest = {"x": "y" * (MAX_VALUES - 8)}
    assert len(write_values(longest)) == MAX_VALUES
    assert read_values(write_values(longest)) == longest
    with pytest.raises(ValueError, match="at most"):
        write_values({"x": "y" * (MAX_VALUES - 7)})


@pytest.mark.parametrize(
    "values", [{"x": float("nan")}, {"x": "a\0b"}, {"a\0": 1}, {"x": "\ud800"}, {1: 2}, {"x": {1}}]
)
def test_what_would_be_refused_is_not_written(values: Any) -> None:
    with pytest.raises(ValueError, match="JSON object"):
        write_values(values)


def test_a_backslash_before_u0000_is_text() -> None:
    assert read_values(write_values({"x": "\\u0000"})) == {"x": "\\u0000"}
    assert read_values(b'{"x":"\\\\u0000"}') == {"x": "\\u0000"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "body-malformed"),
        (b"[]", "body-malformed"),
        (b"null", "body-malformed"),
        (b'{"x":1', "body-malformed"),
        (b'{"x":1}}', "body-malformed"),
        (b'{"x":NaN}', "body-malformed"),
        (b'{"x":1e999}', "body-malformed"),
        (b'{"x":"\xff"}', "body-malformed"),
        (b'\xef\xbb\xbf{"x":1}', "body-malformed"),
        ('{"x":1}'.encode("utf-16"), "body-malformed"),
        (b'{"x":"\\u0000"}', "body-malformed"),
        (b'{"x":"\\\\\\u0000"}', "body-malformed"),
        (b'{"x":"\\ud800"}', "body-malformed"),
        (b'{"x":' + b"9" * 5000 + b"}", "body-malformed"),
        (b'{"x":' * 100_000, "body-malformed"),
        (json.dumps(nested(65)).encode(), "body-malformed"),
        (b'{"x":1,"x":1}', "body-malformed"),
        (b'{"x":NaN,"x":1}', "body-malformed"),
        (b'{"x":[{"y":"\\ud800","y":1}]}', "body-malformed"),
        (b" " * MAX_VALUES + b"{}", "body-too-large"),
    ],
    ids=range(20),
)
def test_what_is_not_such_an_object_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(FrameMalformed) as refusal:
        read_values(data)
    assert refusal.value.code == code
