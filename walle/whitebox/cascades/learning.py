"""Learning a prefix: a logistic regression of few features, or a few small trees, beside scikit-learn.

Of the columns that a pipeline takes, a prefix reads what is cheap: single words of texts, those that tell most, instead
of n-grams of characters and words; numbers and categories as they are, without what the pipeline projects, clusters or
adds up of them. Several prefixes are trained on some of the records; for each the threshold is chosen on the others.
The one with which a record costs least is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from walle.whitebox.archive import Archive, Cascade, CascadeEvidence, Statistics
from walle.whitebox.cascades.joining import join_prefix
from walle.whitebox.cascades.thresholds import ChosenThreshold, HeldOut, choose_threshold
from walle.whitebox.graph import ClassName, Column, Graph, check_graph
from walle.whitebox.importing import Imported, import_estimator
from walle.whitebox.importing.libraries import EstimatorLibrary, Record

WORDS: Final = (500, 2000, 8000)
"""How many words of each text a prefix may know."""
KNOWN_WORDS: Final = 50_000
"""Of how many of the most frequent words these are chosen."""
MOST_TRAINED: Final = 50_000
"""With how many records prefixes are trained at most; all others are left to choose thresholds."""
_SEED: Final = 17


class CascadeNotLearned(ValueError):
    """No cascade can be learned from these records, or none would pay; the message says why."""


@dataclass(frozen=True)
class TrainingRecords:
    """Records with the label of each that is to be met, and the one that the whole pipeline predicts.

    Both are the same where no labels were given (`labelled`).
    """

    records: Sequence[Record]
    labels: Sequence[ClassName]
    predicted: Sequence[ClassName]
    labelled: bool

    def part(self, places: Sequence[int]) -> TrainingRecords:
        """Return some of the records."""
        return TrainingRecords(
            [self.records[each] for each in places],
            [self.labels[each] for each in places],
            [self.predicted[each] for each in places],
            self.labelled,
        )


@dataclass(frozen=True)
class Prefix:
    """A trained prefix, and what was imported of it; `frame` makes a data frame of columns by name."""

    estimator: Any
    imported: Imported
    frame: Callable[[dict[str, Any]], Any]

    @property
    def library(self) -> EstimatorLibrary:
        """What predicts as scikit-learn does with the prefix."""
        return EstimatorLibrary(self.estimator, self.imported, self.frame)


@dataclass(frozen=True)
class LearnedCascade:
    """A pipeline with a cascade: its archive and arrays by digest, and the prefix that it was made of."""

    archive: Archive
    arrays: Mapping[str, Any]
    prefix: Prefix


def learn_cascade(
    whole: Imported,
    statistics: Statistics,
    training: TrainingRecords,
    cost: Callable[[Archive, Mapping[str, Any], Sequence[Record]], float],
    *,
    tolerance: float,
    confidence: float,
    most_trained: int = MOST_TRAINED,
) -> LearnedCascade:
    """Return the cascade with which a record of a pipeline costs least. Raises CascadeNotLearned.

    `cost` returns what a record of some costs with an archive and its arrays. With a `confidence` the cascade is less
    accurate than the pipeline by at most a `tolerance`, whichever prefix is chosen.
    """
    order = np.random.default_rng(_SEED).permutation(len(training.records)).tolist()
    trained = min(len(order) // 2, most_trained)
    learned_from, held = training.part(order[:trained]), training.part(order[trained:])
    if set(learned_from.labels) != set(whole.graph.classes):
        raise CascadeNotLearned("expected records of every class that the pipeline tells apart, many of each")
    prefixes = [each for each in train_prefixes(whole.graph, learned_from) if _fits(each.imported.graph, whole.graph)]
    found: dict[float, LearnedCascade] = {}
    for each in prefixes:
        # Several prefixes are compared on the same records: the level is divided among them.
        choice = _choice(each, held, tolerance, 1 - (1 - confidence) / len(prefixes))
        if choice is not None:
            evidence = _evidence(held, choice, tolerance, confidence)
            made = _with_prefix(whole, statistics, each, choice.threshold, evidence)
            found[cost(made.archive, made.arrays, held.records)] = made
    if not found:
        raise CascadeNotLearned(
            f"no prefix is sure enough: {len(held.records)} held-out records do not show for any that accuracy stays"
            f" within {100 * tolerance:g} points; give more records, or a greater tolerance"
        )
    alone = Archive(whole.graph, statistics, check_graph(whole.graph))
    if min(found) >= cost(alone, whole.arrays, held.records):
        raise CascadeNotLearned("no cascade pays: the pipeline itself takes no longer than the best one")
    return found[min(found)]


def _fits(prefix: Graph, whole: Graph) -> bool:
    return prefix.classes == whole.classes and prefix.outputs.keys() >= {*whole.outputs, "probabilities"}


def _choice(prefix: Prefix, held: TrainingRecords, tolerance: float, confidence: float) -> ChosenThreshold | None:
    shares = prefix.estimator.predict_proba(frame_of(prefix.imported.graph.columns, held.records, prefix.frame))
    labels, predicted = (np.array(each, object) for each in (held.labels, held.predicted))
    own = np.array(prefix.imported.graph.classes, object)[shares.argmax(axis=1)]
    return choose_threshold(HeldOut(shares.max(axis=1), own == labels, predicted == labels), tolerance, confidence)


def _evidence(held: TrainingRecords, choice: ChosenThreshold, tolerance: float, confidence: float) -> CascadeEvidence:
    truth = "labels" if held.labelled else "predictions"
    accuracies = choice.whole_accuracy, choice.cascade_accuracy
    return CascadeEvidence(truth, len(held.records), choice.answered, *accuracies, tolerance, confidence)


def _with_prefix(
    whole: Imported, statistics: Statistics, prefix: Prefix, threshold: float, evidence: CascadeEvidence
) -> LearnedCascade:
    graph, outputs = join_prefix(whole.graph, prefix.imported.graph)
    wanted = {name: id_ for name, id_ in outputs.items() if name in {*whole.graph.outputs, "probabilities"}}
    archive = Archive(graph, statistics, check_graph(graph), Cascade(wanted, threshold, evidence))
    return LearnedCascade(archive, {**whole.arrays, **prefix.imported.arrays}, prefix)


def train_prefixes(graph: Graph, training: TrainingRecords) -> Iterator[Prefix]:
    """Yield prefixes for the columns of a pipeline, trained to tell its classes."""
    import pandas as pd

    frame = frame_of(graph.columns, training.records, pd.DataFrame)
    labels = np.array(training.labels)
    for estimator in _estimators(graph.columns, frame, labels):
        estimator.fit(frame, labels)
        imported = import_estimator(estimator)
        # Columns that the prefix does not read are the pipeline's all the same.
        yield Prefix(estimator, replace(imported, graph=replace(imported.graph, columns=graph.columns)), pd.DataFrame)


def _estimators(columns: Sequence[Column], frame: Any, labels: Any) -> Iterator[Any]:
    """Yield what may be a prefix, from few words of texts to many; where all columns are numbers, small trees too."""
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts = [each.name for each in columns if each.type == "text"]
    ranked = {name: _ranked_words(frame[name], labels) for name in texts}
    for count in WORDS if texts else WORDS[:1]:
        features = ColumnTransformer(list(_features(columns, ranked, count)))
        yield make_pipeline(features, LogisticRegression(C=0.3, max_iter=1000))
    if all(each.type == "number" for each in columns):
        yield HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=8, early_stopping=False, random_state=_SEED)


def _features(columns: Sequence[Column], ranked: Mapping[str, Any], count: int) -> Iterator[tuple[str, Any, Any]]:
    """Yield the steps of a ColumnTransformer."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    for name, words in ranked.items():
        yield f"words of {name}", CountVectorizer(vocabulary=sorted(words[:count]), dtype=np.float64), name
    numbers, categories = ([each.name for each in columns if each.type == kind] for kind in ("number", "category"))
    if numbers:
        yield "numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers
    if categories:
        yield "categories", OneHotEncoder(handle_unknown="ignore", max_categories=100), categories


def _ranked_words(texts: Any, labels: Any) -> Any:
    """Return words, those first that tell labels apart most: by their weights, and by how much their counts vary."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    counter = CountVectorizer(max_features=KNOWN_WORDS, dtype=np.float64)
    counts = counter.fit_transform(texts)
    model = LogisticRegression(C=0.3, max_iter=1000).fit(counts, labels)
    told = np.abs(model.coef_).max(axis=0) * StandardScaler(with_mean=False).fit(counts).scale_
    return counter.get_feature_names_out()[np.argsort(-told, kind="stable")]


def frame_of(columns: Sequence[Column], records: Sequence[Record], frame: Callable[[dict[str, Any]], Any]) -> Any:
    """Return records as a data frame: numbers with NaN, texts, and categories with None where they are missing."""
    return frame({each.name: _values(each, [record[each.name] for record in records]) for each in columns})


def _values(column: Column, values: list[Any]) -> Any:
    if column.type == "number":
        return np.array(values, np.float64)
    found = np.empty(len(values), object)
    found[:] = values
    return found
