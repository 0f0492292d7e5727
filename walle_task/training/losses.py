"""Losses: what is added to a graph in order to train it. Each is a mean over the records of a batch."""

from __future__ import annotations

from walle_task.tensor.building import GraphBuilder


def mean_squared_error(graph: GraphBuilder, predicted: str, expected: str, axes: int = 2) -> str:
    """Add the mean of (predicted - expected)^2 over tensors of some axes; return the loss."""
    return graph.add("reduce_mean", graph.add("squared_difference", predicted, expected), axes=tuple(range(axes)))


def cross_entropy(graph: GraphBuilder, scores: str, targets: str) -> str:
    """Add the mean of -sum(target * log softmax(score)) over records; return the loss.

    Scores are floats of shape (records, classes), and targets probabilities of the same shape, such as of `one_hot`.
    """
    chosen = graph.add("multiply", graph.add("log_softmax", scores, axis=-1), targets)
    each = graph.add("negate", graph.add("reduce_sum", chosen, axes=(-1,)))
    return graph.add("reduce_mean", each, axes=(0,))


def binary_cross_entropy(graph: GraphBuilder, scores: str, targets: str) -> str:
    """Add the mean over records of softplus(score) - target * score, which is the cross entropy of sigmoid(score).

    Scores are floats of shape (records,), and targets 0, 1 or probabilities of the same shape; returns the loss.
    """
    each = graph.add("subtract", graph.add("softplus", scores), graph.add("multiply", targets, scores))
    return graph.add("reduce_mean", each, axes=(0,))
