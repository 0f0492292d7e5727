"""The engine of a serving process: archives become plans, and walle.whitebox.runtime runs them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

from walle.whitebox.archive import DOCUMENT, SAMPLES, Archive, ArchiveMalformed, read_document, read_samples
from walle.whitebox.batch_answers import BatchAnswers
from walle.whitebox.compiling import OperatorUnsupported, RecordRefused
from walle.whitebox.graph import GraphMalformed
from walle.whitebox.kernels import character_classes, load_kernels
from walle.whitebox.runtime.compiled_plans import CompiledPlan, load_compiled
from walle.whitebox.runtime.delayed_batching import BatchingLimits
from walle.whitebox.runtime.errors import (
    BatchTooLarge,
    Overloaded,
    ParameterUnavailable,
    PlanFailed,
    PlanIsolated,
    PlanUnknown,
    ReservationRefused,
)
from walle.whitebox.runtime.reservations import Reservation
from walle.whitebox.runtime.served_plan import ServedPlan
from walle.whitebox.runtime.service import Runtime, RuntimeSettings
from walle.whitebox.serving.engine import ClassName, PlanBarred, PlanDamaged, PlanRefused, RecordAnswer
from walle.whitebox.serving.heartbeat import Heartbeat
from walle.whitebox.serving.ports import ARCHIVE_MALFORMED, SAMPLE_REFUSED
from walle.whitebox.serving.problems import PredictionRefused, RecordProblem, refused_records

log = logging.getLogger(__name__)

MAX_BATCH: Final = 1000
"""How many single records are answered together at most, where the manifest does not say."""
_NO_SETTINGS: Final[Mapping[str, Any]] = {}


def warm_up() -> None:
    """Load the kernels, compiling them if this machine never did: a process that is forked has them at once."""
    load_kernels()
    character_classes()


class RuntimeEngine:
    """Runs plans whose parameters are in a folder. `heartbeat` hears of what runs in the event loop's thread."""

    def __init__(self, parameters: Path, heartbeat: Heartbeat, settings: RuntimeSettings | None = None) -> None:
        self._runtime = Runtime(parameters, settings)
        self._heartbeat = heartbeat

    async def start(self) -> None:
        await self._runtime.start()

    async def close(self) -> None:
        await self._runtime.close()

    def load(
        self, plan: str, files: Mapping[str, Path], settings: Mapping[str, Any], kept: Path
    ) -> tuple[Sequence[ClassName], Sequence[str]]:
        """Make a plan of an archive, which was checked when it was pushed; its files are those that were signed.

        It is compiled if it never was, and kept.
        """
        self._heartbeat.load(plan.encode())
        try:
            compiled = load_compiled(kept, plan, lambda: _compile(files), self._runtime.store)
            self._runtime.register(
                plan,
                compiled.plan,
                engine=settings.get("engine", "auto"),
                reservation=_reservation(settings),
                cached=settings.get("cache", False),
                batching=_batching(settings),
                sample=compiled.sample,
            )
        except ParameterUnavailable as error:
            raise PlanDamaged(str(error)) from error
        except (ArchiveMalformed, GraphMalformed, OperatorUnsupported, KeyError) as error:
            raise PlanRefused(ARCHIVE_MALFORMED, str(error)) from error
        except ReservationRefused as error:
            raise PlanRefused("reservation-refused", str(error)) from error
        except RecordRefused as error:
            raise PlanRefused(SAMPLE_REFUSED, str(error)) from error
        finally:
            self._heartbeat.loaded()
        self._runtime.freeze_heap()
        interface = compiled.plan.image.interface
        return interface.classes, tuple(column.name for column in interface.columns)

    def unload(self, plan: str) -> None:
        self._runtime.unregister(plan)

    async def predict(self, plan: str, record: Any) -> RecordAnswer:
        runtime = self._runtime
        try:
            if runtime.engine_of(plan) != "request-response":
                return cast(RecordAnswer, await runtime.predict_one(plan, record))
            self._heartbeat.begin(plan.encode())
            try:
                return cast(RecordAnswer, runtime.predict(plan, record))
            finally:
                self._heartbeat.end()
        except RecordRefused as error:
            raise refused_records((_problem(error),)) from error
        except Exception as error:
            raise _refusal(plan, error) from error

    async def predict_batch(self, plan: str, records: Sequence[Any]) -> Sequence[RecordAnswer | RecordProblem]:
        runtime = self._runtime
        try:
            if runtime.answers_inline(plan, len(records)):
                self._heartbeat.begin(plan.encode())
                try:
                    found = await runtime.predict_batch(plan, records)
                finally:
                    self._heartbeat.end()
            else:
                found = await runtime.predict_batch(plan, records)
        except Exception as error:
            raise _refusal(plan, error) from error
        if isinstance(found, BatchAnswers):
            return replace(found, refused={index: _problem(each) for index, each in found.refused.items()})
        return [_problem(each) if isinstance(each, RecordRefused) else each for each in found]

    def statistics(self) -> Mapping[str, Any]:
        return self._runtime.statistics()


def _problem(refused: RecordRefused) -> RecordProblem:
    return RecordProblem(refused.index, refused.field, refused.expected)


def _refusal(plan: str, error: Exception) -> Exception:
    """Return what an error of the runtime means to a serving process."""
    match error:
        case PlanIsolated(reason=reason, retry_after=retry_after):
            return PlanBarred(plan, reason, retry_after)
        case PlanUnknown():
            return PlanBarred(plan, "it is being loaded again", 1.0)
        case PlanFailed(reason=reason):
            log.warning("plan %s failed: %s", plan, reason)
            return PredictionRefused(500, "plan-failed", "the version failed at this request")
        case BatchTooLarge(most=most):
            return PredictionRefused(413, "batch-too-large", f"records: expected at most {most}")
        case Overloaded(retry_after=retry_after):
            return PredictionRefused(503, "overloaded", "too many records are waiting", retry_after=retry_after)
    return error


def _reservation(settings: Mapping[str, Any]) -> Reservation | None:
    cores, megabytes = settings.get("reserve_cores", 0), settings.get("reserve_mb", 0)
    return Reservation(cores, megabytes << 20) if cores or megabytes else None


def _batching(settings: Mapping[str, Any]) -> BatchingLimits | None:
    delay_ms = settings.get("batch_delay_ms", 0)
    return BatchingLimits(delay_ms / 1000, settings.get("max_batch", MAX_BATCH)) if delay_ms else None


def _compile(files: Mapping[str, Path]) -> CompiledPlan:
    archive = read_document(files[DOCUMENT].read_bytes())
    return CompiledPlan(ServedPlan.of(archive), _sample(archive, files))


def _sample(archive: Archive, files: Mapping[str, Path]) -> Mapping[str, Any] | None:
    """Return a record by which to tell what the plan costs, if the archive has one."""
    if SAMPLES not in files:
        return None
    samples = read_samples(files[SAMPLES].read_bytes(), archive.graph)
    return samples[0].record if samples else None
