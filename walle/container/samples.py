"""Runs the samples of a task and holds what comes out against what its author expects (docs/task-format.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from walle.container.result import RunResult
from walle.schema.values import shown

DEFAULT_TOLERANCE: Final = 1e-6


class SampleRun(Protocol):
    """What runs a task once: `Sandbox.run`."""

    def __call__(self, bundle: Path, manifest: Mapping[str, Any], inputs: Mapping[str, Any], /) -> RunResult: ...


@dataclass(frozen=True)
class SampleCase:
    """A sample with its inputs at hand; `expect` is by output name, as in task.toml."""

    name: str
    inputs: Mapping[str, Any]
    expect: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class SampleResult:
    """What came of a sample: its run, and in words each expectation that does not hold."""

    name: str
    run: RunResult
    mismatches: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.run.ok and not self.mismatches


def run_samples(
    run: SampleRun, bundle: Path, manifest: Mapping[str, Any], samples: Iterable[SampleCase]
) -> list[SampleResult]:
    """Run each sample once, one after the other, and check its expectations; a failed run has none to check."""
    return [run_sample(run, bundle, manifest, sample) for sample in samples]


def run_sample(run: SampleRun, bundle: Path, manifest: Mapping[str, Any], sample: SampleCase) -> SampleResult:
    """Run one sample and check its expectations."""
    result = run(bundle, manifest, sample.inputs)
    output = result.output if result.ok else None
    mismatches = () if output is None else tuple(_mismatches(sample.expect, output))
    return SampleResult(sample.name, result, mismatches)


def _mismatches(expect: Mapping[str, Mapping[str, Any]], output: Mapping[str, Any]) -> Iterable[str]:
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
