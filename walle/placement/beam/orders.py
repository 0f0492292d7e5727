"""Topological orders of a workflow: assignment by one operator after another depends on which comes first."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice

_ENUMERATED = 64
"""If there are at most so many orders, they are listed and drawn from; otherwise each is drawn step by step."""


def topological_orders(
    inputs: Sequence[Sequence[int]], at_most: int, generator: random.Random
) -> list[tuple[int, ...]]:
    """Return up to `at_most` different orders in which each operator stands behind its inputs.

    `inputs` are the indices of the operators before each, by operator. All orders are returned if they are few enough,
    else some of them, drawn at random.
    """
    listed = list(islice(_orders((), inputs), _ENUMERATED + 1))
    if len(listed) <= at_most:
        return listed
    if len(listed) <= _ENUMERATED:
        return generator.sample(listed, at_most)
    drawn = dict.fromkeys(_drawn(inputs, generator) for _ in range(4 * at_most))
    return list(islice(drawn, at_most))


def _ready(done: Sequence[int], inputs: Sequence[Sequence[int]]) -> list[int]:
    return [each for each in range(len(inputs)) if each not in done and all(one in done for one in inputs[each])]


def _orders(done: tuple[int, ...], inputs: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    if len(done) == len(inputs):
        yield done
    for each in _ready(done, inputs):
        yield from _orders((*done, each), inputs)


def _drawn(inputs: Sequence[Sequence[int]], generator: random.Random) -> tuple[int, ...]:
    done: list[int] = []
    while len(done) < len(inputs):
        done.append(generator.choice(_ready(done, inputs)))
    return tuple(done)
