"""The check-in: three request headers in, response headers out, from memory.

Order: read the device header, find the app, check the credential, look up or make the plan that all devices with
the same facts and profile share, draw this device's cohorts, write offers, note the check-in with its draws.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from walle.gateway.buffer import CheckInBuffer
from walle.gateway.cache import TwoGenerationCache
from walle.gateway.counts import CHECK_IN
from walle.gateway.exposure_log import exposure_records, open_changes
from walle.gateway.offers import OfferRecipient, OfferWriter
from walle.gateway.plans import Plans
from walle.gateway.ports import AppState, CheckInRecord, DeviceClaims, GatewayState
from walle.gateway.problems import HttpProblem, unavailable
from walle.gateway.table_cache import TableCache
from walle.protocol.errors import CredentialRefused, HeaderMalformed
from walle.protocol.headers import APP, DEVICE, MAX_LINES, PROFILE, AppHeader, DeviceHeader, read_app, read_device
from walle.release.candidates import Change
from walle.release.decision import CompiledTable, DevicePlan, choose
from walle.release.rules import Facts, seen_facts
from walle.release.table import Entry

log = logging.getLogger(__name__)

RawHeaders = Collection[tuple[bytes, bytes]]

CACHE_BYTES: Final = 32 << 20
# What a cache entry costs beside the headers it is found by: parsed facts and profile, plan, dictionaries.
_ENTRY_OVERHEAD: Final = 4096
MAX_OFFERS: Final = 4
"""Offers in one response, so that the headers stay small; the next check-in brings the rest."""
_SPREAD: Final = 64
STATE_KEY: Final = "walle.check_ins"
"""Where in the server's lifespan state the gateway leaves its handler for walle.gateway.uvicorn_protocol."""
_SOON: Final = (b"walle-retry-after", b"1")
_NO_FACTS: Final[Mapping[str, Any]] = {}


class CheckInAnswer(NamedTuple):
    """Response headers of a check-in; an empty problem means it was in order."""

    headers: list[tuple[bytes, bytes]]
    problem: HttpProblem | None = None


class RawCheckIn(NamedTuple):
    """The three headers as received, empty where absent; `crowded` is one that came in too many lines to be read."""

    device: bytes
    app: bytes
    profile: bytes
    crowded: str = ""


class SharedAnswer(NamedTuple):
    """What devices with the same headers have in common: what they say, and the plan that a table makes of it.

    The plan is that of devices in no list and without trusted facts; it is not known while there is no table.
    """

    claims: DeviceClaims
    table: CompiledTable | None
    plan: DevicePlan


def walle_headers(headers: RawHeaders) -> RawCheckIn:
    """Picks Walle's headers out of an ASGI scope's; several lines of one header are joined (RFC 9110, section 5.3)."""
    device = app = profile = b""
    for name, value in headers:
        if name == b"walle-device":
            if device:
                return _joined(headers)
            device = value
        elif name == b"walle-app":
            if app:
                return _joined(headers)
            app = value
        elif name == b"walle-profile":
            if profile:
                return _joined(headers)
            profile = value
    return RawCheckIn(device, app, profile)


def _joined(headers: RawHeaders) -> RawCheckIn:
    lines: dict[str, list[bytes]] = {DEVICE: [], APP: [], PROFILE: []}
    ours = {name.lower().encode(): found for name, found in lines.items()}
    for name, value in headers:
        if value and name in ours:
            ours[name].append(value)
    crowded = next((name for name, found in lines.items() if len(found) > MAX_LINES), "")
    device, app, profile = (b", ".join(found[:MAX_LINES]) for found in lines.values())
    return RawCheckIn(device, app, profile, crowded)


class CheckInHandler:
    """Answers check-ins.

    `take` says whether one more offer of a release with a pace may be made now. `clock` gives Unix seconds, `jitter` a
    number in 0..1 for spreading devices in time.
    """

    def __init__(
        self,
        tables: TableCache,
        buffer: CheckInBuffer,
        take: Callable[[int], bool],
        clock: Callable[[], float],
        jitter: Callable[[], float],
    ) -> None:
        self._tables = tables
        self._buffer = buffer
        self._take = take
        self._clock = clock
        self._jitter = jitter
        self._shared: TwoGenerationCache[tuple[bytes, bytes], SharedAnswer] = TwoGenerationCache(CACHE_BYTES)
        self._plans: dict[str, Plans] = {}
        self._offers = OfferWriter()
        self._counts = buffer.counts
        self._measuring = False

    def measure_next(self) -> None:
        """Have the next check-in timed; reading the clock for each would cost a twentieth of the answer."""
        self._measuring = True

    def answer(self, raw: RawCheckIn) -> CheckInAnswer:
        """The response headers of one check-in; refusals are part of the answer, nothing is raised."""
        try:
            return self._measured(raw) if self._measuring else self._answer(raw)
        except HeaderMalformed as error:
            return self._refusal(HttpProblem(400, error.code, str(error)))
        except CredentialRefused as error:
            return self._refusal(HttpProblem(401, error.code, str(error)))
        except HttpProblem as problem:
            return self._refusal(problem)
        except Exception:
            log.exception("a check-in failed", extra=named(raw))
            failure = HttpProblem(500, "internal-error", "the check-in failed: try again later")
            self._counts.refusals[CHECK_IN, failure.code] += 1
            return CheckInAnswer([], failure)  # nothing about it on a request that it only rode on

    def _measured(self, raw: RawCheckIn) -> CheckInAnswer:
        self._measuring = False
        began = self._counts.clock()
        try:
            return self._answer(raw)
        finally:
            self._counts.answer_s.observe(self._counts.clock() - began)

    def _refusal(self, problem: HttpProblem) -> CheckInAnswer:
        self._counts.refusals[CHECK_IN, problem.code] += 1
        return CheckInAnswer([(b"walle-error", problem.code.encode())], problem)

    def identify(self, raw: RawCheckIn) -> tuple[AppState, DeviceHeader, Mapping[str, Any]]:
        """Who sends these headers, with the trusted facts in its credential; raises as it finds."""
        if raw.crowded:
            raise _too_many_lines(raw.crowded)
        state = app_state(self._tables.state, read_app(raw.app).app)
        device = read_device(raw.device)
        return state, device, _signed_facts(state, device.device, device.credential, self._clock()) or _NO_FACTS

    def _answer(self, raw: RawCheckIn) -> CheckInAnswer:
        if raw.crowded:
            raise _too_many_lines(raw.crowded)
        now = self._clock()
        device, credential, number = read_device(raw.device)
        shared = self._shared.get((raw.app, raw.profile))
        said = shared.claims if shared else read_app(raw.app)
        state = app_state(self._tables.state, said.app)
        table = state.table
        signed = _signed_facts(state, device, credential, now)
        held, lists = state.held.get(device) if state.held else None, table.lists_of(device)
        trusted = {**(signed or _NO_FACTS), **held} if held else signed or _NO_FACTS
        facts = seen_facts(said.facts, trusted, lists) if trusted or lists else said.facts
        if shared and shared.table is table and facts is said.facts:
            claims, plan = shared.claims, shared.plan
        else:
            claims, plan = self._planned(raw, said, facts, shared, table)
        record = CheckInRecord(claims, device, signed or _NO_FACTS, now, (), signed is not None or held is not None)
        if number > table.table.number:
            self._tables.suspect()
        elif plan and self._tables.may_offer():
            changes, held_back = choose(plan, device)
            if changes or held_back or plan.removals:
                asker = OfferRecipient(device, str(claims.facts.get("region", "")), claims.profile, trusted)
                return self._decided(state, asker, record, [*plan.removals, *changes], held_back)
        self._buffer.add(record)
        return _nothing_new(table.table.interval)[int(self._jitter() * _SPREAD)]

    def _planned(
        self,
        raw: RawCheckIn,
        said: AppHeader | DeviceClaims,
        facts: Facts,
        known: SharedAnswer | None,
        table: CompiledTable,
    ) -> tuple[DeviceClaims, DevicePlan]:
        """Claims and plan of a device with these facts, which are all that it says itself or more.

        Only now that the sender has proved who it is are its headers remembered.
        """
        plans = self._plans.get(said.app)
        if plans is None or plans.table is not table:
            plans = self._plans[said.app] = Plans(table)
        profile, plan = plans.of(facts, raw.profile)
        claims = known.claims if known else DeviceClaims(_identity(raw), said.app, said.facts, profile)
        if facts is said.facts or known is None:
            shared = SharedAnswer(claims, table if facts is said.facts else None, plan)
            self._shared.put((raw.app, raw.profile), shared, len(raw.app) + 2 * len(raw.profile) + _ENTRY_OVERHEAD)
        return claims, plan

    def _decided(
        self,
        state: AppState,
        asker: OfferRecipient,
        record: CheckInRecord,
        changes: list[Change],
        held_back: list[Entry],
    ) -> CheckInAnswer:
        """The answer to a device that should change something, or is held back from it."""
        table = state.table.table
        changes, held_back = open_changes(changes, record.at), open_changes(held_back, record.at)
        offered, more = self._offered(asker.device, changes)
        if drawn := exposure_records(asker.device, table.number, changes, offered, held_back):
            record = record._replace(drawn=self._buffer.news(asker.device, drawn))
            for draw in record.drawn:
                self._counts.draws[record.claims.app, draw.arm] += 1
        self._buffer.add(record)
        answer = _nothing_new(table.interval)[int(self._jitter() * _SPREAD)]
        if not offered:
            return answer
        self._counts.offered += 1
        for change in offered:
            self._counts.offers[record.claims.app, change if isinstance(change, str) else change.task] += 1
        value = self._offers.write(state, asker, offered, record.at)
        return CheckInAnswer([_SOON if more else answer.headers[0], (b"walle-offers", value)])

    def _offered(self, device: str, changes: list[Change]) -> tuple[list[Change], bool]:
        """What of all that should change is offered now, as far as its pace allows, and whether there may be more.

        A device that comes again before it has installed what it was offered takes nothing from the pace, which is for
        those that come new: a single one that asks all the time would leave none to others.
        """
        if len(changes) > MAX_OFFERS:
            # Any of them, not the first: those that a device keeps refusing must not stand before the rest for ever.
            start = int(self._jitter() * len(changes))
            changes = changes[start:] + changes[:start]
        offered: list[Change] = []
        for change in changes:
            if len(offered) == MAX_OFFERS:
                return offered, True
            if isinstance(change, str) or change.pace is None or self._may_pull(device, change.release):
                offered.append(change)
        return offered, False

    def _may_pull(self, device: str, release: int) -> bool:
        """Whether a release with a pace is offered to a device now."""
        return self._buffer.was_offered(device, release) or self._take(release)


@lru_cache(maxsize=1024)
def _nothing_new(interval: int) -> tuple[CheckInAnswer, ...]:
    """The answers to a device that has what it should: come again after the interval, give or take a tenth."""
    waits = [max(1, round(interval * (0.9 + 0.2 * step / _SPREAD))) for step in range(_SPREAD)]
    return tuple(CheckInAnswer([(b"walle-retry-after", b"%d" % wait)]) for wait in waits)


def _too_many_lines(header: str) -> HttpProblem:
    return HttpProblem(431, "headers-too-large", f"expected {header} in at most {MAX_LINES} lines")


def _identity(raw: RawCheckIn) -> str:
    return blake2b(b"\n".join((raw.app, raw.profile)), digest_size=8).hexdigest()


def _signed_facts(state: AppState, device: str, credential: str, now: float) -> Mapping[str, Any] | None:
    if device in state.revoked:
        raise HttpProblem(401, "device-revoked", "this device may no longer check in")
    return state.keyring.read_credential(credential, device, now)


def app_state(state: GatewayState | None, app: str) -> AppState:
    """What is known of an app; raises Problem."""
    if state is None:
        raise unavailable("the gateway has not read its tables yet")
    found = state.apps.get(app)
    if found is None:
        raise HttpProblem(400, "app-unknown", f"{app[:40]!r} is not an app of this server")
    return found


def named(raw: RawCheckIn) -> dict[str, str]:
    """Which app and device the headers name, for log lines: empty where they cannot be read, proved nowhere."""
    found = {"app": "", "device": ""}
    with contextlib.suppress(HeaderMalformed):
        found["device"] = read_device(raw.device).device
        found["app"] = read_app(raw.app).app
    return found
