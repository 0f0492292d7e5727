"""Reports: arbitrary JSON is a report that can be stored, or ReportMalformed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.protocol.strategies import json_values
from tests.vectors.reports import FULL, KEPT, RUNS, SPARE
from walle.protocol.reports import MAX_OUTPUT_BYTES, Report, ReportMalformed


def read(value: object) -> Report | None:
    try:
        return Report.from_dict(value)
    except ReportMalformed:
        return None


def assert_storable(report: Report) -> None:
    """What PostgreSQL takes: text without NUL and lone surrogates, finite numbers, JSON of a known size."""
    text = json.dumps(report.to_dict(), allow_nan=False, ensure_ascii=False).encode()
    assert b"\0" not in text
    assert b"\\u0000" not in text
    assert report.to_dict() == Report.from_dict(report.to_dict()).to_dict()


@settings(max_examples=60)
@given(json_values)
def test_arbitrary_json_is_malformed(value: Any) -> None:
    assert read(value) is None


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from(sorted(FULL | KEPT | {"runs": RUNS})), json_values, max_size=4))
@example({"at": 10**400})
@example({"duration_ms": 10**400})
@example({"metrics": {"a": 10**400}})
@example({"peak_memory_kb": 10**40})
@example({"metrics": {"a": float("nan")}})
@example({"output": {"a": float("inf")}})
@example({"output": {"a": -0.0}})
@example({"kind": []})
@example({"id": 5})
@example({"task": {"a": 1}})
@example({"start": ["warm"]})
@example({"vm_end": {"a": 1}})
@example({"runs": [RUNS]})
def test_any_fields_replaced_by_any_json_are_storable_or_malformed(changes: dict[str, Any]) -> None:
    report = read(FULL | changes)
    if report is not None:
        assert_storable(report)


runs_members = st.one_of(
    json_values,
    st.integers(-1, 50),
    st.lists(st.fixed_dictionaries({"error_class": st.just("timeout"), "count": json_values | st.integers(0, 5)})),
)


@settings(max_examples=200)
@given(st.dictionaries(st.sampled_from(sorted(RUNS)) | st.text(max_size=5), runs_members, max_size=4))
@example({"count": 10**400})
@example({"p50_ms": 10**400})
@example({"cpu_ms": float("nan")})
@example({"since": float("inf")})
@example({"failures": [[]]})
def test_any_members_of_an_aggregate_replaced_by_any_json_are_bounded_or_malformed(changes: dict[str, Any]) -> None:
    report = read(FULL | {"runs": RUNS | changes})
    if report is None:
        return
    assert_storable(report)
    runs = report.runs
    assert runs is not None
    assert runs.keys() <= RUNS.keys()
    assert 1 <= runs["count"] < 2**53
    assert all(0 <= runs[name] < 2**53 for name in ("shed", "events"))
    assert 0 <= sum(each["count"] for each in runs["failures"]) <= runs["failed"] <= runs["count"]
    assert 0 <= runs["cold"] <= runs["count"]
    assert runs["since"] <= runs["until"]


def test_an_aggregate_is_of_runs_only() -> None:
    with pytest.raises(ReportMalformed, match="runs: expected none in a report of kind install"):
        Report.from_dict(FULL | {"kind": "install", "runs": RUNS})
    assert Report.from_dict(FULL | {"kind": "install", "runs": None}).runs is None


def test_members_of_an_aggregate_that_are_not_known_are_left_out() -> None:
    failures = [{**RUNS["failures"][0], "trace": "x" * 9999}]
    report = Report.from_dict(FULL | {"runs": RUNS | {"future": "x" * 9999, "failures": failures}})
    assert report.runs == RUNS | {"failures": RUNS["failures"][:1]}


def deep(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [10, 900, 1900, 20_000])
def test_deep_outputs_are_storable_or_malformed(depth: int) -> None:
    report = read(FULL | {"output": {"x": deep(depth)}})
    assert report is None or depth < 2000


def test_the_limit_of_an_output_counts_bytes() -> None:
    """The least that JSON takes, {"x":"..."}, of characters of two bytes each."""
    room = MAX_OUTPUT_BYTES - len('{"x":""}')
    assert read(FULL | {"output": {"x": "é" * (room // 2)}})
    assert read(FULL | {"output": {"x": "é" * (room // 2) + "x"}}) is None


@pytest.mark.parametrize(("name", "most", "value"), [("metrics", 64, 0.5), ("backends", 16, "mnn")])
def test_as_many_metrics_and_models_are_taken_as_may_be(name: str, most: int, value: Any) -> None:
    members = {f"m{number}": value for number in range(most)}
    assert getattr(Report.from_dict(FULL | {name: members}), name) == members
    assert read(FULL | {name: members | {"more": value}}) is None


@pytest.mark.parametrize("name", [*SPARE, *KEPT])
def test_what_is_spare_may_be_null_or_missing(name: str) -> None:
    missing = {key: value for key, value in (FULL | KEPT).items() if key != name}
    assert Report.from_dict(FULL | KEPT | {name: None}) == Report.from_dict(missing)


def test_the_refusal_names_the_field_and_what_was_expected() -> None:
    with pytest.raises(ReportMalformed, match="manifest: expected 64 lowercase hexadecimal digits"):
        Report.from_dict(FULL | {"manifest": "7"})


def test_round_trip() -> None:
    report = FULL | KEPT | {"runs": RUNS, "backends": {"digits": "mnn"}}
    assert Report.from_dict(report).to_dict() == report
