"""Pipeline archives of the trained pipelines, kept beside them: what `walle pipeline export` writes of each.

A dictionary of a million n-grams takes seconds to import, and most pipelines share theirs. So of pipelines with the
same dictionaries only the first is imported as a whole; for the others its graph gets their linear models.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from benchmarks.support.whitebox.attendance import Attendance
from benchmarks.support.whitebox.models import models_folder
from benchmarks.support.whitebox.sentiment import COLUMN, Sentiment
from walle.whitebox.archive import PARAMETERS, ColumnStatistics, Statistics
from walle.whitebox.archive.writing import parameter_of, write_archive
from walle.whitebox.importing import Imported, import_estimator

Family = Sentiment | Attendance
_POOL: Final = "pool"


class Archives:
    """The archives of a family's pipelines; equal parameters of different archives are one file on the disk."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._whole: dict[tuple[str, str], Imported] = {}

    def folders(self, count: int) -> list[Path]:
        """Return the folders of the first pipelines' archives, those written first that are not there."""
        return self.folders_of(range(count))

    def folders_of(self, numbers: Collection[int]) -> list[Path]:
        """Return the folders of some pipelines' archives, those written first that are not there."""
        self._family.train(numbers)
        missing = [number for number in numbers if not self.folder(number).exists()]
        if isinstance(self._family, Sentiment):
            missing.sort(key=self._family.combination)
        for number in missing:
            self._write(number)
        return [self.folder(number) for number in numbers]

    def folder(self, number: int) -> Path:
        return self._home / str(number)

    @property
    def _home(self) -> Path:
        return models_folder() / f"{self._family.name}-archives"

    def imported(self, number: int) -> Imported:
        """Return the graph and the arrays of one pipeline."""
        if isinstance(self._family, Attendance):
            return import_estimator(self._family.pipeline(number))
        names = self._family.combination(number)
        if names not in self._whole:
            self._whole = {names: import_estimator(self._family.pipeline(number))}
        return _with_model(self._whole[names], self._family, number)

    @cached_property
    def _statistics(self) -> Statistics:
        """What training saw of texts, as the exporter finds it in the records that it is given."""
        if isinstance(self._family, Attendance):
            return Statistics(self._family.events)
        sizes = [len(text.encode()) for text in self._family.training.texts]
        return Statistics(len(sizes), {COLUMN: ColumnStatistics(sum(sizes) / len(sizes), max(sizes))})

    def _write(self, number: int) -> None:
        imported, draft = self.imported(number), self._home / "draft"
        shutil.rmtree(draft, ignore_errors=True)
        write_archive(draft, imported.graph, imported.arrays, self._statistics)
        share_files((draft / PARAMETERS).iterdir(), self._home / _POOL)
        draft.rename(self.folder(number))


def _with_model(whole: Imported, family: Sentiment, number: int) -> Imported:
    """Return a pipeline with the linear model of another one that has the same dictionaries."""
    model = family.model(number)
    found = {"weights": parameter_of(model.coef_, "<f8"), "intercept": parameter_of(model.intercept_, "<f8")}
    references = {name: parameter for name, (parameter, _) in found.items()}
    steps = tuple(
        replace(step, parameters=references) if step.operator == "linear" else step
        for step in whole.graph.transformations
    )
    arrays = {**whole.arrays, **{parameter.digest: array for parameter, array in found.values()}}
    used = {parameter.digest for step in steps for parameter in step.parameters.values()}
    graph = replace(whole.graph, transformations=steps)
    return replace(whole, graph=graph, arrays={digest: arrays[digest] for digest in arrays.keys() & used})


def write_model(folder: Path, model: Any) -> None:
    """Write the archive of a model by itself."""
    imported = import_estimator(model)
    write_archive(folder, imported.graph, imported.arrays, Statistics())


def share_files(paths: Iterable[Path], pool: Path) -> None:
    """Make files with the name of one in the pool links to it, and put the others there."""
    pool.mkdir(parents=True, exist_ok=True)
    for path in paths:
        shared = pool / path.name
        if shared.exists():
            path.unlink()
            os.link(shared, path)
        else:
            os.link(path, shared)
