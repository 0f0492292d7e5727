"""Rates of mobile links over time: recorded ones, or synthetic ones from a seed where no recording is at hand.

The recordings are of a 5G operator (Raca and others, "Beyond Throughput, The Next Generation: a 5G Dataset with Channel
and Context Metrics", ACM MMSys 2020). Uploads were not saturated in them, so that the download rate stands in for the
uplink's capacity. A synthetic trace follows their coarse shape: the logarithm of its rate is an autoregressive process
of a step a second, and at times there is no link at all.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.support.walle import ROOT

FOLDER: Final = "BENCH_TRACES"
"""Names the folder with recordings; without it, that of a shared folder beside the repository."""
_RECORDED: Final = ROOT.parent / "shared" / "data" / "5g"
_MEDIAN_KBPS: Final = 8_000.0
_SPREAD: Final = 1.3
"""The standard deviation of the natural logarithm of the rate."""
_KEPT: Final = 0.9
"""The correlation of the logarithm from one second to the next."""
_BREAKS: Final = 0.01
_BREAK_S: Final = 4.0
"""The share of seconds in which the link breaks, and the mean length of a break."""


@dataclass(frozen=True)
class Trace:
    """Rates in bits per second, one for each second, repeated for ever."""

    name: str
    rates: tuple[float, ...]

    def passed_at(self, start: float, size: int) -> float:
        """Return when the last of `size` bytes has passed that begin at `start`, in seconds of the trace."""
        left, at = size * 8.0, start
        while True:
            second = int(at)
            rate, until = self.rates[second % len(self.rates)], second + 1.0
            if rate * (until - at) >= left:
                return at + left / rate if left else at
            left -= rate * (until - at)
            at = until

    def shifted(self, seconds: int) -> Trace:
        """Return the trace from a later second on."""
        begin = seconds % len(self.rates)
        return Trace(f"{self.name}+{begin}", self.rates[begin:] + self.rates[:begin])


def traces(count: int, seed: int) -> list[Trace]:
    """Return as many traces, each from a second of its own on: recorded ones in turn, or else synthetic ones."""
    rng = np.random.default_rng(seed)
    recorded = recordings(Path(os.environ.get(FOLDER, _RECORDED)))
    if not recorded:
        return [synthetic(f"synthetic {number}", 900, rng) for number in range(count)]
    chosen = (recorded[number % len(recorded)] for number in range(count))
    return [trace.shifted(int(rng.integers(len(trace.rates)))) for trace in chosen]


def recordings(folder: Path) -> list[Trace]:
    """Return the recorded traces of a folder, by file name; none if it has none."""
    return [_recording(path) for path in sorted(folder.glob("*.csv"))]


def _recording(path: Path) -> Trace:
    """Read one recording. A second without a sample, or in which nothing was downloaded, has the rate before it."""
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["state"] == "D" and row["dl_kbps"]]
    rates: list[float] = []
    for row in rows:
        second, rate = int(float(row["t_s"])), float(row["dl_kbps"]) * 1000.0
        rates += [rates[-1] if rates else rate] * (second - len(rates))
        rates.append(rate)
    if not any(rates):
        raise ValueError(f"expected samples of a download in {path.name}, found none")
    return Trace(path.stem, tuple(rates))


def synthetic(name: str, seconds: int, rng: np.random.Generator) -> Trace:
    """Draw a trace of mobile broadband: a median of 8 Mbit/s, a broad spread, and breaks of some seconds."""
    rates: list[float] = []
    level, broken = float(rng.normal()), 0
    for _ in range(seconds):
        level = _KEPT * level + (1 - _KEPT**2) ** 0.5 * float(rng.normal())
        if not broken and rng.random() < _BREAKS:
            broken = int(rng.geometric(1 / _BREAK_S))
        rates.append(0.0 if broken else 1000.0 * _MEDIAN_KBPS * exp(_SPREAD * level))
        broken = max(0, broken - 1)
    return Trace(name, tuple(rates))


def described(chosen: Sequence[Trace]) -> str:
    """Return in words what the traces are."""
    mbps = np.concatenate([trace.rates for trace in chosen]) / 1e6
    low, median, high = np.percentile(mbps, [10, 50, 90])
    kind = "synthetic" if chosen[0].name.startswith("synthetic") else "recorded"
    return f"{len(chosen)} {kind} links, {low:.2g}, {median:.2g} and {high:.2g} Mbit/s at p10, p50 and p90"
