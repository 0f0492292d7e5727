"""Pipelines written in Python: a chain of transformations that is nothing but a graph until a plan is asked for.

    review = Flour.text("review").lowercase()
    words = review.tokenize().word_ngrams(["good", "bad", "very good"], high=2)
    letters = review.collapse_spaces().char_ngrams(["goo", "bad"], low=3, high=3)
    program = words.concat(letters).linear([[1.0, -1.0, 2.0, 0.5, -0.5]]).binary_classifier(["bad", "good"])
    plan = program.plan()

Each type of value has a class of its own with the transformations that it can go through, so that others do not come up
while one writes. A chain that is used twice is one transformation. `seen` adds what training saw of a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from walle.whitebox.archive.document import ColumnStatistics, VectorStatistics
from walle.whitebox.graph import ClassName, Column
from walle.whitebox.ngram_table import build_table, greatest_column
from walle.whitebox.program import Chain, Program

Numbers = npt.ArrayLike
Dictionary = Sequence[str] | npt.NDArray[np.uint64]
"""The entries in the order of their columns, or a table of them that is ready (`walle.whitebox.ngram_table`)."""


class LookupChain(Chain):
    """What may stand for a category: a text of a dictionary, or a number of a list."""

    def one_hot(
        self,
        categories: Sequence[str] | Sequence[float],
        *,
        columns: Sequence[int] | None = None,
        missing: int | None = None,
        unknown_column: int | None = None,
        refuse_unknown: bool = False,
    ) -> VectorChain:
        """Make a vector with a one at the place of the category, as `columns` say, or its place in `categories`."""
        used = [
            *(range(len(categories)) if columns is None else columns),
            -1 if unknown_column is None else unknown_column,
        ]
        used.append(missing if missing is not None and columns is None else -1)
        settings = {"missing": missing, "unknown_column": unknown_column, "refuse_unknown": refuse_unknown}
        arrays = _categories(categories) | _arrays("<i4", columns=columns)
        return VectorChain("one_hot", (self,), {"size": max(used) + 1, **settings}, arrays)

    def ordinal(
        self,
        categories: Sequence[str] | Sequence[float],
        *,
        codes: Numbers | None = None,
        missing: int | None = None,
        unknown_value: float | None = None,
        refuse_unknown: bool = False,
    ) -> VectorChain:
        """Make a number of the category: of `codes`, or its place in `categories`."""
        settings = {"missing": missing, "unknown_value": unknown_value, "refuse_unknown": refuse_unknown}
        return VectorChain("ordinal", (self,), settings, _categories(categories) | _arrays(codes=codes))


class CategoryChain(LookupChain):
    """A text that is one of a few, or missing."""

    def fill(self, value: str) -> CategoryChain:
        """Put a text in the place of a missing category."""
        return CategoryChain("fill", (self,), {"value": value})


class TextChain(Chain):
    """A text of Unicode characters."""

    def lowercase(self) -> TextChain:
        """Make all characters lower-case letters."""
        return TextChain("lowercase", (self,))

    def strip_accents(self, form: str = "unicode") -> TextChain:
        """Remove accents and other marks; with the form `ascii`, all that is not ASCII."""
        return TextChain("strip_accents", (self,), {"form": form})

    def collapse_spaces(self) -> TextChain:
        """Make each run of two or more white spaces one space."""
        return TextChain("collapse_spaces", (self,))

    def tokenize(
        self, characters: str = "word", shortest: int = 2, stop_words: Sequence[str] | None = None
    ) -> TokensChain:
        """Split into the longest runs of `word` characters, or of all that are `nonspace`."""
        arrays = {} if stop_words is None else {"stop_words": build_table(stop_words)}
        return TokensChain("tokenize", (self,), {"characters": characters, "shortest": shortest}, arrays)

    def char_ngrams(
        self, dictionary: Dictionary, low: int = 1, high: int = 1, *, boundary: bool = False, size: int | None = None
    ) -> VectorChain:
        """Count the n-grams of characters of a dictionary; `boundary` takes them from words."""
        settings = {"low": low, "high": high, "boundary": boundary, "size": size or _size(dictionary)}
        return VectorChain("char_ngrams", (self,), settings, {"table": _table(dictionary)})

    def hash_char_ngrams(
        self, size: int, low: int = 1, high: int = 1, *, boundary: bool = False, signed: bool = True
    ) -> VectorChain:
        """Count n-grams of characters at places given by their hash."""
        settings = {"low": low, "high": high, "boundary": boundary, "size": size, "signed": signed}
        return VectorChain("hash_char_ngrams", (self,), settings)

    def seen(self, bytes_mean: float, bytes_max: int) -> Self:
        """Say what training saw of a text column: the bytes of its values in UTF-8."""
        return replace(self, statistics=ColumnStatistics(bytes_mean, bytes_max))


class TokensChain(Chain):
    """A list of texts."""

    def word_ngrams(
        self, dictionary: Dictionary, low: int = 1, high: int = 1, *, size: int | None = None
    ) -> VectorChain:
        """Count the n-grams of tokens of a dictionary; they are tokens joined by a space."""
        settings = {"low": low, "high": high, "size": size or _size(dictionary)}
        return VectorChain("word_ngrams", (self,), settings, {"table": _table(dictionary)})

    def hash_word_ngrams(self, size: int, low: int = 1, high: int = 1, *, signed: bool = True) -> VectorChain:
        """Count n-grams of tokens at places given by their hash."""
        return VectorChain("hash_word_ngrams", (self,), {"low": low, "high": high, "size": size, "signed": signed})


class VectorChain(LookupChain):
    """Numbers; a number is a vector of one."""

    def seen(self, nonzeros_mean: float, nonzeros_max: int) -> Self:
        """Say how many numbers other than zero training saw in the vector."""
        return replace(self, statistics=VectorStatistics(nonzeros_mean, nonzeros_max))

    def concat(self, *others: VectorChain) -> VectorChain:
        """Put vectors behind this one."""
        return VectorChain("concat", (self, *others))

    def select(self, indices: Sequence[int]) -> VectorChain:
        """Take the numbers at some places."""
        return VectorChain("select", (self,), {}, _arrays("<i4", indices=indices))

    def impute(
        self, values: Numbers, *, indicated: Sequence[int] | None = None, missing: float | None = None
    ) -> VectorChain:
        """Put numbers in the place of those that are missing; None is NaN."""
        arrays = _arrays(values=values) | _arrays("<i4", indicated=indicated)
        return VectorChain("impute", (self,), {"missing": missing}, arrays)

    def affine(
        self,
        *,
        center: Numbers | None = None,
        divisor: Numbers | None = None,
        factor: Numbers | None = None,
        offset: Numbers | None = None,
        clip: tuple[float, float] | None = None,
    ) -> VectorChain:
        """Take the center off, divide, multiply, add the offset, and clip, in this order, whatever is given."""
        settings = {"clip": None if clip is None else list(clip)}
        arrays = _arrays(center=center, divisor=divisor, factor=factor, offset=offset)
        return VectorChain("affine", (self,), settings, arrays)

    def binarize(self, threshold: float = 0.0) -> VectorChain:
        """Make each number above the threshold one, the others zero."""
        return VectorChain("binarize", (self,), {"threshold": threshold})

    def map(self, function: str) -> VectorChain:
        """Apply a function to each number (`walle.whitebox.operators.numbers.FUNCTIONS`)."""
        return VectorChain("map", (self,), {"function": function})

    def tfidf(self, idf: Numbers | None = None, *, sublinear: bool = False) -> VectorChain:
        """Multiply counts of terms, or one more than their logarithm, with the inverse document frequency."""
        return VectorChain("tfidf", (self,), {"sublinear": sublinear}, _arrays(idf=idf))

    def normalize(self, norm: str = "l2") -> VectorChain:
        """Divide by the norm: `l1`, `l2` or `max`."""
        return VectorChain("normalize", (self,), {"norm": norm})

    def pca(self, components: Numbers, mean: Numbers | None = None, divisor: Numbers | None = None) -> VectorChain:
        """Project on components, each a row."""
        return VectorChain("pca", (self,), {}, _arrays(components=components, mean=mean, divisor=divisor))

    def kmeans(self, centers: Numbers) -> VectorChain:
        """Measure the distance from each center, each a row."""
        return VectorChain("kmeans", (self,), {}, _arrays(centers=centers))

    def linear(self, weights: Numbers, intercept: Numbers | None = None) -> VectorChain:
        """Multiply with weights, a row for each score, and add the intercept."""
        return VectorChain("linear", (self,), {}, _arrays(weights=weights, intercept=intercept))

    def tree_features(
        self, nodes: Numbers, roots: Numbers, depths: Numbers, columns: Numbers, *, size: int, single: bool = False
    ) -> VectorChain:
        """Make a vector with a one for each leaf that is reached; docs/pipeline-format.md says what trees are."""
        arrays = _arrays("<i4", nodes=nodes, roots=roots, depths=depths, columns=columns)
        return VectorChain("tree_features", (self,), {"size": size, "single": single}, arrays)

    def trees(
        self,
        nodes: Numbers,
        roots: Numbers,
        depths: Numbers,
        values: Numbers,
        *,
        size: int,
        targets: Numbers | None = None,
        base: Numbers | None = None,
        average: bool = False,
        single: bool = False,
    ) -> VectorChain:
        """Add up the values of the leaves that are reached; docs/pipeline-format.md says what trees are."""
        arrays = _arrays("<i4", nodes=nodes, roots=roots, depths=depths, targets=targets)
        settings = {"size": size, "average": average, "single": single}
        return VectorChain("trees", (self,), settings, arrays | _arrays(values=values, base=base))

    def sum(
        self, *others: VectorChain, weights: Sequence[float] | None = None, intercept: Numbers | None = None
    ) -> VectorChain:
        """Add vectors of the same size, each times its weight, and the intercept."""
        settings = {"weights": None if weights is None else list(weights)}
        return VectorChain("sum", (self, *others), settings, _arrays(intercept=intercept))

    def sigmoid(self) -> VectorChain:
        """Apply the logistic function to each score."""
        return VectorChain("sigmoid", (self,))

    def softmax(self) -> VectorChain:
        """Make probabilities of scores."""
        return VectorChain("softmax", (self,))

    def complement(self) -> VectorChain:
        """Make the probabilities of two classes of that of the second."""
        return VectorChain("complement", (self,))

    def argmax(self) -> LabelChain:
        """Take the place of the greatest score."""
        return LabelChain("argmax", (self,))

    def argmin(self) -> LabelChain:
        """Take the place of the least score."""
        return LabelChain("argmin", (self,))

    def threshold(self, threshold: float = 0.0) -> LabelChain:
        """Take the second class where the score is above the threshold."""
        return LabelChain("threshold", (self,), {"threshold": threshold})

    def binary_classifier(self, classes: Sequence[ClassName]) -> Program:
        """End with a score as the decision of a logistic model between two classes."""
        outputs = {"label": self.threshold(), "probabilities": self.sigmoid().complement(), "decision": self}
        return Program(outputs, tuple(classes))

    def classifier(self, classes: Sequence[ClassName]) -> Program:
        """End with scores as the decision of a logistic model between several classes."""
        outputs = {"label": self.argmax(), "probabilities": self.softmax(), "decision": self}
        return Program(outputs, tuple(classes))

    def regression(self) -> Program:
        """End with the vector as the predicted value."""
        return Program({"value": self})


class LabelChain(Chain):
    """The index of a class."""

    def vote(self, *others: LabelChain, weights: Sequence[float] | None = None) -> LabelChain:
        """Take the label that most have, or those of the greatest weight."""
        return LabelChain("vote", (self, *others), {"weights": None if weights is None else list(weights)})


class Flour:
    """Where chains begin: the columns of a record."""

    @staticmethod
    def text(name: str) -> TextChain:
        """Begin with a column of texts."""
        return TextChain("", column=Column(name, "text"))

    @staticmethod
    def category(name: str) -> CategoryChain:
        """Begin with a column of texts of which there are few, and which may be missing."""
        return CategoryChain("", column=Column(name, "category"))

    @staticmethod
    def number(name: str) -> VectorChain:
        """Begin with a column of numbers, which may be missing."""
        return VectorChain("", column=Column(name, "number"))

    @classmethod
    def numbers(cls, *names: str) -> VectorChain:
        """Begin with several columns of numbers, one behind the other."""
        first, *others = (cls.number(name) for name in names)
        return first.concat(*others)


def _arrays(dtype: str = "<f8", /, **values: Numbers | None) -> dict[str, npt.NDArray[Any]]:
    return {name: np.asarray(each, dtype) for name, each in values.items() if each is not None}


def _table(dictionary: Dictionary) -> npt.NDArray[np.uint64]:
    return dictionary if isinstance(dictionary, np.ndarray) else build_table(dictionary)


def _size(dictionary: Dictionary) -> int:
    return greatest_column(dictionary) + 1 if isinstance(dictionary, np.ndarray) else len(dictionary)


def _categories(categories: Sequence[str] | Sequence[float]) -> dict[str, npt.NDArray[Any]]:
    texts = [each for each in categories if isinstance(each, str)]
    return {"table": build_table(texts)} if texts else _arrays(values=categories)
