"""What the benchmarks ask of both families alike: records to predict, and how each library takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.whitebox.archives import Family
from benchmarks.support.whitebox.attendance import COLUMN_NAMES, Attendance
from benchmarks.support.whitebox.sentiment import COLUMN, VOCABULARY, Sentiment
from walle.whitebox.columns import RecordColumns

SCALE: Final = {
    "reviews": Dimension(20_000, 100),
    "words": Dimension(VOCABULARY, 1000),
    "events": Dimension(4000, 200),
    "pipelines": Dimension(250, 3),
}
"""The dimensions of training, which all whitebox benchmarks have: what is trained on, and the pipelines of a family."""
TRAINED: Final = (
    "reviews and events are generated: words by Zipf's law, with letters of several alphabets; 40 numbers of an event",
    "sentiment (sa): 250 pipelines over six dictionaries; attendance (ac): 250 over eight stacks of featurizers",
)


def sentiment(benchmark: Benchmark) -> Sentiment:
    """Return the text pipelines of a run's scale."""
    return Sentiment(benchmark.size("reviews"), benchmark.size("words"))


def attendance(benchmark: Benchmark) -> Attendance:
    """Return the structured pipelines of a run's scale."""
    return Attendance(benchmark.size("events"))


def families(benchmark: Benchmark) -> dict[str, Family]:
    return {"sa": sentiment(benchmark), "ac": attendance(benchmark)}


def raw_records(family: Family, count: int) -> list[Any]:
    """Return records that training never saw, each as scikit-learn takes it: a text, or a row of numbers."""
    if isinstance(family, Sentiment):
        return list(family.held_out(count).texts)
    return list(family.held_out(count).rows)


def as_batch(raw: Sequence[Any]) -> Sequence[Any]:
    """Return records as Walle takes a batch of them: texts one by one, numbers as columns."""
    return as_records(raw) if isinstance(raw[0], str) else RecordColumns.of_matrix(COLUMN_NAMES, raw)


def as_records(raw: Sequence[Any]) -> list[dict[str, Any]]:
    """Return records as Walle takes them: values by column, None for what is missing."""
    if isinstance(raw[0], str):
        return [{COLUMN: text} for text in raw]
    return [
        {name: None if np.isnan(value) else float(value) for name, value in zip(COLUMN_NAMES, row, strict=True)}
        for row in raw
    ]
