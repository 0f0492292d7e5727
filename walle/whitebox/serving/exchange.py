"""One request whose caller is known: the choice of a version, its answer, and what is told of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from walle.release.outcome import FELL_BACK
from walle.whitebox.serving.answers import write_batch, write_one
from walle.whitebox.serving.array_answers import cascaded_of, problems_of, scores_of_batch
from walle.whitebox.serving.engine import LoadedPlan, PlanBarred, RecordAnswer
from walle.whitebox.serving.outcomes import AnsweredRequest
from walle.whitebox.serving.problems import RECORD_REFUSED, PredictionRefused, RecordProblem, refused_records
from walle.whitebox.serving.process import RoutedApp, ServingProcess
from walle.whitebox.serving.requests import PredictionRequest
from walle.whitebox.serving.routing import Choice, RoutedCaller

ARROW: Final = b"application/vnd.apache.arrow.stream"
JSON: Final = b"application/json"
NO_FAULT: Final = frozenset(("overloaded", "batch-too-large"))
"""The codes of refusals that are no fault of the version's."""


class Target(NamedTuple):
    """Where a request goes: an app, by its slug, and a task of it."""

    slug: str
    app: RoutedApp
    task: str


async def begin(process: ServingProcess, target: Target, caller: RoutedCaller, began: float) -> Exchange:
    """Choose the version that answers a caller, and load it if need be; `began` is in monotonic seconds.

    Raises PredictionRefused if there is none, or none is ready.
    """
    plans, routes, task = process.plans, target.app.routes, target.task
    if plans.isolated:
        _note_fall_back(process, target, caller)
    while (choice := routes.choose(task, caller, plans.is_ready)) is not None:
        loaded = plans.loaded.get(choice.entry.manifest)
        if loaded is not None:
            return Exchange(process, target, caller, began, choice, loaded, False)
        plan = await plans.plan(choice.entry.manifest)
        if plan is not None:
            return Exchange(process, target, caller, began, choice, plan, True)
    wished = routes.choose(task, caller, lambda manifest: True)
    if wished is None:
        raise PredictionRefused(404, "plan-unknown", f"no version of {task} is released to this caller")
    if reason := plans.isolated.get(wished.entry.manifest):
        raise PredictionRefused(503, "plan-isolated", f"the version is kept from running: {reason}", retry_after=30)
    raise PredictionRefused(503, "plan-unready", "no version is ready to answer this caller now", retry_after=2)


def _note_fall_back(process: ServingProcess, target: Target, caller: RoutedCaller) -> None:
    """Tell of a caller whose version must not run now."""
    wished = target.app.routes.choose(target.task, caller, process.plans.has)
    if wished is not None and wished.entry.manifest in process.plans.isolated:
        plan = process.plans.loaded.get(wished.entry.manifest)
        process.outcomes.fell_back(target.slug, caller, wished, plan.version if plan else "")


class Exchange(NamedTuple):
    """A request for predictions of a version that is ready; `cold` says that it was loaded for this request."""

    process: ServingProcess
    target: Target
    caller: RoutedCaller
    began: float
    choice: Choice
    plan: LoadedPlan
    cold: bool

    async def answer(self, request: PredictionRequest, content_type: bytes) -> tuple[bytes, bytes]:
        """Return the body of the answer, and its content type. Raises PredictionRefused or PlanBarred."""
        try:
            answers = await self._run(request)
        except PredictionRefused as refusal:
            if refusal.records:
                self._note(refusal.records, 0, RECORD_REFUSED)
            elif refusal.code not in NO_FAULT:
                self._note((), len(request.records), refusal.code)
            raise
        except PlanBarred as barred:
            self.process.plans.bar(self.plan.id, barred.reason, barred.retry_after)
            self._note((), len(request.records), FELL_BACK)
            raise
        except Exception as error:
            self._note((), len(request.records), type(error).__name__)
            raise
        self._note(answers, 0, "")
        if content_type == ARROW:
            from walle.whitebox.serving.arrow import write_arrow

            return write_arrow(self.plan, answers), ARROW
        first = answers[0]
        if request.single and not isinstance(first, RecordProblem):
            return write_one(self.plan, first), JSON
        return write_batch(self.plan, answers), JSON

    async def _run(self, request: PredictionRequest) -> Sequence[RecordAnswer | RecordProblem]:
        engine, plan = self.process.engine, self.plan.id
        if request.single:
            return [await engine.predict(plan, request.records[0])]
        return _some_answered(await engine.predict_batch(plan, request.records))

    def _note(self, answers: Sequence[RecordAnswer | RecordProblem], failed: int, error_class: str) -> None:
        """Count how the request went, and tell of it; `failed` records have neither an answer nor a problem."""
        process, plan, slug = self.process, self.plan, self.target.slug
        refused = len(problems_of(answers))
        answered = AnsweredRequest(
            records=len(answers) + failed,
            refused=refused,
            failed=failed,
            error_class=error_class or (RECORD_REFUSED if refused else ""),
            seconds=process.monotonic() - self.began,
            cold=self.cold,
            scores=scores_of_batch(answers),
            cascaded=cascaded_of(answers),
        )
        process.counts.answered((slug, plan.task, plan.version), answered)
        number = self.target.app.number
        process.outcomes.answered(slug, self.caller, self.choice, answered, version=plan.version, number=number)


def _some_answered(answers: Sequence[RecordAnswer | RecordProblem]) -> Sequence[RecordAnswer | RecordProblem]:
    """Return the answers of a batch. Raises PredictionRefused (422) if there is not one among them."""
    problems = problems_of(answers)
    if problems and len(problems) == len(answers):
        raise refused_records(problems)
    return answers
