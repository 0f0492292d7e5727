"""Simulated devices of a release: what counts against them, when they are selected, and when they report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from benchmarks.support.ceilings import Numbers
from walle.release.evidence import ArmCounts
from walle.release.grid import RUN_TIMES, VALUES

FLEET: Final = 6_000
SHARES: Final = (10_000, 100_000, 500_000, 950_000)
CONTROL: Final = 50_000
DRAWING, REPORTING, SILENCE = 0.5, 0.05, 0.3
"""Times in a stage of length 1: the end of the selection, the usual delay of reports, and the silence timeout."""
DRAWN, REPORTED, FAILED, DUE, SILENT, SLOW, SLOWER = range(7)
LOW: Final = SLOWER + len(RUN_TIMES)
COLUMNS: Final = LOW + len(VALUES)
USUAL: Final = 0.01
"""How often the former version fails."""
_SIGMA: Final = 0.5
_SORTED: Final = np.sort(np.random.default_rng(0).lognormal(0, _SIGMA, 400_000))

Shift = Literal["", "tail", "middle", "bimodal", "slower"]


def usual_time(share: float) -> float:
    """Return the run time that a share of the devices exceed with the former version."""
    return float(np.quantile(_SORTED, 1 - share))


def run_times(shift: Shift, size: int, rng: np.random.Generator) -> Numbers:
    """Return run times: as before, or with a shift of a part of the distribution.

    `tail`: 3 % of the devices take ten times as long. `middle`: between the 0.2 and 0.8 quantile, runs take 1.3 times
    as long, but stay below the 0.85 quantile. `bimodal`: 10 % of the devices take three times as long. `slower`: 30 %
    instead of 10 % take longer than the 0.9 quantile, no matter by how much.
    """
    took = rng.lognormal(0, _SIGMA, size)
    chance = rng.random(size)
    if shift == "tail":
        took[chance < 0.03] *= 10
    elif shift == "middle":
        inside = (took > usual_time(0.8)) & (took < usual_time(0.2))
        took[inside] = np.minimum(took[inside] * 1.3, usual_time(0.15))
    elif shift == "bimodal":
        took[chance < 0.1] *= 3
    elif shift == "slower":
        pushed = chance < 2 / 9
        took[pushed] = rng.choice(_SORTED[int(0.9 * len(_SORTED)) :], int(pushed.sum()))
    return took


_TIMES: Final = np.array([usual_time(point.share) for point in RUN_TIMES])
_LEVELS: Final = np.array([point.share for point in VALUES])


@dataclass(frozen=True)
class Behaviour:
    """The probabilities with which a device of an arm does what counts against it; a silent one reports nothing.

    It fails like the former version before stage `failed_from`. `shift` is what became of run times; `low` the share
    below the median of the metric before.
    """

    failed: float = 0.01
    failed_from: int = 0
    silent: float = 0.05
    slow: float = 0.1
    shift: Shift = ""
    low: float = 0.5

    def of_devices(self, size: int, rng: np.random.Generator) -> dict[str, Numbers]:
        """Return what devices do, however often they report."""
        silent, failing, slowness, lowness, value = rng.random((5, size))
        value = np.where(lowness < 2 * self.low - 1, value / 2, value)
        return {
            "silent": silent < self.silent,
            "failed": failing < self.failed,
            "failed_before": failing < USUAL,
            "slow": slowness < self.slow,
            "slower": run_times(self.shift, size, rng)[:, None] > _TIMES,
            "low": value[:, None] < _LEVELS,
            "failed_from": np.full(size, self.failed_from),
        }


def arrivals(
    stages: Numbers, did: dict[str, Numbers], outage: tuple[float, int], rng: np.random.Generator
) -> tuple[Numbers, Numbers]:
    """Return times and increments of the selection, the report and the detected silence of devices in these stages."""
    size, (broken, since) = len(stages), outage
    drawn = stages + DRAWING * rng.random(size)
    reported = drawn + rng.exponential(REPORTING, size)
    tells = ~did["silent"]
    fails = np.where(stages >= did["failed_from"], did["failed"], did["failed_before"]) | (
        (broken > 0) & (reported >= since) & (rng.random(size) < broken)
    )
    rows = np.zeros((3, size, COLUMNS), np.int32)
    rows[0, :, DRAWN] = 1
    rows[1, :, REPORTED] = tells
    rows[1, :, FAILED] = tells & fails
    rows[1, :, SLOW] = tells & did["slow"]
    rows[1, :, SLOWER:LOW] = tells[:, None] & did["slower"]
    rows[1, :, LOW:] = tells[:, None] & did["low"]
    rows[2, :, DUE] = 1
    rows[2, :, SILENT] = did["silent"]
    return np.stack([drawn, reported, drawn + SILENCE]), rows


def arm_of(row: Numbers) -> ArmCounts:
    """Return the counts of an arm from their columns."""
    drawn, reported, failed, due, silent, slow, *beyond = row.tolist()
    slower = {f"slower{point.suffix}": count for point, count in zip(RUN_TIMES, beyond, strict=False)}
    low = {f"low{point.suffix}": count for point, count in zip(VALUES, beyond[len(RUN_TIMES) :], strict=True)}
    return ArmCounts(drawn, drawn, reported, failed, due, silent, reported, slow, measured=reported, **slower, **low)
