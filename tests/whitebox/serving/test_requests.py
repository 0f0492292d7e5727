"""Requests in JSON are read as the standard library reads them, by whichever reader."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.whitebox.serving.problems import PredictionRefused
from walle.whitebox.serving.requests import RequestLimits, read_json

LIMITS = RequestLimits()
TEXTS = st.text(st.characters(), max_size=20)
"""Lone surrogates are among them, which JSON has escaped."""
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda values: st.lists(values, max_size=4) | st.dictionaries(TEXTS, values, max_size=4),
    max_leaves=10,
)


@given(record=VALUES)
def test_a_record_is_what_json_says(record: object) -> None:
    body = json.dumps({"record": record, "caller": "user-1"}).encode()
    found = read_json(body, LIMITS)
    assert repr(found.records) == repr([json.loads(body)["record"]])
    assert (found.single, found.caller) == (True, "user-1")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_json_does_not_have_is_refused_by_name(number: str) -> None:
    with pytest.raises(PredictionRefused, match=f"{number} is not part of JSON; a number that is missing is null"):
        read_json(b'{"record": {"x": %s}, "caller": "u"}' % number.encode(), LIMITS)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"[" * 50_000 + b"]" * 50_000, "nested too deeply"),
        (b'{"record": {"x": "\xff"}}', "decode byte 0xff in position 18"),
        (b'{"record": {"x": %s}}' % (b"1" * 5_000), "Exceeds the limit"),
        (b'{"record": {}} and more', "Extra data"),
    ],
    ids=["deep", "not UTF-8", "long number", "more"],
)
def test_what_is_no_json_is_refused_with_the_reason(body: bytes, reason: str) -> None:
    with pytest.raises(PredictionRefused, match=reason) as refused:
        read_json(body, LIMITS)
    assert refused.value.status == 400
