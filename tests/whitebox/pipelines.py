"""Pipelines for tests, small but of every kind, and records for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from tests.whitebox.reference import predict
from walle.whitebox.flour import Flour, TextChain, VectorChain
from walle.whitebox.graph import Graph
from walle.whitebox.oven.pushing import LONG
from walle.whitebox.program import Program

WORDS = [f"{first}{second}" for first in "abcdefghij" for second in "abcdefghij"]
LETTERS = [f"{first}{second}" for first in "abcdefghij " for second in "abcdefghij "]
assert len(WORDS) > LONG < len(LETTERS)


def data_of(program: Program) -> dict[str, bytes]:
    """The bytes of a program's arrays by digest."""
    return {digest: array.tobytes() for digest, array in program.arrays.items()}


def numbers(count: int, seed: int = 0) -> npt.NDArray[np.float64]:
    """Numbers that look trained."""
    return np.random.default_rng([seed, count]).normal(size=count)


def words(review: TextChain) -> VectorChain:
    return review.lowercase().tokenize().word_ngrams(WORDS, high=2)


def letters(review: TextChain) -> VectorChain:
    return review.lowercase().collapse_spaces().char_ngrams(LETTERS, low=2, high=2)


def weights(*sizes: int, outputs: int = 1) -> npt.NDArray[np.float64]:
    """The weights of linear models, a third of them zero."""
    found = numbers(sum(sizes) * outputs, 3).reshape(outputs, -1)
    return np.where(found < -0.43, 0.0, found)


def sentiment() -> Program:
    """The text pipeline of the thesis, in the form of scikit-learn: each branch has weights and a norm of its own."""
    review = Flour.text("review")
    left = letters(review).tfidf(numbers(len(LETTERS), 1)).normalize()
    right = words(review).tfidf(numbers(len(WORDS), 2), sublinear=True).normalize()
    score = left.concat(right).linear(weights(len(LETTERS), len(WORDS)), [0.25])
    return score.binary_classifier(["bad", "good"])


def sentiment_normalized_at_the_end(classes: int = 3) -> Program:
    """The text pipeline with one norm over both branches, and several classes."""
    review = Flour.text("review")
    both = letters(review).concat(words(review)).tfidf(numbers(len(LETTERS) + len(WORDS))).normalize()
    score = both.linear(weights(len(LETTERS), len(WORDS), outputs=classes), numbers(classes))
    return score.classifier(list(range(classes)))


@dataclass(frozen=True)
class Tree:
    """A tree of two comparisons and three leaves, as rows of docs/pipeline-format.md."""

    feature: int
    threshold: float
    leaves: tuple[float, float, float]

    def rows(self, first: int) -> list[tuple[float, int, int]]:
        inner, inf = first + 1, np.inf
        return [
            (self.threshold, self.feature, inner),
            (self.threshold - 1, self.feature, inner + 2),
            (inf, 0, inner + 1),
            (inf, 0, inner + 2),
            (inf, 0, inner + 3),
        ]


def trees(*given: Tree) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an ensemble."""
    rows = [row for index, tree in enumerate(given) for row in tree.rows(5 * index)]
    nodes = np.zeros((len(rows), 4), "<i4")
    nodes[:, :2] = np.array([row[0] for row in rows], "<f8").view("<i4").reshape(-1, 2)
    nodes[:, 2:] = [row[1:] for row in rows]
    values = [value for tree in given for value in (0.0, 0.0, tree.leaves[0], *tree.leaves[1:])]
    return {
        "nodes": nodes,
        "roots": np.arange(len(given), dtype="<i4") * 5,
        "depths": np.full(len(given), 2, "<i4"),
        "values": np.array(values).reshape(-1, 1),
    }


def attendees() -> Program:
    """A structured pipeline: numbers and categories, PCA, k-means, features of trees, an ensemble."""
    dense = Flour.numbers("age", "distance", "price").impute([30.0, 2.5, 9.0], indicated=[0])
    scaled = dense.affine(center=numbers(4, 5), divisor=[1.0, 2.0, 4.0, 1.0])
    city = Flour.category("city").fill("none").one_hot(["none", "Seoul", "Zürich"])
    day = Flour.number("day").one_hot([1.0, 2.0, 6.5], missing=0)
    forest = trees(Tree(0, 0.5, (1.0, 2.0, 3.0)), Tree(2, -0.25, (-1.0, 0.5, 4.0)))
    leaves = np.array([-1, -1, 0, 1, 2, -1, -1, 3, 4, 5])
    shape = {name: forest[name] for name in ("nodes", "roots", "depths")}
    features = [
        scaled.pca(numbers(8, 6).reshape(2, 4), numbers(4, 7)),
        scaled.kmeans(numbers(12, 8).reshape(3, 4)),
        scaled.tree_features(**shape, columns=leaves, size=6),
        city,
        day,
    ]
    return scaled.concat(*features).trees(**forest, size=1, base=[0.1]).regression()


PROGRAMS = (sentiment, sentiment_normalized_at_the_end, attendees)

TEXT = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from([*WORDS, "ÀÈ", "", " ", "\t", "Ab", "cD"]), max_size=20).map(" ".join),
)
VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "text": TEXT,
    "number": st.none() | st.floats(-100, 100) | st.sampled_from([1.0, 2.0, 6.5]),
    "category": st.none() | st.sampled_from(["Seoul", "Zürich", "Oslo", ""]),
}


def records(graph: Graph) -> st.SearchStrategy[dict[str, Any]]:
    """Records of the columns of a graph."""
    return st.fixed_dictionaries({each.name: VALUES[each.type] for each in graph.columns})


def assert_same(before: Graph, after: Graph, data: Mapping[str, bytes], record: Mapping[str, Any]) -> None:
    """Check that two graphs predict the same for a record."""
    expected, found = predict(before, data, record), predict(after, data, record)
    assert expected.keys() == found.keys()
    for name, value in expected.items():
        if name == "label":
            assert value == found[name]
        else:
            np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-12)
