"""The check-in: a few request headers in, response headers out, from memory.

Order: read the device header, find the app, check the credential, look up or compute the plan that all devices with the
same facts and profile share, select releases by this device's cohorts, write offers, record the check-in with its
exposures.
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
from walle.gateway.problems import HttpProblem, problem_of, unavailable
from walle.gateway.table_cache import TableCache
from walle.gateway.waits import ExtraCheckIns, sooner
from walle.protocol.deferrals import DEFERRAL, read_deferral
from walle.protocol.errors import CredentialRefused, HeaderMalformed
from walle.protocol.headers import APP, DEVICE, MAX_LINES, PROFILE, AppHeader, DeviceHeader, read_app, read_device
from walle.release.candidates import Change
from walle.release.decision import CompiledTable, DevicePlan, choose
from walle.release.deferral import is_put_off
from walle.release.rules import Facts, seen_facts
from walle.release.table import Entry

log = logging.getLogger(__name__)

RawHeaders = Collection[tuple[bytes, bytes]]

CACHE_BYTES: Final = 32 << 20
# What a cache entry occupies besides its headers: parsed facts and profile, plan, dictionaries.
_ENTRY_OVERHEAD: Final = 4096
MAX_OFFERS: Final = 4
"""The most offers in one response, so that the headers stay small; the next check-in brings the others."""
_SPREAD: Final = 64
STATE_KEY: Final = "walle.check_ins"
"""The key of the server's lifespan state under which walle.gateway.uvicorn_protocol finds the gateway's handler."""
_SOON: Final = (b"walle-retry-after", b"1")
_NO_FACTS: Final[Mapping[str, Any]] = {}


class CheckInAnswer(NamedTuple):
    """The response headers of a check-in, and the problem if it was refused."""

    headers: list[tuple[bytes, bytes]]
    problem: HttpProblem | None = None


class RawCheckIn(NamedTuple):
    """The headers as received, empty where absent. `crowded` names one that came in too many lines to be read."""

    device: bytes
    app: bytes
    profile: bytes
    crowded: str = ""
    deferral: bytes = b""


class SharedAnswer(NamedTuple):
    """What devices with the same headers share: their claims, and the plan that a table results in.

    The plan is that of devices in no id list and without trusted facts. Without a table it is not known.
    """

    claims: DeviceClaims
    table: CompiledTable | None
    plan: DevicePlan


def walle_headers(headers: RawHeaders) -> RawCheckIn:
    """Return Walle's headers of an ASGI scope; several lines of one header are joined (RFC 9110, section 5.3)."""
    device = app = profile = deferral = b""
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
        elif name == b"walle-deferral":
            if deferral:
                return _joined(headers)
            deferral = value
    return RawCheckIn(device, app, profile, "", deferral)


def _joined(headers: RawHeaders) -> RawCheckIn:
    lines: dict[str, list[bytes]] = {DEVICE: [], APP: [], PROFILE: [], DEFERRAL: []}
    ours = {name.lower().encode(): found for name, found in lines.items()}
    for name, value in headers:
        if value and name in ours:
            ours[name].append(value)
    crowded = next((name for name, found in lines.items() if len(found) > MAX_LINES), "")
    device, app, profile, deferral = (b", ".join(found[:MAX_LINES]) for found in lines.values())
    return RawCheckIn(device, app, profile, crowded, deferral)


class CheckInHandler:
    """Answers check-ins.

    `take` returns whether one more offer of a release with a pace may be made now, and counts it. `clock` returns Unix
    seconds, `jitter` a number in [0, 1) that spreads devices in time.
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
        self.extra = ExtraCheckIns(buffer, buffer.counts.clock)
        self._measuring = False

    def measure_next(self) -> None:
        """Have the next check-in timed. Reading the clock for each would add a twentieth to the cost of an answer."""
        self._measuring = True

    def answer(self, raw: RawCheckIn) -> CheckInAnswer:
        """Return the response headers of one check-in. A refusal is part of the answer; nothing is raised."""
        try:
            return self._measured(raw) if self._measuring else self._answer(raw)
        except (HttpProblem, HeaderMalformed, CredentialRefused) as error:
            return self._refusal(problem_of(error))
        except Exception:
            log.exception("a check-in failed", extra=named(raw))
            failure = HttpProblem(500, "internal-error", "the check-in failed: try again later")
            self._counts.refusals[CHECK_IN, failure.code] += 1
            # Without a header: the request that carried the check-in is not affected.
            return CheckInAnswer([], failure)

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
        """Return the app, the device and the trusted facts in its credential.

        Raises HttpProblem, HeaderMalformed or CredentialRefused.
        """
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
        deferral = read_deferral(raw.deferral) if raw.deferral else None
        shared = self._shared.get((raw.app, raw.profile))
        claimed = shared.claims if shared else read_app(raw.app)
        state = app_state(self._tables.state, claimed.app)
        table = state.table
        signed = _signed_facts(state, device, credential, now)
        held, lists = state.held.get(device) if state.held else None, table.lists_of(device)
        trusted = {**(signed or _NO_FACTS), **held} if held else signed or _NO_FACTS
        facts = seen_facts(claimed.facts, trusted, lists) if trusted or lists else claimed.facts
        if shared and shared.table is table and facts is claimed.facts:
            claims, plan = shared.claims, shared.plan
        else:
            claims, plan = self._planned(raw, claimed, facts, shared, table)
        vouched = signed is not None or held is not None
        record = CheckInRecord(claims, device, signed or _NO_FACTS, now, (), vouched, deferral)
        if number > table.table.number:
            self._tables.note_newer_table()
        elif plan and self._tables.may_offer():
            changes, held_back = choose(plan, device)
            if changes or held_back or plan.removals:
                region = str(claims.facts.get("region", ""))
                recipient = OfferRecipient(device, region, claims.profile, trusted, plan.withdrawn)
                return self._decided(state, recipient, record, plan, ([*plan.removals, *changes], held_back))
        self._buffer.add(record)
        return self._come_again(table.table.interval, plan.is_watched)

    def _planned(
        self,
        raw: RawCheckIn,
        claimed: AppHeader | DeviceClaims,
        facts: Facts,
        known: SharedAnswer | None,
        table: CompiledTable,
    ) -> tuple[DeviceClaims, DevicePlan]:
        """Return the claims and the plan of a device with these facts: those it claims, or more.

        The headers are cached only here, after the sender's credential was checked.
        """
        plans = self._plans.get(claimed.app)
        if plans is None or plans.table is not table:
            plans = self._plans[claimed.app] = Plans(table)
        profile, plan = plans.of(facts, raw.profile)
        claims = known.claims if known else DeviceClaims(_identity(raw), claimed.app, claimed.facts, profile)
        if facts is claimed.facts or known is None:
            shared = SharedAnswer(claims, table if facts is claimed.facts else None, plan)
            self._shared.put((raw.app, raw.profile), shared, len(raw.app) + 2 * len(raw.profile) + _ENTRY_OVERHEAD)
        return claims, plan

    def _decided(
        self,
        state: AppState,
        recipient: OfferRecipient,
        record: CheckInRecord,
        plan: DevicePlan,
        decided: tuple[list[Change], list[Entry]],
    ) -> CheckInAnswer:
        """Answer a device that should change something, or that is held back as control."""
        table = state.table.table
        changes = open_changes(decided[0], record.at, plan.withdrawn)
        held_back = open_changes(decided[1], record.at)
        told, more = self._told(record, changes, plan.withdrawn)
        offered = [change for change in told if not is_put_off(change, record.deferral, plan.withdrawn)]
        if exposures := exposure_records(recipient.device, table.number, changes, offered, held_back):
            record = record._replace(exposures=self._buffer.news(recipient.device, exposures))
            for exposure in record.exposures:
                self._counts.exposures[record.claims.app, exposure.arm] += 1
        self._buffer.add(record)
        is_selected = any(isinstance(change, Entry) and change.observed for change in offered)
        answer = self._come_again(table.interval, plan.is_watched or is_selected)
        if not told:
            return answer
        self._counts.offered += 1
        for change in offered:
            self._counts.offers[record.claims.app, change if isinstance(change, str) else change.task] += 1
        if record.deferral:
            self._counts.put_off[record.claims.app, record.deferral.counted_as] += len(told) - len(offered)
        value = self._offers.write(state, recipient, told, record.at)
        return CheckInAnswer([_SOON if more else answer.headers[0], (b"walle-offers", value)])

    def _come_again(self, interval: int, is_watched: bool) -> CheckInAnswer:
        """Return an answer without offers: check in again after the interval, or sooner if that helps."""
        wait = sooner(interval) if is_watched and self.extra.take(interval) else interval
        return _nothing_new(wait)[int(self._jitter() * _SPREAD)]

    def _told(
        self, record: CheckInRecord, changes: list[Change], withdrawn: Collection[str]
    ) -> tuple[list[Change], bool]:
        """Return the changes that the device is told, within the pace of their releases, and whether more may follow.

        What takes the place of a withdrawn version waits for no pace, and uses nothing of it. Nor does a device that
        checks in again before it has installed what it was offered. Otherwise a single device that checks in all the
        time could use up the pace of all others. What a device puts off leaves its pace to others: it hears of it only
        to know for how long it may.
        """
        if len(changes) > MAX_OFFERS:
            # Start anywhere, so that changes that the device keeps refusing do not keep others from ever being offered.
            start = int(self._jitter() * len(changes))
            changes = changes[start:] + changes[:start]
        offered: list[Change] = []
        for change in changes:
            if len(offered) == MAX_OFFERS:
                return offered, True
            if (
                isinstance(change, str)
                or change.pace is None
                or change.task in withdrawn
                or is_put_off(change, record.deferral, withdrawn)
                or self._may_pull(record.device, change.release)
            ):
                offered.append(change)
        return offered, False

    def _may_pull(self, device: str, release: int) -> bool:
        """Return whether a release with a pace may be offered to a device now."""
        return self._buffer.was_offered(device, release) or self._take(release)


@lru_cache(maxsize=1024)
def _nothing_new(interval: int) -> tuple[CheckInAnswer, ...]:
    """Return the answers without offers: the device checks in again after the interval, plus or minus a tenth."""
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
    """Return the state of an app. Raises HttpProblem if there is no state yet, or no such app."""
    if state is None:
        raise unavailable("the gateway has not read its tables yet")
    found = state.apps.get(app)
    if found is None:
        raise HttpProblem(400, "app-unknown", f"{app[:40]!r} is not an app of this server")
    return found


def named(raw: RawCheckIn) -> dict[str, str]:
    """Return the app and device that the headers name, for log lines: empty if unreadable, not authenticated."""
    found = {"app": "", "device": ""}
    with contextlib.suppress(HeaderMalformed):
        found["device"] = read_device(raw.device).device
        found["app"] = read_app(raw.app).app
    return found
