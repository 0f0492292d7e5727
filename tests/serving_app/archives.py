"""A small pipeline as the files of its task: whether two numbers, weighted, are above zero."""

from __future__ import annotations

from math import exp
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from walle.whitebox.archive import Sample, Statistics
from walle.whitebox.archive.writing import parameter_of, write_archive
from walle.whitebox.graph import Column, Graph, Transformation

TOML = """[task]
kind = "pipeline"
description = "whether a visit ends in a purchase"

[inputs.pages]
type = "number"

[inputs.minutes]
type = "number"

[outputs.label]
type = "text"

[outputs.probabilities]
type = "list"
"""
RECORDS = [{"pages": float(pages), "minutes": float(minutes)} for pages in range(3) for minutes in range(3)]


def pipeline_files(weights: tuple[float, float], intercept: float = -1.0, *, lie: float = 0.0) -> dict[str, bytes]:
    """The files of the task; `lie` is added to the first probability of every sample."""
    row, arrays = parameter_of([weights], "<f8")
    base, number = parameter_of([intercept], "<f8")
    graph = Graph(
        columns=(Column("pages", "number"), Column("minutes", "number")),
        transformations=(
            Transformation("both", "concat", ("column:pages", "column:minutes"), {}, {}),
            Transformation("score", "linear", ("both",), {}, {"weights": row, "intercept": base}),
            Transformation("above", "threshold", ("score",), {"threshold": 0.0}, {}),
            Transformation("chance", "sigmoid", ("score",), {}, {}),
            Transformation("chances", "complement", ("chance",), {}, {}),
        ),
        outputs={"label": "above", "probabilities": "chances"},
        classes=("leaves", "buys"),
    )
    samples = [_sample(record, weights, intercept, lie) for record in RECORDS]
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_archive(folder, graph, {row.digest: arrays, base.digest: number}, Statistics(), samples)
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {"task.toml": TOML.encode(), **files}


def _sample(record: dict[str, float], weights: tuple[float, float], intercept: float, lie: float) -> Sample:
    score = float(np.dot(weights, [record["pages"], record["minutes"]]) + intercept)
    chance = 1 / (1 + exp(-score))
    return Sample(record, {"label": "buys" if score > 0 else "leaves", "probabilities": (1 - chance + lie, chance)})
