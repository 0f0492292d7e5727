"""How right the operators are, in percent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from road import LANES

Seen = Sequence[tuple[int, int, int]]
"""The vehicles of a frame: lane, column, number."""


def detect(envelopes: Sequence[Any], truths: Sequence[Seen]) -> float:
    """Return the F1 score of the boxes; one is right within a column."""
    right = boxes = there = 0
    for each in envelopes:
        _, found = each.records[0]
        real = [(LANES[lane], column) for lane, column, _ in truths[each.number]]
        right += sum(any(top == row and abs(column - at) <= 1 for row, at in real) for top, column in found)
        boxes, there = boxes + len(found), there + len(real)
    return 200 * right / (boxes + there)


def reid(envelopes: Sequence[Any], truths: Sequence[Seen]) -> float:
    """Return the F1 score of the vehicles recognised in each frame."""
    right = found = there = 0
    for each in envelopes:
        real, seen = {number for _, _, number in truths[each.number]}, {number for _, number, _ in each.records}
        right, found, there = right + len(real & seen), found + len(seen), there + len(real)
    return 200 * right / (found + there)


def same(envelopes: Sequence[Any], truths: Sequence[Seen]) -> float:
    """Return the F1 score of the vehicles recognised in each lane of each frame."""
    right = found = there = 0
    for each in envelopes:
        real = {(lane, number) for lane, _, number in truths[each.number]}
        seen = {(placed[1], recognised[1]) for recognised, placed in each.records}
        right, found, there = right + len(real & seen), found + len(seen), there + len(real)
    return 200 * right / (found + there)


def count(envelopes: Sequence[Any], truths: Sequence[Seen]) -> float:
    """Return 100 less the relative error of the counts, in percent."""
    error = there = 0
    for each in envelopes:
        window = truths[each.number : each.number + each.items]
        counts = dict(each.records)
        for lane in range(len(LANES)):
            real = len({number for seen in window for other, _, number in seen if other == lane})
            error, there = error + abs(counts.get(lane, 0) - real), there + real
    return 100 - 100 * error / there
