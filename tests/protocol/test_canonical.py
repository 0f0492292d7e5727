"""Canonical JSON: one text per value, and a refusal for what JSON cannot carry."""

from __future__ import annotations

import json
import random
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.protocol.canonical import CanonicalError, canonical_digest, canonical_json

text = st.text(st.characters(exclude_categories=["Cs"]))
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), text),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(text, inner, max_size=4)),
    max_leaves=12,
)


def shuffled(value):
    """The same data with its keys inserted in another order."""
    if isinstance(value, dict):
        items = list(value.items())
        random.Random(7).shuffle(items)
        return {key: shuffled(child) for key, child in reversed(items)}
    return [shuffled(child) for child in value] if isinstance(value, list) else value


@given(json_values)
def test_it_reads_back_and_ignores_the_order_of_keys(value):
    written = canonical_json(value)
    assert json.loads(written) == value
    assert canonical_json(shuffled(value)) == written
    assert canonical_json(json.loads(written)) == written


def test_the_bytes_are_compact_sorted_utf8():
    assert canonical_json({"b": [1, 2.5, None], "a": {"é": True}}) == '{"a":{"é":true},"b":[1,2.5,null]}'.encode()
    assert canonical_digest([]) == sha256(b"[]").hexdigest()


cyclic: list[object] = []
cyclic.append(cyclic)


@pytest.mark.parametrize(
    "bad",
    [
        float("nan"),
        [float("inf")],
        {1: 2},
        {None: 1},
        {True: 1},
        {"a": {b"x": 1}},
        {1, 2},
        b"x",
        object(),
        "\ud800",
        cyclic,
    ],
)
def test_what_json_cannot_carry_is_refused(bad):
    with pytest.raises(CanonicalError):
        canonical_json(bad)
