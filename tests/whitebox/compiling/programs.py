"""Pipelines with the operators that those of tests.whitebox.pipelines lack."""

from __future__ import annotations

import numpy as np

from tests.whitebox.pipelines import LETTERS, WORDS, Tree, letters, numbers, trees, weights, words
from walle.whitebox.flour import Flour
from walle.whitebox.program import Program


def hashed_text() -> Program:
    """Hashed n-grams of everything, with stop words, stripped accents and each norm."""
    note = Flour.text("note")
    plain = note.strip_accents("ascii").tokenize(stop_words=["ab", "cd"]).hash_word_ngrams(50, high=3, signed=False)
    marked = note.lowercase().strip_accents().collapse_spaces().hash_char_ngrams(97, 1, 3)
    inside = note.collapse_spaces().hash_char_ngrams(64, 2, 5, boundary=True, signed=False)
    every = plain.tfidf(sublinear=True).normalize("l1").concat(marked.normalize("max"), inside.binarize(1.0))
    return every.linear(weights(50, 97, 64), [0.5]).regression()


def words_inside() -> Program:
    """n-grams inside words, scaled without their center, and tokens that are whatever lies between spaces."""
    note = Flour.text("note")
    padded = [f" {word}" for word in WORDS] + [f"{word} " for word in WORDS] + [" a ", " ", "é", "  "]
    inside = note.lowercase().collapse_spaces().char_ngrams(padded, low=1, high=4, boundary=True)
    whole = note.tokenize("nonspace", shortest=1).word_ngrams([*WORDS, "À", "ab cd", "-"], high=2)
    scaled = inside.affine(divisor=np.full(len(padded), 2.0), factor=numbers(len(padded)), clip=(-0.5, 0.75))
    joined = scaled.concat(whole)
    return joined.select(list(range(0, len(padded) + 90, 3))).linear(numbers(98).reshape(1, -1)).regression()


def two_texts() -> Program:
    """Two text columns, a category and a number beside each other, sparse and dense together."""
    left, right = words(Flour.text("left")), letters(Flour.text("right"))
    sides = Flour.category("side").one_hot([f"side {index}" for index in range(40)], missing=3)
    size = Flour.number("size").affine(center=[1.0], divisor=[3.0])
    every = left.concat(right, sides, size).normalize()
    score = every.linear(weights(len(WORDS), len(LETTERS), 40, 1, outputs=3), numbers(3))
    return score.classifier(["one", "two", "three"])


def many_numbers() -> Program:
    """Functions, norms and votes over numbers; trees with several scores and some that are missing."""
    given = Flour.numbers("a", "b", "c")
    filled = given.impute([0.5, 1.0, 1.5])
    squares = filled.map("square").map("sqrt").map("log1p").map("exp").normalize("l1").tfidf([1.0, 2.0, 3.0])
    flags = filled.binarize(-1.0)
    ranks = Flour.number("d").ordinal([1.0, 2.5, 7.0], unknown_value=-1.0)
    forest = trees(*(Tree(index % 3, index / 7 - 1, (1.0 * index, -2.0, 0.5)) for index in range(19)))
    several = {**forest, "values": np.column_stack([forest["values"], -forest["values"] / 2])}
    scores = given.trees(**several, size=2, average=True)
    both = scores.sum(squares.concat(flags, ranks).linear(numbers(14).reshape(2, 7)), weights=[2.0, 0.5])
    first, second = scores.argmax(), both.argmin()
    third = both.linear(numbers(2).reshape(1, 2)).threshold(0.1)
    label = first.vote(second, third, weights=[1.0, 1.5, 0.7])
    return Program({"label": label, "probabilities": both.softmax(), "decision": both}, ("no", "yes"))
