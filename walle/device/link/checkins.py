"""Check-ins: ask the cloud what to change, by an own request or on the app's, and carry out the answer."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from typing import Final

from walle.device.errors import RootRefused, ServerRefused, Unreachable
from walle.device.link.backoff import CheckInPacer
from walle.device.link.cloud import CloudAnswer, CloudClient
from walle.device.link.enrolment import DeviceMemory, Enrolment
from walle.device.link.inbox import Inbox
from walle.device.link.offers import OfferOutcome, Roots, Updates
from walle.device.link.profile import HeaderWriter
from walle.device.notices import Name, Notice, NoticeHandler
from walle.device.service import DeviceService
from walle.protocol.deferrals import DEFERRAL
from walle.protocol.headers import Offer

log = logging.getLogger(__name__)

REVOKED: Final = "device-revoked"
UNAUTHORIZED: Final = 401
_CHECK_INS_AT_ONCE: Final = 8
_LOOK_S: Final = 5.0
"""How often a device looks whether the moment has come for what it put off."""
FIRST_RIDE_S: Final = 5.0
"""The seconds for which an app's first check-in waits for a request that carries it."""
CREDENTIAL_REFUSALS: Final = frozenset({"credential-invalid", "credential-expired", "credential-key-retired", REVOKED})
"""The codes of a refused credential; all but REVOKED lead to a new one."""


def _nothing() -> None:
    pass


class CheckIns(DeviceService):
    """One device's check-ins, one at a time, in requests of their own or carried by an app's requests.

    `monotonic` returns the seconds of a clock that never jumps; `finished` is called after each turn, when the offers
    are carried out. `deferral` returns the header that says which offers are not carried out now, "" for none.
    There is nothing to recover: an interrupted offer is made again.
    """

    def __init__(
        self,
        store: DeviceMemory,
        cloud: CloudClient,
        trust: Roots,
        updater: Updates,
        *,
        enrolment: Enrolment,
        headers: HeaderWriter,
        pacer: CheckInPacer,
        monotonic: Callable[[], float],
        on_notice: NoticeHandler,
        finished: Callable[[], None] = _nothing,
        deferral: Callable[[], str] = lambda: "",
    ) -> None:
        self._store, self._cloud, self._trust = store, cloud, trust
        self._updater, self._enrolment = updater, enrolment
        self._headers, self.pacer = headers, pacer
        self._monotonic, self._on_notice, self._finished = monotonic, on_notice, finished
        self._deferral, self._put_off = deferral, False
        self._inbox = Inbox()
        self.wake = self._inbox.wake
        self._refused = False
        self._renewed = False  # since the last answer

    @property
    def enrolled(self) -> bool:
        return self._store.state.credential is not None and not self._refused

    def expect_carriers(self) -> None:
        """Let the first check-in wait FIRST_RIDE_S for an app's request to carry it. For any thread."""
        if self.enrolled:
            self.pacer.await_ride(self._monotonic(), min(FIRST_RIDE_S, self.pacer.interval))

    def headers(self) -> dict[str, str]:
        """Return the headers that an app's next request should carry; none if it is too soon. For any thread."""
        rides = self.enrolled and self.pacer.may_ride(self._monotonic())
        return self._written() if rides else {}

    def receive(self, answer: CloudAnswer) -> None:
        """Queue the answer in an app's response, or what came by the tunnel. For any thread."""
        self._inbox.put(answer)

    def _written(self) -> dict[str, str]:
        headers, deferral = self._headers.headers(self._store.state), self._deferral()
        return {**headers, DEFERRAL: deferral} if headers and deferral else headers

    async def turn(self) -> float:
        """Handle queued answers and check in if it is due; return the seconds until the next turn."""
        for answer in self._inbox.take():
            await self._act(answer)
        if self.pacer.ready(self._monotonic()) or self._moment_came():
            await self.check_in()
        self._finished()
        return self.wait()

    def wait(self) -> float:
        """Return the seconds until the next turn."""
        return min(self.pacer.wait(self._monotonic()), _LOOK_S if self._put_off else math.inf)

    def _moment_came(self) -> bool:
        """Return whether offers that were put off can be carried out now: then the next check-in brings them."""
        return self._put_off and not self.pacer.failures and not self._deferral()

    async def once(self) -> None:
        """Check in until nothing more changes."""
        for _ in range(_CHECK_INS_AT_ONCE):
            if not await self.check_in():
                return

    async def check_in(self) -> bool:
        """Enrol if needed, check in, and carry out the answer; a failure only delays the next check-in.

        Returns whether another check-in makes sense at once: something changed, or the credential must be renewed.
        """
        try:
            if not self.enrolled:
                await self._enrol()
            return await self._act(await self._cloud.check_in(self._written()))
        except Unreachable as error:
            self.pacer.failed(self._monotonic(), error.retry_after)
            self._on_notice(Notice("offline", str(error)))
        except ServerRefused as error:
            return self._refused_by_server(error.status, error.reason)
        return False

    async def _enrol(self) -> None:
        credential = await self._enrolment.enrol(self._store, self._cloud)
        self._refused, self._renewed = False, self._refused
        self._on_notice(Notice("enrolled", f"enrolled as {credential.device}", {"device": credential.device}))

    def _refused_by_server(self, status: int, reason: str) -> bool:
        """Return True if the credential should be renewed at once: not if it is new, and not for other refusals."""
        renewable = status == UNAUTHORIZED and reason != REVOKED
        at_once = renewable and not self._refused and not self._renewed
        self._refused = self._refused or renewable
        if at_once:
            self.pacer.answered(self._monotonic(), soon=True)
        else:
            self.pacer.failed(self._monotonic())
        self._on_notice(Notice("refused-by-server", f"the server answered {status}: {reason}", {"reason": reason}))
        return at_once

    async def _act(self, answer: CloudAnswer) -> bool:
        if answer.error is not None:
            status = UNAUTHORIZED if answer.error in CREDENTIAL_REFUSALS else 400
            return self._refused_by_server(status, answer.error)
        if answer.pushed:
            return await self._update(answer.offers)
        self._renewed = self._put_off = False
        self.pacer.answered(self._monotonic(), answer.retry_after, soon=bool(answer.offers))
        tasks = [offer.task for offer in answer.offers]
        self._on_notice(Notice("checked-in", f"checked in: {_listed(tasks)}", {"offers": tasks}))
        return await self._update(answer.offers) if answer.offers else False

    async def _update(self, offers: Sequence[Offer]) -> bool:
        try:
            roots = await self._trust.refresh()
        except RootRefused as error:
            log.error("the roots of trust are not accepted: %s", error)
            self._on_notice(Notice("refused", f"no offer is believed: {error}", {"code": error.code}))
            return False
        outcomes = []
        for offer in offers:
            outcomes.append(await self._updater.apply(offer, roots))
            self._on_notice(_outcome_notice(outcomes[-1]))
        self._put_off = self._put_off or any(outcome.result == "put-off" for outcome in outcomes)
        return any(outcome.result in ("installed", "removed") for outcome in outcomes)


def _listed(tasks: Sequence[str]) -> str:
    return f"{len(tasks)} offers ({', '.join(tasks)})" if tasks else "nothing new"


def _outcome_notice(outcome: OfferOutcome) -> Notice:
    name: Name = outcome.result
    version = f" {outcome.version}" if outcome.version else ""
    reason = f" ({outcome.code}): {outcome.detail}" if outcome.code else ""
    data = {"task": outcome.task, "version": outcome.version, "code": outcome.code}
    return Notice(name, f"{outcome.task}{version}: {outcome.result}{reason}", data)
