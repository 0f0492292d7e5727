"""Records that a pipeline may meet, drawn from what was seen of it: terms, categories, and numbers near thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final

import numpy as np

from walle.whitebox.graph import COLUMN, Column, Transformation
from walle.whitebox.importing.building import Imported

RecordValue = str | float | None
_ODD_TEXTS: Final = ("", " ", "zażółć gęślą jaźń", "e\u0301te\u0301 \u2028 été", "1 2_3 ß\u0130 \U0001f642")


def draw_records(imported: Imported, count: int, random: Random) -> list[dict[str, RecordValue]]:
    """Return records for the columns of a pipeline; of each seven values one is missing, unknown or odd."""
    near = dict(_numbers(imported))
    return [
        {column.name: _value(column, imported, near.get(column.name, ()), random) for column in imported.graph.columns}
        for _ in range(count)
    ]


def _value(column: Column, imported: Imported, near: Sequence[float], random: Random) -> RecordValue:
    odd = random.random() < 1 / 7
    known = imported.examples.get(column.name, ())
    match column.type:
        case "text":
            terms = [random.choice(known) for _ in range(random.randrange(1, 25))] if known else ["text"]
            return random.choice(_ODD_TEXTS) if odd else " ".join(terms)
        case "category":
            return random.choice([None, "an unknown category"]) if odd or not known else random.choice(known)
    if odd:
        return None
    return random.choice(near) + random.gauss(0, 1) * (max(near) - min(near)) / 4 if near else random.gauss(0, 1)


def _numbers(imported: Imported) -> Iterator[tuple[str, list[float]]]:
    """Yield number columns with numbers near which the pipeline decides, by the steps that take the columns first."""
    steps = {step.id: step for step in imported.graph.transformations}
    for step in imported.graph.transformations:
        names = _columns(step, steps)
        for index, name in enumerate(names):
            if found := _near(step, index, imported):
                yield name, found


def _columns(step: Transformation, steps: Mapping[str, Transformation]) -> list[str]:
    """Return the number columns that a step takes, directly or put together; none if it takes anything else."""
    (first, *_) = step.inputs
    inputs = steps[first].inputs if first in steps and steps[first].operator == "concat" else (first,)
    return [each.removeprefix(COLUMN) for each in inputs] if all(each.startswith(COLUMN) for each in inputs) else []


def _near(step: Transformation, index: int, imported: Imported) -> list[float]:
    arrays = {name: imported.arrays[each.digest] for name, each in step.parameters.items()}
    match step.operator:
        case "affine" if "center" in arrays and "divisor" in arrays:
            center, spread = float(arrays["center"][index]), float(arrays["divisor"][index])
            return [center - spread, center, center + spread]
        case "impute":
            value = float(arrays["values"][index])
            return [value - 1, value, value + 1]
        case "one_hot" | "ordinal" if "values" in arrays:
            return [float(each) for each in arrays["values"]]
        case "trees" | "tree_features":
            nodes = arrays["nodes"]
            thresholds = nodes.view("<f8").reshape(-1, 2)[:, 0]
            compared = (nodes[:, 2] & 0x7FFFFFFF == index) & np.isfinite(thresholds)
            return [float(each) for each in thresholds[compared][:1000]]
    return []
