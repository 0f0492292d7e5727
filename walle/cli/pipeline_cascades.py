"""Learning the cascade of a pipeline that is exported: labelled records from a file, and what a record costs here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from walle.cli.errors import CommandFailed, WrongUsage
from walle.cli.pipeline_archives import LocalPipeline
from walle.cli.pipeline_models import TrainedModel
from walle.cli.pipeline_records import read_labels, read_records
from walle.whitebox.archive import Archive, Statistics
from walle.whitebox.cascades import LearnedCascade, TrainingRecords, learn_cascade
from walle.whitebox.cascades.learning import CascadeNotLearned
from walle.whitebox.graph import ClassName
from walle.whitebox.importing.libraries import Record

CONFIDENCE: Final = 0.95
_TIMED: Final = 300
_ROUNDS: Final = 5


def learn(
    model: TrainedModel, path: Path, label: str | None, tolerance: float, statistics: Statistics
) -> LearnedCascade:
    """Return the cascade that is learned from the records of a file. Raises CommandFailed or WrongUsage.

    `label` names what has the true label of each; without it, it is the model's predictions that are to be met.
    """
    graph = model.imported.graph
    if "label" not in graph.outputs:
        raise CommandFailed(f"a cascade is for classes, and the {model.name} answers {', '.join(graph.outputs)}")
    records = read_records(path, graph)
    try:
        predicted = [_class(each["label"]) for each in model.library.predictions(records)]
    except ValueError as error:
        raise CommandFailed(f"the {model.name} refuses these records: {error}") from error
    labels = _known(read_labels(path, label), graph.classes, path) if label else predicted
    training = TrainingRecords(records, labels, predicted, labelled=label is not None)
    try:
        return learn_cascade(model.imported, statistics, training, cost_of, tolerance=tolerance, confidence=CONFIDENCE)
    except ImportError as error:
        hint = "pip install scikit-learn 'walle[export]'"
        raise CommandFailed(f"cannot learn a cascade without scikit-learn: {error}", hint) from error
    except CascadeNotLearned as error:
        raise CommandFailed(f"cannot learn a cascade from {path}: {error}", "export without --cascade") from error


def _class(value: Any) -> ClassName:
    found: ClassName = value
    return found


def _known(labels: Sequence[str], classes: Sequence[ClassName], path: Path) -> list[ClassName]:
    """Return labels as the classes that are written so."""
    by_text = {str(each): each for each in classes}
    unknown = next((number for number, each in enumerate(labels, 1) if each not in by_text), None)
    if unknown is not None:
        expected = ", ".join(list(by_text)[:10])
        raise WrongUsage(f"{path}: record {unknown}: expected one of {expected}, found {labels[unknown - 1][:40]!r}")
    return [by_text[each] for each in labels]


def cost_of(archive: Archive, arrays: Mapping[str, Any], records: Sequence[Record]) -> float:
    """Return the mean seconds of one of some records, predicted one by one: the least of several rounds."""
    pipeline = LocalPipeline(archive, arrays.__getitem__)
    some = [dict(each) for each in records[:_TIMED]]
    took = []
    for _ in range(_ROUNDS):
        began = perf_counter()
        for each in some:
            pipeline.prediction(each)
        took.append((perf_counter() - began) / len(some))
    return min(took)
