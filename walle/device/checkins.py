"""Check-ins: asking what to change, by a request of its own or on the app's, and acting on the answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

from walle.device.backoff import Pacer
from walle.device.cloud import Answer, Cloud
from walle.device.enrolment import Enrolment
from walle.device.errors import RootRefused, ServerRefused, Unreachable
from walle.device.events import Event, Listener, Name
from walle.device.inbox import Inbox
from walle.device.profile import HeaderWriter
from walle.device.store import Store
from walle.device.trust import Trust
from walle.device.updater import Outcome, Updater
from walle.protocol.headers import Offer

log = logging.getLogger(__name__)

REVOKED: Final = "device-revoked"
UNAUTHORIZED: Final = 401
_CREDENTIAL_ERRORS: Final = frozenset({"credential-invalid", "credential-expired", "credential-key-retired"})


class CheckIns:
    """One device's check-ins, one at a time. `monotonic` gives seconds of a clock that never jumps.

    `carried` is how many seconds an app's request is waited for once a check-in is due, before one is made for
    its own sake; 0 when no request of the app carries check-ins.
    """

    def __init__(
        self,
        store: Store,
        cloud: Cloud,
        trust: Trust,
        updater: Updater,
        *,
        enrolment: Enrolment,
        headers: HeaderWriter,
        pacer: Pacer,
        monotonic: Callable[[], float],
        listener: Listener,
    ) -> None:
        self._store, self._cloud, self._trust = store, cloud, trust
        self._updater, self._enrolment = updater, enrolment
        self._headers, self.pacer = headers, pacer
        self._monotonic, self._tell = monotonic, listener
        self.inbox = Inbox()
        self.carried = 0.0
        self._refused = False

    @property
    def enrolled(self) -> bool:
        return self._store.state.credential is not None and not self._refused

    def headers(self) -> dict[str, str]:
        """For an app's request: the check-in's headers, or none when none is due. Safe in any thread."""
        due = self.enrolled and self.pacer.ready(self._monotonic())
        return self._headers.headers(self._store.state) if due else {}

    async def turn(self) -> float:
        """Acts on what came in, checks in if it is time; seconds until the next turn."""
        for answer in self.inbox.take():
            await self._act(answer)
        if self._wait() <= 0.0:
            await self.check_in()
        return self._wait()

    def _wait(self) -> float:
        carried = self.carried if self.enrolled else 0.0
        return self.pacer.wait(self._monotonic() - carried)

    async def check_in(self) -> bool:
        """Enrols if need be, asks, and does what the answer says; failures only put off the next time.

        Returns whether asking again at once makes sense: something changed, or the credential must be renewed.
        """
        try:
            if not self.enrolled:
                await self._enrol()
            return await self._act(await self._cloud.check_in(self._headers.headers(self._store.state)))
        except Unreachable as error:
            self.pacer.failed(self._monotonic(), error.retry_after)
            self._tell(Event("offline", str(error)))
        except ServerRefused as error:
            return self._refused_by_server(error.status, error.reason)
        return False

    async def _enrol(self) -> None:
        credential = await self._enrolment.enrol(self._store, self._cloud)
        self._refused = False
        self._tell(Event("enrolled", f"enrolled as {credential.device}", {"device": credential.device}))

    def _refused_by_server(self, status: int, reason: str) -> bool:
        """An old credential is to be renewed at once (True); a revoked device, or another refusal, waits ever longer."""
        renewable = status == UNAUTHORIZED and reason != REVOKED and not self._refused
        self._refused = self._refused or renewable
        if renewable:
            self.pacer.answered(self._monotonic(), soon=True)
        else:
            self.pacer.failed(self._monotonic())
        self._tell(Event("refused-by-server", f"the server answered {status}: {reason}", {"reason": reason}))
        return renewable

    async def _act(self, answer: Answer) -> bool:
        if answer.error is not None:
            known = answer.error in _CREDENTIAL_ERRORS or answer.error == REVOKED
            return self._refused_by_server(UNAUTHORIZED if known else 400, answer.error)
        self.pacer.answered(self._monotonic(), answer.retry_after, soon=bool(answer.offers))
        tasks = [offer.task for offer in answer.offers]
        self._tell(Event("checked-in", f"checked in: {_listed(tasks)}", {"offers": tasks}))
        return await self._update(answer.offers) if answer.offers else False

    async def _update(self, offers: Sequence[Offer]) -> bool:
        try:
            roots = await self._trust.refresh()
        except RootRefused as error:
            log.error("the roots of trust are not accepted: %s", error)
            self._tell(Event("refused", f"no offer is believed: {error}", {"code": error.code}))
            return False
        outcomes = []
        for offer in offers:
            outcomes.append(await self._updater.apply(offer, roots))
            self._tell(_told(outcomes[-1]))
        return any(outcome.result in ("installed", "removed") for outcome in outcomes)


def _listed(tasks: Sequence[str]) -> str:
    return f"{len(tasks)} offers ({', '.join(tasks)})" if tasks else "nothing new"


def _told(outcome: Outcome) -> Event:
    name: Name = outcome.result
    version = f" {outcome.version}" if outcome.version else ""
    reason = f" ({outcome.code}): {outcome.detail}" if outcome.code else ""
    data = {"task": outcome.task, "version": outcome.version, "code": outcome.code}
    return Event(name, f"{outcome.task}{version}: {outcome.result}{reason}", data)
