"""SA: pipelines that tell a review's sentiment, in as many variants as asked for (PRETZEL, table 4.1 and figure 3.1).

A pipeline counts n-grams of characters and of words, weighs both by tf-idf, and adds them up in a logistic regression.
There are three dictionaries of each kind, of 15 thousand to 770 thousand entries, which most pipelines share; each
pipeline has a logistic regression of its own, trained on a sample of its own.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline

from benchmarks.support.whitebox.models import kept
from benchmarks.support.whitebox.reviews import Reviewer, Reviews

COLUMN: Final = "text"
VOCABULARY: Final = 200_000
_MOST_ENTRIES: Final = 770_000
"""Of a dictionary at the stated scale: c35 and w13 have 1.2 million together."""
_COMBINATIONS: Final = {
    ("c3", "w1"): 0.3,
    ("c3", "w12"): 0.2,
    ("c34", "w12"): 0.15,
    ("c35", "w1"): 0.1,
    ("c34", "w13"): 0.1,
    ("c35", "w13"): 0.15,
}
"""Which dictionaries go together, and the part of all pipelines that have them: most have the same few."""
SAMPLE: Final = 0.25
"""The share of the reviews with which each pipeline's own model is trained."""
_HELD_OUT_SEED: Final = 1_000_003


@dataclass(frozen=True)
class Sentiment:
    """The pipelines of one scale: trained on so many reviews, which are written with so many words."""

    reviews: int
    vocabulary: int = VOCABULARY

    def combination(self, number: int) -> tuple[str, str]:
        """Return which dictionaries a pipeline has: names such as c35 (characters, 3 to 5) and w1."""
        names, shares = [*_COMBINATIONS], [*_COMBINATIONS.values()]
        return names[number] if number < len(names) else random.Random(number).choices(names, shares)[0]

    def pipeline(self, number: int) -> Pipeline:
        """Return a trained pipeline; it shares no object with any other, as if it had a file of its own."""
        chars, words = self.combination(number)
        union = FeatureUnion([(name, self.vectorizer(name)) for name in (chars, words)])
        return Pipeline([("features", union), ("model", self.model(number))])

    def train(self, numbers: Iterable[int]) -> None:
        """Train what is not yet kept of some pipelines, each of their dictionaries' counts being made once."""
        for number in sorted(numbers, key=self.combination):
            self.model(number)

    def vectorizer(self, name: str) -> TfidfVectorizer:
        """Return a fitted vectorizer, a new copy each time."""
        return kept(self._name(name), lambda: self._fitted(name))

    def model(self, number: int) -> LogisticRegression:
        """Return the trained logistic regression of one pipeline."""
        return kept(self._name(f"model-{number}"), lambda: self._trained(number))

    def held_out(self, count: int) -> Reviews:
        """Return reviews that training never saw."""
        return self._reviewer.write(count, _HELD_OUT_SEED)

    @property
    def name(self) -> str:
        return f"sentiment-{self.reviews}-{self.vocabulary}"

    def _name(self, part: str) -> str:
        return f"{self.name}/{part}"

    @cached_property
    def _reviewer(self) -> Reviewer:
        return Reviewer(self.vocabulary)

    @cached_property
    def training(self) -> Reviews:
        """The reviews that the pipelines are trained with."""
        return self._reviewer.write(self.reviews, seed=1)

    def _fitted(self, name: str) -> TfidfVectorizer:
        least, most = int(name[1]), int(name[-1])
        vectorizer = TfidfVectorizer(
            analyzer="char" if name[0] == "c" else "word", ngram_range=(least, most), max_features=_MOST_ENTRIES
        )
        return vectorizer.fit(self.training.texts)

    @cached_property
    def _matrices(self) -> dict[tuple[str, ...], Any]:
        return {}

    def _matrix(self, names: tuple[str, ...]) -> Any:
        """Return the features of all training reviews; those of the last names are kept for the next pipeline."""
        if names not in self._matrices:
            for name in names:
                if (name,) not in self._matrices:
                    self._matrices[name,] = self.vectorizer(name).transform(self.training.texts)
            for other in [key for key in self._matrices if len(key) > 1]:
                del self._matrices[other]
            self._matrices[names] = hstack([self._matrices[name,] for name in names], format="csr")
        return self._matrices[names]

    def _trained(self, number: int) -> LogisticRegression:
        rng = np.random.default_rng(number)
        matrix = self._matrix(self.combination(number))
        sample = rng.permutation(self.reviews)[: max(20, round(SAMPLE * self.reviews))]
        strength = float(10 ** rng.uniform(-0.5, 1.5))
        model = LogisticRegression(C=strength, solver="liblinear", dual=True, random_state=number)
        return model.fit(matrix[np.sort(sample)], self.training.labels[np.sort(sample)])
