"""Collapsing of repeated parts: a list of many nodes becomes one that can be read, with how often each part comes."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

MAX_PERIOD: Final = 100
"""The most items of a part that is looked for."""
LEAST_SAVED: Final = 3
"""How many items a repetition has to save."""


@dataclass(frozen=True, slots=True)
class Part:
    """`length` items from `begin` on, which come `times` times, one after the other."""

    begin: int
    length: int
    times: int

    @property
    def end(self) -> int:
        """The index behind the last repetition."""
        return self.begin + self.length * self.times

    @property
    def saved(self) -> int:
        """How many items need not be shown."""
        return self.length * (self.times - 1)


def collapsed(items: Sequence[Hashable]) -> list[Part]:
    """Return all items in parts, in their order: repetitions that save the most, and what is between them."""
    chosen: list[Part] = []
    for part in sorted(_repeated(items), key=lambda part: (-part.saved, part.length, part.begin)):
        at = bisect(chosen, part.begin, key=lambda each: each.begin)
        if (at == 0 or chosen[at - 1].end <= part.begin) and (at == len(chosen) or part.end <= chosen[at].begin):
            chosen.insert(at, part)
    return list(_with_rest(chosen, len(items)))


def _repeated(items: Sequence[Hashable]) -> Iterator[Part]:
    """Yield for each length the parts that come several times in a row, as often as they do."""
    numbers: dict[Hashable, int] = {}
    codes = [numbers.setdefault(item, len(numbers)) for item in items]
    for length in range(1, min(MAX_PERIOD, len(codes) // 2) + 1):
        same = 0
        for at in range(len(codes) - length + 1):
            if at + length < len(codes) and codes[at] == codes[at + length]:
                same += 1
                continue
            part = Part(at - same, length, same // length + 1)
            if part.saved >= LEAST_SAVED:
                yield part
            same = 0


def _with_rest(parts: Sequence[Part], count: int) -> Iterator[Part]:
    at = 0
    for part in parts:
        if at < part.begin:
            yield Part(at, part.begin - at, 1)
        yield part
        at = part.end
    if at < count:
        yield Part(at, count - at, 1)
