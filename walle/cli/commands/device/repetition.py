"""The figures of many runs of one task: how long cold and warm runs take, what is kept between them, what failed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from walle.cli import humanize
from walle.cli.output import draw, facts, say, table

if TYPE_CHECKING:
    from walle.cli.trial import TrialRun
    from walle.container.samples import SampleResult

MISMATCH: Final = "unexpected-output"
"""The class of a run that succeeded with another output than its sample expects."""
_SHARES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Return p50, p90, p99 and max of at least one value, each one of the values (nearest rank)."""
    ordered = sorted(values)
    return {name: ordered[math.ceil(share * len(ordered)) - 1] for name, share in _SHARES.items()}


@dataclass(frozen=True)
class StartTimes:
    """Times of the successful runs with one start, in milliseconds.

    `whole_ms` is what the caller waits; `task_ms` counts from the loading of the task's module, or in a warm run from
    the call of its entry point.
    """

    runs: int
    whole_ms: Mapping[str, float]
    task_ms: Mapping[str, float]

    @classmethod
    def of(cls, runs: Sequence[TrialRun]) -> Self | None:
        """Return the times of these runs; None if there are none."""
        if not runs:
            return None
        return cls(
            len(runs),
            percentiles([one.whole_ms for one in runs]),
            percentiles([one.sample.run.duration_ms for one in runs]),
        )

    def to_dict(self) -> dict[str, Any]:
        times = {"whole_ms": self.whole_ms, "task_ms": self.task_ms}
        return {"runs": self.runs} | {
            name: {share: round(value, 3) for share, value in of.items()} for name, of in times.items()
        }


@dataclass(frozen=True)
class Repetition:
    """Many runs, one after the other. `kept` says whether the task asks to be kept.

    `held_mb` is what its VM held after the last run, None without one; `vm_ends` counts why VMs ended between the runs,
    `failures` the failed runs by class, of which `first_failures` has the first each.
    """

    cold: StartTimes | None
    warm: StartTimes | None
    peak_memory_kb: int
    kept: bool
    held_mb: float | None
    vm_ends: Mapping[str, int]
    failures: Mapping[str, int]
    first_failures: tuple[SampleResult, ...]

    @classmethod
    def of(cls, runs: Sequence[TrialRun], *, kept: bool) -> Self:
        """Return the figures of at least one run."""
        results = [one.sample.run for one in runs]
        good = [one for one in runs if one.sample.run.ok]
        failed = [one.sample for one in runs if not one.sample.passed]
        return cls(
            cold=StartTimes.of([one for one in good if one.sample.run.start == "cold"]),
            warm=StartTimes.of([one for one in good if one.sample.run.start == "warm"]),
            peak_memory_kb=max(run.peak_memory_kb for run in results),
            kept=kept,
            held_mb=results[-1].held_mb if results[-1].ok else None,
            vm_ends=Counter(run.vm_end for run in results if run.vm_end is not None),
            failures=Counter(map(_failure, failed)),
            first_failures=tuple({_failure(one): one for one in reversed(failed)}.values()),
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "cold": self.cold and self.cold.to_dict(),
            "warm": self.warm and self.warm.to_dict(),
            "peak_memory_kb": self.peak_memory_kb,
            "kept": self.kept,
            "held_mb": self.held_mb and round(self.held_mb, 2),
            "vm_ends": dict(self.vm_ends),
            "failures": dict(self.failures),
        }

    def tell(self) -> None:
        """Print the figures for people."""
        starts = {"cold": self.cold, "warm": self.warm}
        rows = [row for start, times in starts.items() if times for row in _rows(start, times)]
        if rows:
            draw(table(("start", "runs", "time of", *_SHARES), rows))
            say("")
        facts({"memory": f"{humanize.size(self.peak_memory_kb * 1024)} at most", "VM": self._vm()})
        if self.failures:
            say(f"failed: {_counts(self.failures)}")

    def _vm(self) -> str:
        if not self.kept:
            return "not kept: every run is a new process ([vm] keep = true in task.toml asks for one that stays)"
        if self.held_mb is None:
            now = "none after the last run"
        else:
            now = f"kept, holds {humanize.size(self.held_mb * 2**20)} after the last run"
        return f"{now}; ended between runs: {_counts(self.vm_ends) or 'never'}"


def _failure(one: SampleResult) -> str:
    return one.run.error_class or MISMATCH


def _rows(start: str, times: StartTimes) -> list[list[str]]:
    def cells(values: Mapping[str, float]) -> list[str]:
        return [f"{values[share]:.2f} ms" for share in _SHARES]

    return [
        [start, f"{times.runs:,}", "the whole run", *cells(times.whole_ms)],
        ["", "", "the task alone", *cells(times.task_ms)],
    ]


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({number:,})" for name, number in sorted(counted.items(), key=lambda one: -one[1]))
