"""The serving process as a bare ASGI application: predictions below PREFIX, health and readiness beside them."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from walle.whitebox.serving.answers import NO_SCORES, scores_of, write_batch, write_one
from walle.whitebox.serving.bodies import BodyHold, BodyLimits, BodyReader
from walle.whitebox.serving.callers import CALLER, Authenticated
from walle.whitebox.serving.engine import Answer, LoadedPlan, PlanDamaged
from walle.whitebox.serving.limits import SenderLimits
from walle.whitebox.serving.outcomes import AnsweredRequest
from walle.whitebox.serving.problems import PredictionRefused, RecordProblem
from walle.whitebox.serving.process import RoutedApp, ServingProcess
from walle.whitebox.serving.requests import PredictionRequest, RequestLimits, read_json
from walle.whitebox.serving.routing import Choice, RoutedCaller

log = logging.getLogger(__name__)

PREFIX: Final = "/predict/v1/"
ARROW: Final = b"application/vnd.apache.arrow.stream"
JSON: Final = b"application/json"
FAILED: Final = frozenset((500, 503))
_CALLER: Final = CALLER.lower().encode()

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class ServingLimits:
    """The limits of requests, and the records that one sender may have answered a second (0 for no limit)."""

    body: BodyLimits = field(default_factory=BodyLimits)
    request: RequestLimits = field(default_factory=RequestLimits)
    records_a_second: float = 0.0


class _Target(NamedTuple):
    """Where a request goes: the app's slug, the app if there is one, and the task."""

    slug: str
    app: RoutedApp | None
    task: str


class ServingApplication:
    """Routes requests to the parts of a serving process. `operations` are further endpoints, by path."""

    def __init__(
        self,
        process: ServingProcess,
        limits: ServingLimits | None = None,
        operations: dict[str, Callable[[Scope, Receive, Send], Awaitable[None]]] | None = None,
    ) -> None:
        self.process = process
        self.limits = limits or ServingLimits()
        self._bodies = BodyReader(self.limits.body)
        self._senders = SenderLimits(self.limits.records_a_second, process.monotonic)
        self._operations = {"/healthz": self._alive, "/readyz": self._ready, **(operations or {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            operation = self._operations.get(scope["path"])
            await (operation or self._answer)(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close"})

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self.process.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.process.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _alive(self, scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 200, b"alive\n", b"text/plain; charset=utf-8")

    async def _ready(self, scope: Scope, receive: Receive, send: Send) -> None:
        problems = self.process.problems()
        checks = {name: {"ok": not text, **({"detail": text} if text else {})} for name, text in problems.items()}
        ready = self.process.is_ready
        body = {"ready": ready, "impaired": any(problems.values()), "checks": checks}
        await respond(send, 200 if ready else 503, json.dumps(body).encode(), JSON)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request for predictions; whatever is refused or fails is answered as a problem."""
        counts = self.process.counts
        counts.requests += 1
        try:
            with self._bodies.holding() as hold:
                body, content_type = await self._predict(scope, receive, hold)
        except PredictionRefused as refusal:
            counts.refusals[refusal.code] += 1
            await _refuse(send, refusal)
        except Exception:
            log.exception("a request for %s failed", scope["path"][:200])
            counts.refusals["internal-error"] += 1
            await _refuse(send, PredictionRefused(500, "internal-error", "the request failed: try again later"))
        else:
            await respond(send, 200, body, content_type)
        finally:
            counts.requests -= 1

    async def _predict(self, scope: Scope, receive: Receive, hold: BodyHold) -> tuple[bytes, bytes]:
        """Return the body of the answer and its content type. Raises PredictionRefused."""
        began = self.process.monotonic()
        headers: dict[bytes, bytes] = dict(scope["headers"])
        target = self._target(scope)
        state = target.app.state if target.app else None
        sender = await self.process.authentication.authenticate(headers, target.slug, state)
        if target.app is None or target.task not in target.app.routes.tasks:
            raise PredictionRefused(404, "plan-unknown", f"no pipeline {target.task[:81]!r} is released in this app")
        if scope["method"] != "POST":
            raise PredictionRefused(405, "method-not-allowed", "expected POST")
        content_type = headers.get(b"content-type", JSON).partition(b";")[0].strip().lower()
        if content_type not in (JSON, ARROW):
            raise PredictionRefused(415, "content-type-unknown", f"expected {JSON.decode()} or {ARROW.decode()}")
        body = await self._bodies.read(headers, receive, hold)
        request = await self._read(content_type, body, headers)
        self._senders.take(sender.sender, len(request.records))
        caller = _caller(sender, request, headers, target.app)
        return await _Exchange(self.process, target.app, target, caller, began).answer(request, content_type)

    def _target(self, scope: Scope) -> _Target:
        parts = scope["path"].removeprefix(PREFIX).split("/") if scope["path"].startswith(PREFIX) else []
        if len(parts) != 3:
            raise PredictionRefused(404, "not-found", f"expected POST {PREFIX}<app>/<scenario>/<task>")
        slug, scenario, task = parts
        return _Target(slug, self.process.apps.get(slug), f"{scenario}/{task}")

    async def _read(self, content_type: bytes, body: bytes, headers: dict[bytes, bytes]) -> PredictionRequest:
        if content_type == JSON:
            return read_json(body, self.limits.request)
        from walle.whitebox.serving.arrow import read_arrow

        return read_arrow(body, self.limits.request)


def _caller(
    sender: Authenticated, request: PredictionRequest, headers: dict[bytes, bytes], app: RoutedApp
) -> RoutedCaller:
    named = request.caller
    if named is None and (said := headers.get(_CALLER)) is not None:
        named = said.decode("latin-1")
    return sender.caller(named, request.facts, app.state.held)


class _Exchange(NamedTuple):
    """One request whose caller is known, and the answering of it."""

    process: ServingProcess
    app: RoutedApp
    target: _Target
    caller: RoutedCaller
    began: float

    async def answer(self, request: PredictionRequest, content_type: bytes) -> tuple[bytes, bytes]:
        choice, plan, cold = await self._choose()
        try:
            answers = await self._run(plan, request)
        except PredictionRefused as refusal:
            if refusal.status in FAILED and refusal.code != "overloaded":
                self._note(choice, plan, cold, [], len(request.records), refusal.code)
            elif refusal.records:
                self._note(choice, plan, cold, list(refusal.records), 0, "record-refused")
            raise
        self._note(choice, plan, cold, answers, 0, "")
        if content_type == ARROW:
            from walle.whitebox.serving.arrow import write_arrow

            return write_arrow(plan, answers), ARROW
        if request.single:
            (only,) = answers
            assert isinstance(only, Answer)
            return write_one(plan, only), JSON
        return write_batch(plan, answers), JSON

    async def _choose(self) -> tuple[Choice, LoadedPlan, bool]:
        """Return the choice and its plan, ready to predict; whether it had to be loaded first."""
        plans, routes = self.process.plans, self.app.routes
        while (choice := routes.choose(self.target.task, self.caller, plans.is_ready)) is not None:
            loaded = plans.loaded.get(choice.entry.manifest)
            if loaded is not None:
                return choice, loaded, False
            plan = await plans.plan(choice.entry.manifest)
            if plan is not None:
                return choice, plan, True
        if routes.choose(self.target.task, self.caller, lambda manifest: True) is None:
            raise PredictionRefused(404, "plan-unknown", f"no version of {self.target.task} is released to this caller")
        raise PredictionRefused(503, "plan-unready", "no version is ready to answer this caller now", retry_after=2)

    async def _run(self, plan: LoadedPlan, request: PredictionRequest) -> Sequence[Answer | RecordProblem]:
        engine, heartbeat = self.process.engine, self.process.heartbeat
        try:
            if not request.single:
                answers = await engine.predict_batch(plan.id, request.records)
                return _some_answered(answers)
            heartbeat.begin(plan.id.encode())
            try:
                return [engine.predict(plan.id, request.records[0])]
            finally:
                heartbeat.end()
        except PlanDamaged as error:
            self.process.plans.damaged(plan.id)
            text = "the version's files are damaged and fetched again"
            raise PredictionRefused(503, "plan-damaged", text, retry_after=2) from error

    def _note(
        self,
        choice: Choice,
        plan: LoadedPlan,
        cold: bool,
        answers: Sequence[Answer | RecordProblem],
        failed: int,
        error_class: str,
    ) -> None:
        """Count how a request went, and tell of it."""
        process = self.process
        seconds = process.monotonic() - self.began
        good = [each for each in answers if isinstance(each, Answer)]
        refused = len(answers) - len(good)
        answered = AnsweredRequest(
            records=len(answers) + failed,
            refused=refused,
            failed=failed,
            error_class=error_class or ("record-refused" if refused else ""),
            seconds=seconds,
            cold=cold,
            scores=scores_of(good) if good else NO_SCORES,
        )
        slug = self.target.slug
        process.counts.answered((slug, plan.task, plan.version), seconds, answered.records, refused, failed)
        process.outcomes.answered(slug, self.caller, choice, answered, version=plan.version, number=self.app.number)


def _some_answered(answers: Sequence[Answer | RecordProblem]) -> Sequence[Answer | RecordProblem]:
    """Return the answers of a batch. Raises PredictionRefused (422) if there is not one among them."""
    problems = tuple(each for each in answers if isinstance(each, RecordProblem))
    if problems and len(problems) == len(answers):
        raise refused_records(problems)
    return answers


def refused_records(problems: tuple[RecordProblem, ...]) -> PredictionRefused:
    """Return the refusal of a request without one record that has the right form."""
    first = problems[0]
    detail = f"record {first.record}, field {first.field!r}: expected {first.expected}"
    return PredictionRefused(422, "record-refused", detail, problems)


async def respond(
    send: Send, status: int, body: bytes, content_type: bytes, headers: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    """Send one response that nobody may store."""
    fixed = [(b"content-type", content_type), (b"content-length", b"%d" % len(body))]
    everything = [*fixed, *(headers or [(b"cache-control", b"no-store")])]
    await send({"type": "http.response.start", "status": status, "headers": everything})
    await send({"type": "http.response.body", "body": body})


async def _refuse(send: Send, refusal: PredictionRefused) -> None:
    await respond(send, refusal.status, refusal.body(), b"application/problem+json", refusal.headers())
