"""From a trained model to the folder of a pipeline: samples, statistics, and the proof that both predict the same."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from walle.bundle.pipeline_check import declared_inputs, declared_outputs
from walle.bundle.spec import TASK_FILE
from walle.cli.errors import CommandFailed
from walle.cli.pipeline_archives import LocalPipeline
from walle.cli.pipeline_models import TrainedModel
from walle.cli.pipeline_records import Record
from walle.whitebox.archive import Archive, ColumnStatistics, Sample, Statistics, VectorStatistics
from walle.whitebox.archive.writing import write_archive
from walle.whitebox.cascades import LearnedCascade
from walle.whitebox.compiling import RecordRefused
from walle.whitebox.graph import check_graph
from walle.whitebox.importing.counting import counting_of
from walle.whitebox.importing.drawing import draw_records
from walle.whitebox.importing.libraries import TOLERANCE, differences

SAMPLES: Final = 20
"""How many records become samples of the archive."""
COUNTED: Final = 1000
"""How many records the statistics are of."""
SHOWN: Final = 20
"""The most differences that are told."""
_SEED: Final = 17
_BARE: Final = re.compile("[A-Za-z0-9_-]+")


class Different(CommandFailed):
    """The pipeline predicts something else than the model."""

    def __init__(self, model: str, found: Sequence[str]) -> None:
        super().__init__(f"the pipeline does not predict what the {model} predicts; nothing was written:")
        self._found = list(found)

    @property
    def lines(self) -> list[str]:
        return self._found


@dataclass(frozen=True)
class Exported:
    """What was written: the archive's description, the samples, and bytes of parameters."""

    archive: Archive
    samples: tuple[Sample, ...]
    bytes: int


def export(
    model: TrainedModel, folder: Path, records: Sequence[Record] | None, cascade: LearnedCascade | None = None
) -> Exported:
    """Write the folder of a pipeline: its archive, and a task.toml unless there is one. Raises Different.

    `records` are what it will meet. Samples and statistics are of them; without any, samples are of records that are
    drawn, and there are no statistics. With a cascade, samples are what that has to answer.
    """
    imported = model.imported
    statistics = statistics_of(model, records or ())
    archive = Archive(imported.graph, statistics, check_graph(imported.graph))
    samples, arrays = _samples(model, records), imported.arrays
    if cascade is not None:
        archive, arrays = cascade.archive, cascade.arrays
        samples = [_answered_by(cascade, each) for each in samples]
    pipeline = LocalPipeline(archive, arrays.__getitem__)
    _compare(model, pipeline, samples)
    if model.library.tolerance > TOLERANCE:
        # Whoever predicts the samples later compares more closely than this library adds.
        samples = [Sample(sample.record, pipeline.predict(sample.record)) for sample in samples]
    write_archive(folder, archive.graph, arrays, statistics, samples, cascade=archive.cascade)
    if not (folder / TASK_FILE).exists():
        (folder / TASK_FILE).write_text(task_text(archive, f"A pipeline made of a {model.name}"), encoding="utf-8")
    return Exported(archive, tuple(samples), sum(archive.array_sizes.values()))


def _answered_by(cascade: LearnedCascade, sample: Sample) -> Sample:
    """Return what scikit-learn's prefix answers to the record of a sample, if it is sure, else the sample itself."""
    said = cascade.archive.cascade
    (found,) = cascade.prefix.library.predictions([sample.record])
    shares = found["probabilities"]
    if said is None or not isinstance(shares, tuple) or max(shares) < said.threshold:
        return sample
    return Sample(sample.record, {name: found[name] for name in sample.outputs})


def _samples(model: TrainedModel, records: Sequence[Record] | None) -> list[Sample]:
    """Return records with the library's predictions. Of drawn records, those that the library refuses are left out."""
    if records is not None:
        given = records[:SAMPLES]
        try:
            found = model.library.predictions(given)
        except ValueError as error:
            raise CommandFailed(f"the {model.name} refuses these records: {error}") from error
        return [Sample(record, outputs) for record, outputs in zip(given, found, strict=True)]
    samples: list[Sample] = []
    for record in draw_records(model.imported, 4 * SAMPLES, Random(_SEED)):  # noqa: S311  no secret
        try:
            (outputs,) = model.library.predictions([record])
        except (ValueError, TypeError):
            continue
        samples.append(Sample(record, outputs))
    if not samples:
        raise CommandFailed(f"the {model.name} refuses all records that were drawn", "give some with --records FILE")
    return samples[:SAMPLES]


def _compare(model: TrainedModel, pipeline: LocalPipeline, samples: Sequence[Sample]) -> None:
    found = []
    for number, sample in enumerate(samples, 1):
        own = pipeline.predict(sample.record)
        found += [
            f"record {number}: {each}" for each in differences(own, dict(sample.outputs), model.library.tolerance)
        ]
    if found:
        raise Different(model.name, found[:SHOWN])


def statistics_of(model: TrainedModel, records: Sequence[Record]) -> Statistics:
    """Return what the records say of texts, and of how full vectors are."""
    if not records:
        return Statistics()
    counted = records[:COUNTED]
    sizes = {
        column.name: [len(str(record[column.name]).encode(errors="surrogatepass")) for record in counted]
        for column in model.imported.graph.columns
        if column.type == "text"
    }
    columns = {name: ColumnStatistics(sum(each) / len(each), max(each)) for name, each in sizes.items()}
    return Statistics(len(counted), columns, _fullness(model, counted))


def _fullness(model: TrainedModel, records: Sequence[Record]) -> dict[str, VectorStatistics]:
    counting = counting_of(model.imported.graph, model.imported.arrays)
    if counting is None:
        return {}
    pipeline = LocalPipeline(Archive(counting.graph, Statistics(), {}), counting.arrays.__getitem__)
    counts: list[Any] = []
    for record in records:
        with suppress(RecordRefused):
            counts.append(pipeline.predict(record)["value"])
    by_vector = zip(counting.ids, zip(*counts, strict=True), strict=False)
    return {id_: VectorStatistics(sum(each) / len(each), int(max(each))) for id_, each in by_vector}


def task_text(archive: Archive, description: str) -> str:
    """Return a task.toml for a pipeline."""
    lines = ["[task]", 'kind = "pipeline"', f"description = {_toml(description)}"]
    for table, declared in (("inputs", declared_inputs(archive.graph)), ("outputs", declared_outputs(archive))):
        for name, kind in declared.items():
            lines += ["", f"[{table}.{_key(name)}]", f"type = {_toml(kind)}"]
    return "\n".join([*lines, "", "[serving]", 'engine = "auto"', ""])


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _toml(name)


def _toml(text: str) -> str:
    # What JSON leaves of control characters, TOML does not take.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
