"""What a serving process asks of an engine that runs plans; that of walle.whitebox.runtime is in runtime_engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from walle.whitebox.serving.problems import RecordProblem

ClassName = str | int | float


class RecordAnswer(NamedTuple):
    """What a plan predicts for one record: the class with the probabilities of all, or the value of a regression.

    A regression for several targets has several values. `decision` are the scores before either. What a pipeline does
    not tell is None. `cascade` says of a pipeline with a cascade whether the prefix answered.
    """

    label: ClassName | None
    probabilities: Sequence[float] | None
    value: float | Sequence[float] | None
    decision: Sequence[float] | None
    cascade: bool | None = None


@dataclass(frozen=True)
class LoadedPlan:
    """A version that is ready to predict. `id` is the digest of its manifest."""

    id: str
    task: str
    version: str
    classes: tuple[ClassName, ...]
    columns: tuple[str, ...]


class PlanRefused(Exception):
    """A version cannot be loaded, ever; the message says why. `code` is the error's class."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class PlanDamaged(Exception):
    """The files of a version are not what they were when they were installed; installing it anew may help."""


class PlanBarred(Exception):
    """A plan must not run for `retry_after` seconds; `reason` says why. It answered nothing."""

    def __init__(self, plan: str, reason: str, retry_after: float) -> None:
        super().__init__(f"plan {plan} must not run for {retry_after:.0f} s: {reason}")
        self.plan, self.reason, self.retry_after = plan, reason, retry_after


class PredictionEngine(Protocol):
    """Runs plans. Methods that predict raise PredictionRefused or PlanBarred."""

    async def start(self) -> None: ...

    def load(
        self, plan: str, files: Mapping[str, Path], settings: Mapping[str, Any], kept: Path
    ) -> tuple[Sequence[ClassName], Sequence[str]]:
        """Make a plan of the files of a version (by path) ready to predict; return its classes and columns.

        `settings` are those of `[serving]` in the manifest, `kept` is a file for what the engine wants to find at its
        next start. A plan of the same id is replaced. It blocks, and is called in a thread. Raises PlanRefused or
        PlanDamaged.
        """

    def unload(self, plan: str) -> None:
        """Forget a plan, called in a thread; what runs is answered still."""

    async def predict(self, plan: str, record: Any) -> RecordAnswer:
        """Return the answer for one record."""

    async def predict_batch(self, plan: str, records: Sequence[Any]) -> Sequence[RecordAnswer | RecordProblem]:
        """Return for each record the answer, or what is wrong with it."""

    def statistics(self) -> Mapping[str, Any]:
        """Return what the engine counts, as JSON has it."""

    async def close(self) -> None: ...
