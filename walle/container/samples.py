"""Runs the samples of a task and holds what comes out against what its author expects (docs/task-format.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

from walle.container.result import INPUT_INVALID, RunResult, failure
from walle.schema.values import shown

DEFAULT_TOLERANCE: Final = 1e-6
MAX_FIRINGS: Final = 1000
"""The most runs of one sample that is a session."""
NEVER_FIRES: Final = "no event of the session triggers the task"


class SampleRun(Protocol):
    """What runs a task once: `Sandbox.run`. May raise, and so ends the sample."""

    def __call__(self, bundle: Path, manifest: Mapping[str, Any], inputs: Mapping[str, Any], /) -> RunResult: ...


class SampleSession(Protocol):
    """A recorded session: `walle.stream.session_samples.ReplayedSession`."""

    def replay(self, run: Callable[[Mapping[str, Any]], RunResult]) -> Iterator[RunResult]:
        """Yield the result of each run that the session triggers, in order; `run` is called with its inputs."""
        ...

    def first_inputs(self) -> Iterator[Mapping[str, Any]]:
        """Yield the inputs of each of these runs as if it were the first one, with no rows of earlier outputs."""
        ...


@dataclass(frozen=True)
class SampleCase:
    """A sample with its inputs at hand; `expect` is by output name, as in task.toml.

    `answer` is what is expected of the cloud half's answer, in the same form.
    """

    name: str
    inputs: Mapping[str, Any]
    expect: Mapping[str, Mapping[str, Any]]
    answer: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def results(self, run: Callable[[Mapping[str, Any]], RunResult]) -> Iterator[RunResult]:
        """Yield the result of the only run."""
        yield run(self.inputs)

    def all_inputs(self) -> Iterator[Mapping[str, Any]]:
        """Yield the inputs."""
        yield self.inputs

    def miscount(self, runs: int) -> str | None:
        """Nothing: one run is what is expected."""
        return None


@dataclass(frozen=True)
class SessionCase:
    """A sample that is a recorded session, which triggers runs. It is to do so `fires` times, None for any number, and
    `expect` is about the output of the last one."""

    name: str
    session: SampleSession
    expect: Mapping[str, Mapping[str, Any]]
    fires: int | None = None

    def results(self, run: Callable[[Mapping[str, Any]], RunResult]) -> Iterator[RunResult]:
        """Yield the results of the runs in order, of MAX_FIRINGS and one more at most."""
        return islice(self.session.replay(run), MAX_FIRINGS + 1)

    def all_inputs(self) -> Iterator[Mapping[str, Any]]:
        """Yield the inputs of the runs, with no rows of earlier ones."""
        return islice(self.session.first_inputs(), MAX_FIRINGS)

    def miscount(self, runs: int) -> str | None:
        """Why so many runs are not what is expected, or None."""
        if runs > MAX_FIRINGS:
            return f"expected a session that triggers the task at most {MAX_FIRINGS} times, found more"
        if self.fires is not None and runs != self.fires:
            return f"expected the session to trigger the task {_times(self.fires)}, found {_times(runs)}"
        return None


Case = SampleCase | SessionCase


@dataclass(frozen=True)
class SampleResult:
    """What came of a sample: its last run, and in words each expectation that does not hold.

    `earlier` are the runs of a session before its last one, which all succeeded.
    """

    name: str
    run: RunResult
    mismatches: tuple[str, ...]
    earlier: tuple[RunResult, ...] = ()

    @property
    def passed(self) -> bool:
        return self.run.ok and not self.mismatches

    def by_run(self) -> list[SampleResult]:
        """One result for each run; what is not as expected stands at the last."""
        if not self.earlier:
            return [self]
        count = len(self.earlier) + 1
        before = [
            SampleResult(f"{self.name}, run {number} of {count}", run, ())
            for number, run in enumerate(self.earlier, start=1)
        ]
        return [*before, SampleResult(f"{self.name}, run {count} of {count}", self.run, self.mismatches)]


def run_samples(
    run: SampleRun, bundle: Path, manifest: Mapping[str, Any], samples: Iterable[Case]
) -> list[SampleResult]:
    """Run each sample once, one after the other, and check its expectations; a failed run has none to check."""
    return [run_sample(run, bundle, manifest, sample) for sample in samples]


def run_sample(run: SampleRun, bundle: Path, manifest: Mapping[str, Any], sample: Case) -> SampleResult:
    """Run one sample and check its expectations. A session ends with its first run that fails."""
    done: list[RunResult] = []
    for result in sample.results(partial(run, bundle, manifest)):
        done.append(result)
        if not result.ok:
            break
    last = done.pop() if done else failure(INPUT_INVALID, NEVER_FIRES)
    mismatches: list[str] = []
    if last.ok and (miscount := sample.miscount(len(done) + 1)):
        mismatches.append(miscount)
    if last.ok and last.output is not None:
        mismatches += mismatches_of(sample.expect, last.output)
    return SampleResult(sample.name, last, tuple(mismatches), tuple(done))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def mismatches_of(expect: Mapping[str, Mapping[str, Any]], output: Mapping[str, Any]) -> Iterator[str]:
    """Yield in words each expectation that does not hold for some outputs."""
    for name, expectation in expect.items():
        problem = check_expectation(expectation, output.get(name))
        if problem:
            yield f"{name}: {problem}"


def check_expectation(expectation: Mapping[str, Any], value: object) -> str | None:
    """Why a value is not as expected, or None. The expectation is one of equals, approx, one_of and contains."""
    for way, (holds, words) in _WAYS.items():
        if way in expectation:
            wanted = expectation[way]
            if holds(wanted, value, expectation):
                return None
            return f"expected {words}{shown(wanted)}, found {shown(value)}"
    return f"expected one of {', '.join(_WAYS)}, found {shown(dict(expectation))}"


def same(left: object, right: object) -> bool:
    """Equality of JSON data: 1 is 1.0, but no number is a boolean."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return left == right


def close(wanted: object, value: object, tolerance: float) -> bool:
    """Whether numbers, also in nested lists and objects, differ by no more than the tolerance; the rest is the same."""
    if isinstance(wanted, list) and isinstance(value, list):
        return len(wanted) == len(value) and all(close(a, b, tolerance) for a, b in zip(wanted, value, strict=True))
    if isinstance(wanted, dict) and isinstance(value, dict):
        return wanted.keys() == value.keys() and all(close(wanted[key], value[key], tolerance) for key in wanted)
    if _is_number(wanted) and _is_number(value):
        return math.isclose(wanted, value, rel_tol=0, abs_tol=tolerance)  # type: ignore[arg-type]
    return same(wanted, value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def contains(wanted: object, value: object) -> bool:
    """A text within a text, an item of a list, a key of an object."""
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    if isinstance(value, list):
        return any(same(wanted, item) for item in value)
    return isinstance(value, dict) and wanted in value


_Holds = Callable[[Any, object, Mapping[str, Any]], bool]
_WAYS: Final[Mapping[str, tuple[_Holds, str]]] = {
    "equals": (lambda wanted, value, _: same(wanted, value), ""),
    "approx": (lambda wanted, value, all_: close(wanted, value, all_.get("tolerance", DEFAULT_TOLERANCE)), "about "),
    "one_of": (lambda wanted, value, _: any(same(one, value) for one in wanted), "one of "),
    "contains": (lambda wanted, value, _: contains(wanted, value), "what contains "),
}
