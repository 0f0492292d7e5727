"""The declaration of a benchmark, the scale of its run, and the meaning of its exit status. Begin at `Benchmark`.

The environment determines the scale of a run:

- nothing: the stated scale, which the targets are about;
- BENCH_SCALE=tiny: a few seconds that prove only that the benchmark works; CI runs every benchmark so;
- BENCH_SCALE=0.1: a tenth of the stated scale, in every dimension, and never less than the tiny one;
- BENCH_<DIMENSION>, such as BENCH_DEVICES=1000: this dimension alone.

A run in which any dimension is below the stated scale is not judged: whatever it measured, no target is met.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from rich.console import Console

from benchmarks.support.outcome import Target, print_outcome

TINY: Final = "tiny"
_VARIABLE: Final = "BENCH_SCALE"


class Status(IntEnum):
    """Exit statuses of benchmarks; 1 is also that of a benchmark that could not be measured."""

    MET = 0
    MISSED = 1
    NOT_JUDGED = 3


@dataclass(frozen=True)
class Dimension:
    """The size of one dimension: the one that the targets state, and one that shows that the benchmark works."""

    stated: float
    tiny: float


@dataclass(frozen=True)
class Benchmark:
    """The claims of a benchmark (`targets`), the scale that they require (`scale`), and its assumptions.

    `assumptions` are printed beside the result: what was not measured, was made up, or shares the machine. Every module
    of `benchmarks` has one under the name BENCHMARK, which tests read.
    """

    name: str
    scale: Mapping[str, Dimension]
    targets: tuple[Target, ...]
    assumptions: tuple[str, ...]

    def size(self, dimension: str) -> int:
        """Return the size of one dimension in this run, as an integer."""
        return round(self.amount(dimension))

    def amount(self, dimension: str) -> float:
        """Return the size of one dimension in this run, such as seconds, as a float."""
        size = self.scale[dimension]
        if own := os.environ.get(f"BENCH_{dimension.upper()}"):
            return float(own)
        return size.tiny if is_tiny() else max(size.tiny, size.stated * fraction())

    def sizes(self) -> dict[str, float]:
        """The size of every dimension in this run."""
        return {dimension: self.amount(dimension) for dimension in self.scale}

    @property
    def judged(self) -> bool:
        """Whether this run is large enough for its targets."""
        return all(self.amount(dimension) >= size.stated for dimension, size in self.scale.items())

    def announce(self) -> None:
        """Print the scale before anything is measured."""
        sizes = ", ".join(f"{dimension} {amount:,.10g}" for dimension, amount in self.sizes().items())
        judged = "the stated scale" if self.judged else "below the stated scale, so nothing will be judged"
        Console(highlight=False).print(f"{self.name}: {sizes} ({judged})")

    def judge(self, figures: Mapping[str, float], *, left_out: tuple[str, ...] = ()) -> int:
        """Print the figures beside the targets; return the exit status.

        A target whose figure is `left_out`, because only a part was requested, leaves the run without judgement.
        """
        judged = self.judged and not left_out
        targets = [target for target in self.targets if target.figure not in left_out]
        stated = {dimension: size.stated for dimension, size in self.scale.items()}
        met = print_outcome(
            self.name,
            figures,
            targets,
            judged=judged,
            scale=self.sizes(),
            stated_scale=stated,
            assumptions=self.assumptions,
            left_out=left_out,
        )
        if not judged:
            return Status.NOT_JUDGED
        return Status.MET if met else Status.MISSED


def is_tiny() -> bool:
    """Return whether this run should only show that the benchmark works."""
    return os.environ.get(_VARIABLE) == TINY


def fraction() -> float:
    """Return the requested part of the stated scale; exit unless it is a number above 0 or `tiny`."""
    text = os.environ.get(_VARIABLE, "1")
    if text == TINY:
        return 0.0
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share < float("inf"):
        raise SystemExit(f"expected {_VARIABLE} to be a number above 0 or {TINY!r}, found {text!r}")
    return share


def needs_idle_machine() -> bool:
    """Return whether figures of this run could be judged, so that it must wait for the machine to become idle."""
    return fraction() >= 1
