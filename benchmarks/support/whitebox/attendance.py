"""AC: pipelines that tell how many people attend an event, in as many variants as asked for (PRETZEL, table 4.1).

Of 40 numbers, those missing are imputed; PCA, k-means and a tree featurizer run beside each other; of what they make, a
classifier of trees tells the band of the attendance, and with its probabilities a last forest decides. There are eight
of these stacks of featurizers and classifier, from 10 KB to 20 MB; each pipeline has a last forest of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomTreesEmbedding,
    StackingClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline

from benchmarks.support.whitebox.events import COLUMNS, Events, hold_events
from benchmarks.support.whitebox.models import kept

COLUMN_NAMES: Final = tuple(f"x{place}" for place in range(COLUMNS))
_HELD_OUT_SEED: Final = 1_000_003
_SAMPLE: Final = 0.5


class Stack(NamedTuple):
    """The sizes of what comes before the last forest."""

    components: int
    clusters: int
    embedding_trees: int
    embedding_depth: int
    trees: int
    depth: int


_STACKS: Final = (
    Stack(4, 4, 3, 3, 3, 3),
    Stack(6, 8, 10, 4, 10, 6),
    Stack(8, 12, 20, 5, 30, 8),
    Stack(10, 16, 30, 5, 50, 9),
    Stack(12, 16, 30, 6, 60, 11),
    Stack(14, 20, 40, 6, 100, 13),
    Stack(16, 24, 50, 6, 140, 15),
    Stack(20, 32, 50, 6, 180, 16),
)


@dataclass(frozen=True)
class Attendance:
    """The pipelines of one scale: trained on so many events."""

    events: int

    def pipeline(self, number: int) -> Pipeline:
        """Return a trained pipeline; it shares no object with any other, as each has a file of its own."""
        return kept(self._name(f"pipeline-{number}"), lambda: self._trained(number))

    def train(self, numbers: Iterable[int]) -> None:
        """Train what is not yet kept of some pipelines."""
        for number in sorted(numbers, key=lambda number: number % len(_STACKS)):
            self.pipeline(number)

    def ensemble(self) -> GradientBoostingClassifier:
        """Return an ensemble of trees alone, on events without missing numbers."""
        return kept(self._name("ensemble"), self._ensemble)

    def held_out(self, count: int) -> Events:
        """Return events that training never saw."""
        return hold_events(count, _HELD_OUT_SEED)

    @property
    def name(self) -> str:
        return f"attendance-{self.events}"

    def _name(self, part: str) -> str:
        return f"{self.name}/{part}"

    def _stack(self, number: int) -> tuple[Pipeline, RandomForestClassifier]:
        return kept(self._name(f"stack-{number}"), lambda: self._fitted(_STACKS[number]))

    @cached_property
    def _training(self) -> Events:
        return hold_events(self.events, seed=1)

    def _fitted(self, stack: Stack) -> tuple[Pipeline, RandomForestClassifier]:
        union = FeatureUnion(
            [
                ("pca", PCA(stack.components, random_state=0)),
                ("clusters", KMeans(stack.clusters, n_init=1, random_state=0)),
                (
                    "leaves",
                    RandomTreesEmbedding(
                        stack.embedding_trees, max_depth=stack.embedding_depth, sparse_output=False, random_state=0
                    ),
                ),
            ]
        )
        featurizers = Pipeline([("missing", SimpleImputer()), ("features", union)])
        features = featurizers.fit_transform(self._training.rows)
        classifier = RandomForestClassifier(stack.trees, max_depth=stack.depth, random_state=0)
        return featurizers, classifier.fit(features, self._training.bands)

    @cached_property
    def _features(self) -> dict[int, NDArray[Any]]:
        return {}

    def _trained(self, number: int) -> Pipeline:
        rng, place = np.random.default_rng(number), number % len(_STACKS)
        featurizers, classifier = self._stack(place)
        if place not in self._features:
            self._features.clear()
            self._features[place] = featurizers.transform(self._training.rows)
        sample = np.sort(rng.permutation(self.events)[: round(_SAMPLE * self.events)])
        trees, depth = int(rng.integers(5, 21)), int(rng.integers(3, 6))
        last = RandomForestClassifier(trees, max_depth=depth, random_state=number)
        model = StackingClassifier([("bands", classifier)], last, cv="prefit", passthrough=True)
        model.fit(self._features[place][sample], self._training.bands[sample])
        return Pipeline([*featurizers.steps, ("model", model)])

    def _ensemble(self) -> GradientBoostingClassifier:
        rows = np.nan_to_num(self._training.rows)
        crowded = np.where(np.isin(self._training.bands, ("many", "crowd")), "crowded", "quiet")
        return GradientBoostingClassifier(n_estimators=100, max_depth=5, random_state=0).fit(rows, crowded)
