"""A small pipeline of texts with a cascade of two of its words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.whitebox.pipelines import data_of, sentiment
from walle.whitebox.archive import Archive, Cascade, CascadeEvidence
from walle.whitebox.archive.contents import view
from walle.whitebox.cascades import join_prefix
from walle.whitebox.flour import Flour
from walle.whitebox.graph import Parameter, check_graph
from walle.whitebox.program import Program

EVIDENCE = CascadeEvidence("labels", 5000, 0.5, 0.9, 0.8995, 0.001, 0.95)


def cheap_words() -> Program:
    """A prefix that is sure of texts with several of one of its words."""
    words = Flour.text("review").lowercase().tokenize().word_ngrams(["aa", "bb"])
    return words.linear([[1.5, -1.5]], [0.1]).binary_classifier(["bad", "good"])


def cascaded(threshold: float = 0.8) -> Archive:
    """The text pipeline with that prefix."""
    whole, prefix = sentiment(), cheap_words()
    graph, outputs = join_prefix(whole.graph, prefix.graph)
    return Archive(graph, whole.statistics, check_graph(graph), Cascade(outputs, threshold, EVIDENCE))


def arrays_of(*programs: Program) -> Callable[[Parameter], np.ndarray]:
    """What reads the parameters of programs."""
    data = {digest: raw for each in programs for digest, raw in data_of(each).items()}
    return lambda parameter: view(data[parameter.digest], parameter)
