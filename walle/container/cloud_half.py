"""The cloud half of a task: its `answer` is called with a batch of features, in the sandbox (docs/task-format.md).

Features come from strangers' devices and the code from a task's author: what goes in is counted by the caller, what
comes out is checked here. One feature on which the code fails costs the others of its batch nothing but a second call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from walle.container.result import OUTPUT_INVALID, SANDBOX_ERROR, TIMEOUT, RunResult, SandboxError, failure
from walle.container.samples import SampleRun
from walle.protocol.tunnel_frames import MAX_ANSWER

MAX_BATCH: Final = 64
MAX_CALLS: Final = 16
"""For one batch, as many as it takes to single out one feature of MAX_BATCH on which the code fails."""
IDLE_S: Final = 600.0
_ENTRY: Final = "walle_cloud_entry"
_SOURCE: Final = """from {module} import answer


def run(inputs, context):
    return {{"answers": list(answer(inputs["features"]))}}
"""


@dataclass(frozen=True, slots=True)
class CloudHalf:
    """What answers a task's features in the cloud: its main file, whose `answer` is called with a batch of them, the
    modules from outside that it needs, and what one call may use.
    """

    main: str
    modules: tuple[str, ...] = ()
    time_ms: int = 2000
    memory_mb: int = 256

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what `dataclasses.asdict` and JSON made of one."""
        return cls(**{**values, "modules": tuple(values["modules"])})

    @property
    def module(self) -> str:
        """The module of the main file, such as `cloud.recommend`."""
        return self.main.removesuffix(".py").replace("/", ".")


@dataclass(frozen=True, slots=True)
class HalfAnswer:
    """What the cloud half says to one feature: an object as JSON, or why there is none."""

    body: bytes | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CloudBundle:
    """A cloud half, the folder where its files lie, and which of a run's outputs go up to it."""

    half: CloudHalf
    folder: Path
    upload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BatchAnswers:
    """The answers to a batch, in its order; the first call that failed, if one did; and the calls."""

    answers: tuple[HalfAnswer, ...]
    failed: RunResult | None
    calls: tuple[RunResult, ...]


def uploaded(upload: Mapping[str, Any], output: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a device sends up of a run, by the manifest's `upload`; None if this run stays on the device."""
    if "when" in upload and output[upload["when"]] is not True:
        return None
    return {name: output[name] for name in upload["outputs"]}


def write_entry(folder: Path, half: CloudHalf) -> None:
    """Write the module that calls the cloud half into the folder where its files lie."""
    (folder / f"{_ENTRY}.py").write_text(_SOURCE.format(module=half.module))


def manifest_of_half(half: CloudHalf) -> dict[str, Any]:
    """Return what the sandbox has to know to call a cloud half, whose VM is kept."""
    return {
        "entry_point": f"{_ENTRY}:run",
        "inputs": {"features": {"type": "list"}},
        "outputs": {"answers": {"type": "list"}},
        "limits": {
            "time_ms": half.time_ms,
            "memory_mb": half.memory_mb,
            "output_kb": MAX_BATCH * MAX_ANSWER // 1024,
        },
        "requires": {"modules": list(half.modules)},
        "files": [],
        "vm": {"keep": True, "idle_s": IDLE_S, "held_mb": half.memory_mb},
    }


def ask(run: SampleRun, folder: Path, half: CloudHalf, features: Sequence[Mapping[str, Any]]) -> BatchAnswers:
    """Call the cloud half in `folder` with at most MAX_BATCH features.

    If it fails, the batch is halved until the features that it fails on are alone, or MAX_CALLS are made; after a call
    that took too long no other is made. Raises SandboxError where the machine fails, ValueError for a larger batch.
    """
    if len(features) > MAX_BATCH:
        raise ValueError(f"expected at most {MAX_BATCH} features, found {len(features)}")
    manifest = manifest_of_half(half)
    answers: dict[int, HalfAnswer] = {}
    calls: list[RunResult] = []
    failed: RunResult | None = None
    waiting = [list(range(len(features)))] if features else []
    while waiting:
        part = waiting.pop()
        result = _checked(run(folder, manifest, {"features": [dict(features[at]) for at in part]}), len(part))
        calls.append(result)
        if result.ok and result.output is not None:
            answers |= zip(part, map(_answer, result.output["answers"]), strict=True)
            continue
        failed = failed or result
        if result.error_class == TIMEOUT or len(calls) + len(waiting) >= MAX_CALLS:
            break
        if len(part) == 1:
            answers[part[0]] = HalfAnswer(reason=_reason(result))
        else:
            waiting += [part[len(part) // 2 :], part[: len(part) // 2]]
    unanswered = HalfAnswer(reason=_reason(failed) if failed else "")
    return BatchAnswers(tuple(answers.get(at, unanswered) for at in range(len(features))), failed, tuple(calls))


def _checked(result: RunResult, expected: int) -> RunResult:
    """The result of a call, which is a failure unless there is one answer for each feature."""
    if result.error_class == SANDBOX_ERROR:
        raise SandboxError(result.message or "the sandbox failed")
    if result.ok and result.output is not None and len(result.output["answers"]) != expected:
        found = len(result.output["answers"])
        return failure(OUTPUT_INVALID, f"expected a list of {expected} answers, one for each feature, found {found}")
    return result


def _answer(value: object) -> HalfAnswer:
    if value is None:
        return HalfAnswer(reason="the cloud half has no answer to this")
    if not isinstance(value, dict):
        return HalfAnswer(reason=f"expected an object or None as an answer, found {type(value).__name__}")
    body = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
    if len(body) > MAX_ANSWER:
        return HalfAnswer(reason=f"expected an answer of at most {MAX_ANSWER} bytes, found {len(body)}")
    return HalfAnswer(body)


def _reason(result: RunResult) -> str:
    return f"the cloud half failed: {result.error_class}"
