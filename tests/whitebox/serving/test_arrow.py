"""Arrow IPC streams in and out; those that stand for more than their own bytes are refused before they are decoded."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.whitebox.serving.simulator import ADDRESS, Site
from walle.whitebox.batch_answers import BatchAnswers
from walle.whitebox.serving.array_answers import cascaded_of, problems_of, scores_of_batch
from walle.whitebox.serving.arrow import read_arrow, write_arrow
from walle.whitebox.serving.engine import LoadedPlan, RecordAnswer
from walle.whitebox.serving.problems import PredictionRefused, RecordProblem
from walle.whitebox.serving.requests import RequestLimits

HEADERS = {"content-type": "application/vnd.apache.arrow.stream", "walle-caller": "user-1"}
LIMITS = RequestLimits()
TABLE = pa.table({"text": ["a", "b" * 80, None], "x": [1.0, 2.0, None]})


def stream(table: Any, **options: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def refused(body: bytes, limits: RequestLimits = LIMITS) -> tuple[int, str]:
    with pytest.raises(PredictionRefused) as caught:
        read_arrow(body, limits)
    return caught.value.status, caught.value.code


async def test_records_and_answers_travel_as_streams(site: Site) -> None:
    async with site.serving() as client:
        answer = await client.post(ADDRESS, content=stream(TABLE), headers=HEADERS)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == HEADERS["content-type"]
    found = pa.ipc.open_stream(answer.content).read_all()
    assert found.column("label").to_pylist() == ["bad", "good", None]
    assert found.column("problem_field").to_pylist() == [None, None, "text"]
    assert found.schema.metadata[b"version"] == b"1.0.0"


async def test_a_refusal_is_a_problem_in_json(site: Site) -> None:
    async with site.serving() as client:
        answer = await client.post(ADDRESS, content=b"no stream", headers=HEADERS)
        unnamed = await client.post(ADDRESS, content=stream(TABLE), headers={**HEADERS, "walle-caller": ""})
    assert (answer.status_code, answer.json()["code"]) == (400, "body-malformed")
    assert (unnamed.status_code, unnamed.json()["code"]) == (422, "caller-missing")


def test_columns_are_fields() -> None:
    request = read_arrow(stream(TABLE), LIMITS)
    assert list(request.records) == [
        {"text": "a", "x": 1.0},
        {"text": "b" * 80, "x": 2.0},
        {"text": None, "x": None},
    ]
    assert not request.single


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_compressed_streams_are_refused_before_they_are_decoded(compression: str) -> None:
    bomb = pa.table({"text": ["a" * 1_000_000] * 20})
    body = stream(bomb, compression=compression)
    assert len(body) < 200_000
    assert refused(body) == (422, "body-compressed")


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a"] * 5).dictionary_encode(),
        pa.array([["a"]]),
        pa.array([{"a": 1}]),
        pa.nulls(5),
        pa.array([b"x"]),
        pa.array(["x"], pa.string_view()),
        pa.RunEndEncodedArray.from_arrays([5], ["x"]),
    ],
)
def test_columns_that_stand_for_more_than_themselves_are_refused(column: Any) -> None:
    assert refused(stream(pa.table({"text": column}))) == (422, "schema-refused")


def test_sizes_are_bounded() -> None:
    assert refused(stream(TABLE), RequestLimits(records=2)) == (413, "batch-too-large")
    assert refused(stream(TABLE.slice(0, 0))) == (422, "batch-empty")
    doubled = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"])
    assert refused(stream(doubled)) == (422, "schema-refused")


def test_whatever_is_changed_is_read_or_refused() -> None:
    """Lengths that lie, offsets beyond the buffers, text that is no UTF-8: all of it comes out as a refusal."""
    whole, draw = stream(TABLE), random.Random(17)
    statuses = set()
    for _ in range(2000):
        body = bytearray(whole)
        for _ in range(draw.randint(1, 6)):
            body[draw.randrange(len(body))] = draw.randrange(256)
        try:
            statuses.add(
                len(read_arrow(bytes(body[: draw.choice((len(body), draw.randrange(len(body))))]), LIMITS).records)
            )
        except PredictionRefused as refusal:
            statuses.add(refusal.status)
    assert {3, 400} <= statuses


def test_numbers_and_booleans_are_read_whatever_their_type_and_however_many_batches():
    table = pa.table(
        {
            "small": pa.array([1, None, 3], pa.uint8()),
            "large": pa.array([2**60, None, -5], pa.int64()),
            "half": pa.array([0.5, None, float("nan")], pa.float16()),
            "yes": [True, None, False],
            "text": pa.array(["é", None, ""], pa.large_string()),
        }
    )
    request = read_arrow(stream(pa.concat_tables([table, table.slice(0, 1)])), LIMITS)
    first = {"small": 1.0, "large": 2.0**60, "half": 0.5, "yes": 1.0, "text": "é"}
    missing = dict.fromkeys(first)
    assert list(request.records) == [
        first,
        missing,
        missing | {"small": 3.0, "large": -5.0, "yes": 0.0, "text": ""},
        first,
    ]


def test_a_stream_without_columns_is_refused():
    batch = pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([])))
    assert refused(stream(pa.Table.from_batches([batch]))) == (422, "schema-refused")


PLAN = LoadedPlan("m" * 64, "task", "1.0.0", ("bad", "good"), ("x",))
PARTS = {"label": slice(0, 1), "probabilities": slice(1, 3), "decision": slice(3, 4)}
VALUE = {"value": slice(0, 1)}
CASCADE = {"label": slice(0, 1), "cascade": slice(3, 4)}


def predictions(parts: dict[str, slice], rows: Any) -> list[RecordAnswer]:
    def part(row: Any, name: str) -> Any:
        return tuple(row[parts[name]].tolist()) if name in parts else None

    return [
        RecordAnswer(
            PLAN.classes[int(row[0])] if "label" in parts else None,
            part(row, "probabilities"),
            float(row[0]) if "value" in parts else None,
            part(row, "decision"),
            bool(row[3] > 0) if "cascade" in parts else None,
        )
        for row in rows
    ]


@pytest.mark.parametrize("parts", [PARTS, VALUE, CASCADE])
@pytest.mark.parametrize("places", [(), (0,), (1, 3)])
def test_arrays_are_told_as_their_predictions_are(parts: dict[str, slice], places: tuple[int, ...]) -> None:
    rows = np.array([[1, 0.25, 0.75, 1.5], [0, 0.875, 0.125, -2.0], [1, 0.0, 1.0, 9.0]])
    refused = {place: RecordProblem(place, "x", "a number") for place in places}
    answers = BatchAnswers.of(rows, refused, parts, lambda numbers: predictions(parts, numbers))
    told, expected = (pa.ipc.open_stream(write_arrow(PLAN, each)).read_all() for each in (answers, list(answers)))
    assert told.equals(expected, check_metadata=True)
    assert scores_of_batch(answers) == scores_of_batch(list(answers))
    assert cascaded_of(answers) == cascaded_of(list(answers)) == (2 if "cascade" in parts else 0)
    assert ("cascade" in told.column_names) == ("cascade" in parts)
    assert problems_of(answers) == problems_of(list(answers)) == tuple(refused.values())
