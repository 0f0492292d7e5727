"""The device service of the tunnel: it keeps one connection to the cloud, and says what came of the features."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, Final, Protocol

from walle.device.errors import ServerRefused, Unreachable
from walle.device.link.backoff import Backoff, RandomSource, requested_wait
from walle.device.link.checkins import CREDENTIAL_REFUSALS, REVOKED
from walle.device.link.cloud import CloudAnswer
from walle.device.notices import Notice, NoticeHandler
from walle.device.service import DeviceService, Wake
from walle.device.storage.state import Installation
from walle.device.tunnel.answers import AnswerHandler, AwaitedAnswer, FeatureAnswer, read_answer_frame
from walle.device.tunnel.connection import TunnelConnector, TunnelEnded
from walle.device.tunnel.features import UploadedRun
from walle.device.tunnel.segments import SegmentDamaged
from walle.device.tunnel.session import HeldDictionaries, SessionEvents, TunnelSession, UplinkCost
from walle.device.tunnel.spooling import FeatureQueue
from walle.protocol import tunnel_frames as wire
from walle.protocol.documents import Manifest
from walle.protocol.errors import FrameMalformed, HeaderMalformed
from walle.protocol.headers import DEVICE, PROFILE, read_offers

log = logging.getLogger(__name__)

RECONNECT: Final = Backoff(base=1.0, cap=60.0)
ABSENT_S: Final = 600.0
"""About so many seconds later a server that has no tunnel for this device is asked again."""
ONCE_S: Final = 30.0
"""Seconds that `once` waits at most for what is spooled to be acknowledged."""
FEATURE_REFUSALS: Final = frozenset({"body-malformed", "body-too-large", "frame-malformed", "frame-too-large"})
"""The codes that are about a feature itself: one that is refused alone with such a code is given up."""


class PushedOffers(Protocol):
    """The check-ins of a device, as far as the tunnel needs them; implemented by CheckIns."""

    @property
    def enrolled(self) -> bool: ...

    def receive(self, answer: CloudAnswer) -> None: ...


class AnswerLedger(Protocol):
    """What answers are awaited; implemented by AwaitedAnswers."""

    @property
    def due(self) -> float | None: ...

    def take(self, spool: bytes, sequence: int) -> AwaitedAnswer | None: ...

    def take_expired(self, now: float) -> list[AwaitedAnswer]: ...


@dataclass(frozen=True)
class TunnelParts:
    """What a tunnel has on the disk, or an emulated device in memory."""

    queue: FeatureQueue
    awaited: AnswerLedger
    dictionaries: HeldDictionaries


OpenParts = Callable[[Callable[[], None]], TunnelParts]
"""Opens the parts; they call the function whenever there is more to send. Raises OSError."""


class TunnelService(DeviceService):
    """The tunnel of one device. Everything is in the thread of the event loop.

    `headers` returns those of a check-in, empty before enrolment. `clock` gives Unix seconds, `monotonic` seconds of a
    clock that nobody sets.
    """

    def __init__(
        self,
        open_parts: OpenParts,
        connector: TunnelConnector,
        check_ins: PushedOffers,
        headers: Callable[[], Mapping[str, str]],
        *,
        clock: Callable[[], float],
        monotonic: Callable[[], float],
        randomness: RandomSource,
        on_notice: NoticeHandler,
        on_answer: AnswerHandler | None = None,
    ) -> None:
        self.wake = Wake()
        self._open_parts, self._connector, self._check_ins = open_parts, connector, check_ins
        self._headers, self._clock, self._monotonic = headers, clock, monotonic
        self._randomness, self._on_notice, self._on_answer = randomness, on_notice, on_answer
        self._parts: TunnelParts | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._session: TunnelSession | None = None
        self._failures, self._due, self._leave_at = 0, 0.0, math.inf
        self._began, self._failed_before = 0.0, 0
        self._careful = 0
        self._told_dropped, self._told_damage = 0, ""
        self._counts = dict.fromkeys(("connects", "resumed", "answers", "timed_out", "offers", "given_up"), 0)
        self._settled = asyncio.Event()
        self._told_counts: Mapping[str, int] = {}
        self._untold: dict[str, UplinkCost] = {}
        self.costs: dict[str, UplinkCost] = {}

    @property
    def connected(self) -> bool:
        """Whether the cloud has welcomed the present connection."""
        return self._session is not None and self._session.greeted

    def upload(
        self, installed: Installation, manifest: Manifest, output: Mapping[str, Any], *, at: float, tracked_at: float
    ) -> None:
        """Send up what the manifest chooses of a run's output, if it does; it is spooled on the disk until then.

        `at` is when the run began, and `tracked_at` when the event that triggered it happened, both in Unix seconds.
        """
        run = UploadedRun.of(installed, manifest, output, at=at, tracked_at=tracked_at, now=self._clock())
        if run is not None and self._parts is not None:
            self._parts.queue.put(run)

    def counts(self) -> Mapping[str, int]:
        """Return what this process has sent (features, and their bytes as JSON and on the wire) and what came of it."""
        totals = [self.costs[task] for task in list(self.costs)]
        return {
            "features": sum(cost.features for cost in totals),
            "raw_bytes": sum(cost.raw_bytes for cost in totals),
            "wire_bytes": sum(cost.wire_bytes for cost in totals),
            "waiting": len(self._parts.queue) if self._parts else 0,
            "dropped": self._parts.queue.dropped if self._parts else 0,
            "refused": self._parts.queue.refused if self._parts else 0,
            **self._counts,
        }

    def take_cost(self, task: str) -> Mapping[str, int] | None:
        """Return what the features of a task have cost since this was asked last; None if none were sent.

        `dropped` and `connects` are those of the whole device, since this was asked last of any task.
        """
        cost = self._untold.pop(task, None)
        if cost is None:
            return None
        now = {name: self.counts()[name] for name in ("dropped", "connects")}
        since = {name: now[name] - self._told_counts.get(name, 0) for name in now}
        self._told_counts = now
        return {**asdict(cost), **since}

    def recover(self) -> None:
        """Open the spool, and what was awaited when the previous process ended."""
        try:
            self._parts = self._open_parts(self._arrived)
        except OSError as error:
            self._on_notice(Notice("error", f"nothing goes up until the next start, the spool is unusable: {error}"))

    async def turn(self) -> float | None:
        """Do what is due, and see to it that there is a connection; return the seconds until the next turn."""
        if self._parts is None:
            return None
        self._end()
        await self._tell(self._parts)
        if self._parts.queue.sync_due <= self._monotonic():
            await self._parts.queue.sync()
        if self._session is not None:
            await self._follow(self._session)
        elif self._connecting is None and self._due <= self._monotonic() and self._may_connect():
            self._start(self._parts)
        return self._wait(self._parts)

    async def once(self) -> None:
        """Send all that is spooled and wait until it is acknowledged, if there is a tunnel; then leave it."""
        if self._parts is None or not self._may_connect():
            return
        await self._parts.queue.settle()
        self._start(self._parts)
        try:
            async with asyncio.timeout(ONCE_S):
                while self._connecting is not None and (len(self._parts.queue) or not self.connected):
                    self._settled.clear()
                    await self._settled.wait()
                    self._end()
        except TimeoutError:
            log.info("not all features were acknowledged in %.0f seconds", ONCE_S)
        await self._leave()
        await self._tell(self._parts)

    async def stop(self) -> None:
        """Leave the cloud; what is not acknowledged stays spooled."""
        await self._leave()
        if self._parts is not None:
            await self._parts.queue.settle()

    def _may_connect(self) -> bool:
        return self._check_ins.enrolled and bool(self._headers())

    def _start(self, parts: TunnelParts) -> None:
        self._connecting = asyncio.create_task(self._connect(parts, dict(self._headers())))
        self._connecting.add_done_callback(self._ended)

    def _ended(self, _: asyncio.Task[None]) -> None:
        self._settled.set()
        self.wake.up()

    async def _connect(self, parts: TunnelParts, headers: Mapping[str, str]) -> None:
        """Connect, and converse until that ends; then see when to connect again, whatever happened."""
        self._began, self._failed_before = self._monotonic(), self._failures
        try:
            await self._attempt(parts, headers)
        except ServerRefused as error:
            self._refused(error.status, error.reason, headers)
        except Unreachable as error:
            self._fail(str(error), error.retry_after)
        except Exception as error:
            log.exception("the tunnel failed")
            self._fail(f"{type(error).__name__}: {error}")

    async def _attempt(self, parts: TunnelParts, headers: Mapping[str, str]) -> None:
        connection = await self._connector.open(headers)
        self._counts["resumed"] += connection.resumed
        session = self._session = TunnelSession(
            connection,
            parts.queue,
            parts.dictionaries,
            self._events(parts),
            headers.get(PROFILE, ""),
            careful=self._careful,
        )
        try:
            await session.run()
        except TunnelEnded as error:
            await self._closed(error, session)
        except FrameMalformed as error:
            await connection.close(wire.close_code(error), wire.close_reason(error.code, error.text))
            self._fail(f"the cloud said what it must not: {error}")
        except SegmentDamaged as error:
            await parts.queue.renew(str(error))
            self._fail(str(error))
        finally:
            self._session = None
            await connection.close()

    def _events(self, parts: TunnelParts) -> SessionEvents:
        return SessionEvents(
            welcomed=self._welcomed,
            acknowledged=self._acknowledged,
            sent=self._sent,
            answer=partial(self._answered, parts),
            offers=self._offered,
            drain=self._drained,
        )

    def _end(self) -> None:
        """Forget the connection that has ended."""
        if self._connecting is not None and self._connecting.done():
            self._connecting, self._leave_at = None, math.inf

    async def _leave(self) -> None:
        """End the present connection, from this side."""
        if self._connecting is not None and not self._connecting.done():
            self._connecting.cancel()
            await asyncio.wait([self._connecting])
        self._end()

    async def _follow(self, session: TunnelSession) -> None:
        """Leave if that is due, or say what is installed now."""
        if self._leave_at > self._monotonic():
            session.tell_profile(self._headers().get(PROFILE, ""))
            return
        await self._leave()
        # At once, unless one server after the other sends it away.
        self._failures = self._failures_before()
        self._due = self._monotonic() + RECONNECT.delay(self._failures, self._randomness)
        self._failures += 1
        self.wake.up()

    def _failures_before(self) -> int:
        """Return how many failures in a row came before the last connection, for which it made good if it lasted."""
        return 0 if self._monotonic() - self._began >= RECONNECT.cap else self._failed_before

    def _refused(self, status: int, reason: str, headers: Mapping[str, str]) -> None:
        """Have a credential renewed that was refused; a server that has no tunnel is asked again much later."""
        current = self._headers().get(DEVICE)
        renewable = status == HTTPStatus.UNAUTHORIZED and reason in CREDENTIAL_REFUSALS - {REVOKED}
        if status == HTTPStatus.UNAUTHORIZED and reason in CREDENTIAL_REFUSALS and headers.get(DEVICE) == current:
            self._check_ins.receive(CloudAnswer(error=reason))
        if renewable:
            self._fail(f"the server refused the tunnel: {reason}")
        else:
            self._failures = 0
            self._due = self._monotonic() + ABSENT_S * (1 + self._randomness()) / 2
            log.info("the server has no tunnel for this device: %d %s", status, reason)

    async def _closed(self, error: TunnelEnded, session: TunnelSession) -> None:
        """See why the connection ended: a feature that the cloud does not take is sent alone, and then given up."""
        if error.status == wire.REPLACED:
            # Whoever replaces it was acknowledged as much: two with one identity must not take turns for ever.
            self._failures = self._failed_before
        self._failures = min(self._failures, self._failures_before())
        if error.refuses:
            self._careful = session.last_sent
            if session.suspect is not None and error.refusal in FEATURE_REFUSALS:
                log.error("a feature is given up, the cloud does not take it: %s", error)
                self._counts["given_up"] += 1
                await session.queue.acknowledge(session.suspect)
        self._fail(str(error))

    def _fail(self, text: str, retry_after: float | None = None) -> None:
        self._failures += 1
        asked = requested_wait(retry_after, self._randomness)
        self._due = self._monotonic() + max(RECONNECT.delay(self._failures, self._randomness), asked)
        self._on_notice(Notice("tunnel-closed", text))

    def _welcomed(self) -> None:
        self._counts["connects"] += 1
        self._on_notice(Notice("tunnel-opened", "the tunnel is open"))
        self._settled.set()
        self.wake.up()

    def _acknowledged(self) -> None:
        self._failures = 0
        self._settled.set()

    def _sent(self, task: str, cost: UplinkCost) -> None:
        for costs in (self.costs, self._untold):
            costs.setdefault(task, UplinkCost()).add(cost)

    def _arrived(self) -> None:
        if self._session is not None:
            self._session.arrived()
        self.wake.up()

    def _answered(self, parts: TunnelParts, frame: wire.Answer) -> None:
        awaited = parts.awaited.take(parts.queue.id, frame.sequence)
        if awaited is not None:
            self._hand_over(awaited, read_answer_frame(frame))

    def _hand_over(self, awaited: AwaitedAnswer, answer: FeatureAnswer) -> None:
        self._counts["timed_out" if answer.status == "timed-out" else "answers"] += 1
        if self._on_answer is not None:
            try:
                self._on_answer(awaited.task, awaited.values, answer)
            except Exception:
                log.exception("the app's handler of answers failed for %s", awaited.task)

    def _offered(self, frame: wire.Offers) -> bool:
        """Hand offers to the check-ins; return whether they are to be acknowledged."""
        try:
            offers = tuple(read_offers(frame.value))
        except HeaderMalformed as error:
            log.error("offers of the tunnel cannot be read: %s", error)
            return False
        self._counts["offers"] += len(offers)
        self._check_ins.receive(CloudAnswer(offers, pushed=True))
        return True

    def _drained(self, frame: wire.Drain) -> None:
        """Connect anew at a moment of its own within the time that the cloud gives."""
        self._leave_at = min(self._leave_at, self._monotonic() + frame.within_ms / 1000 * self._randomness())
        self.wake.up()

    async def _tell(self, parts: TunnelParts) -> None:
        """Tell the app of answers that did not come in time, and of features that are lost."""
        for awaited in parts.awaited.take_expired(self._clock()):
            self._hand_over(awaited, FeatureAnswer("timed-out", reason="no answer came in time"))
        if (lost := parts.queue.dropped - self._told_dropped) > 0:
            self._told_dropped += lost
            text = f"{lost} features that waited to go up were dropped, the oldest first"
            self._on_notice(Notice("features-dropped", text, {"count": lost}))
        if parts.queue.damage != self._told_damage:
            self._told_damage = parts.queue.damage
            self._on_notice(Notice("damaged", f"the spool of features begins anew: {self._told_damage}"))

    def _wait(self, parts: TunnelParts) -> float | None:
        moments = [parts.queue.sync_due, self._leave_at]
        if self._connecting is None and self._may_connect():
            moments.append(self._due)
        if (deadline := parts.awaited.due) is not None:
            moments.append(self._monotonic() + deadline - self._clock())
        soonest = min(moments)
        return None if soonest == math.inf else max(0.0, soonest - self._monotonic())
