"""Arrow IPC streams in and out; those that stand for more than their own bytes are refused before they are decoded."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from tests.whitebox.serving.simulator import ADDRESS, Site
from walle.whitebox.serving.arrow import read_arrow
from walle.whitebox.serving.problems import PredictionRefused
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
    assert request.records == [{"text": "a", "x": 1.0}, {"text": "b" * 80, "x": 2.0}, {"text": None, "x": None}]
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
