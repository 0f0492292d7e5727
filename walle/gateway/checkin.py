"""The check-in: three request headers in, response headers out, from memory.

Order: read the device header, find the app, check the credential, look up or make the plan that all devices with
the same facts and profile share, draw this device's cohorts, write offers, note the check-in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from walle.gateway.buffer import CheckInBuffer
from walle.gateway.cache import TwoGenerationCache
from walle.gateway.holder import StateHolder
from walle.gateway.offers import Asker, Change, OfferWriter
from walle.gateway.ports import AppState, Claims, State
from walle.gateway.problems import Problem, unavailable
from walle.protocol.errors import CredentialRefused, HeaderMalformed
from walle.protocol.headers import AppHeader, DeviceHeader, read_app, read_device, read_profile
from walle.release.decision import CompiledTable, Plan, choose

RawHeaders = Iterable[tuple[bytes, bytes]]

CACHE_BYTES: Final = 32 << 20
# What a cache entry costs beside the headers it is found by: parsed facts and profile, plan, dictionaries.
_ENTRY_OVERHEAD: Final = 4096
MAX_OFFERS: Final = 4
"""Offers in one response, so that the headers stay small; the next check-in brings the rest."""
_SOON_S: Final = 1


class Answer(NamedTuple):
    """Response headers of a check-in; an empty problem means it was in order."""

    headers: list[tuple[bytes, bytes]]
    problem: Problem | None = None


class RawCheckIn(NamedTuple):
    """The three headers as received, empty where absent."""

    device: bytes
    app: bytes
    profile: bytes


@dataclass(slots=True)
class Shared:
    """What devices with the same headers (and the same facts in their credentials) have in common."""

    claims: Claims
    facts: Mapping[str, Any]
    region: str
    table: CompiledTable
    plan: Plan


def walle_headers(headers: RawHeaders) -> RawCheckIn:
    """Picks Walle's headers out of an ASGI scope's."""
    device = app = profile = b""
    for name, value in headers:
        if name == b"walle-device":
            device = value
        elif name == b"walle-app":
            app = value
        elif name == b"walle-profile":
            profile = value if not profile else profile + b", " + value
    return RawCheckIn(device, app, profile)


class CheckInDesk:
    """Answers check-ins. `clock` gives Unix seconds, `jitter` a number in 0..1 for spreading devices in time."""

    def __init__(
        self,
        holder: StateHolder,
        buffer: CheckInBuffer,
        clock: Callable[[], float],
        jitter: Callable[[], float],
    ) -> None:
        self._holder = holder
        self._buffer = buffer
        self._clock = clock
        self._jitter = jitter
        self._apps: TwoGenerationCache[bytes, AppHeader] = TwoGenerationCache(CACHE_BYTES // 4)
        self._shared: TwoGenerationCache[tuple[bytes, bytes, str], Shared] = TwoGenerationCache(CACHE_BYTES)
        self._offers = OfferWriter()

    def answer(self, raw: RawCheckIn) -> Answer:
        """The response headers of one check-in; refusals are part of the answer, nothing is raised."""
        try:
            return self._answer(raw)
        except HeaderMalformed as error:
            return _refusal(Problem(400, error.code, str(error)))
        except CredentialRefused as error:
            return _refusal(Problem(401, error.code, str(error)))
        except Problem as problem:
            return _refusal(problem)

    def identify(self, raw: RawCheckIn) -> tuple[AppState, AppHeader, DeviceHeader, Mapping[str, Any]]:
        """Who sends these headers, with the facts its credential vouches for; raises as it finds."""
        app = self._read_app(raw.app)
        device = read_device(raw.device)
        state = app_state(self._holder.state, app.app)
        if device.device in state.revoked:
            raise Problem(401, "device-revoked", "this device may no longer check in")
        trusted = state.keyring.read_credential(device.credential, device.device, self._clock())
        return state, app, device, trusted

    def _answer(self, raw: RawCheckIn) -> Answer:
        state, app, device, trusted = self.identify(raw)
        # The part of a credential between its second and third dot holds the facts.
        key = (raw.app, raw.profile, device.credential.split(".")[2] if trusted else "")
        shared = self._shared.get(key)
        if shared is None:
            shared = _share(state.table, app, trusted, raw)
            self._shared.put(key, shared, len(raw.app) + len(raw.profile) + len(key[2]) + _ENTRY_OVERHEAD)
        elif shared.table is not state.table:
            shared.table, shared.plan = state.table, state.table.plan(shared.facts, shared.claims.profile)
        self._buffer.add(shared.claims, device.device, trusted, self._clock())
        return self._respond(state, shared, device, trusted)

    def _read_app(self, raw: bytes) -> AppHeader:
        header = self._apps.get(raw)
        if header is None:
            header = read_app(raw)
            if self._holder.state and header.app in self._holder.state.apps:
                self._apps.put(raw, header, len(raw) + _ENTRY_OVERHEAD)
        return header

    def _respond(self, state: AppState, shared: Shared, device: DeviceHeader, trusted: Mapping[str, Any]) -> Answer:
        table = state.table.table
        retry = (b"walle-retry-after", b"%d" % (table.interval * (0.9 + 0.2 * self._jitter())))
        if device.number > table.number:
            self._holder.suspect()
            return Answer([retry])
        if not shared.plan or not self._holder.may_offer():
            return Answer([retry])
        changes: list[Change] = [*shared.plan.removals, *choose(shared.plan, device.device)]
        if not changes:
            return Answer([retry])
        if len(changes) > MAX_OFFERS:
            retry = (b"walle-retry-after", b"%d" % _SOON_S)
        asker = Asker(device.device, shared.region, shared.claims.profile, trusted)
        value = self._offers.write(state, asker, changes[:MAX_OFFERS], self._clock())
        return Answer([retry, (b"walle-offers", value)])


def app_state(state: State | None, app: str) -> AppState:
    """What is known of an app; raises Problem."""
    if state is None:
        raise unavailable("the gateway has not read its tables yet")
    found = state.apps.get(app)
    if found is None:
        raise Problem(400, "app-unknown", f"{app} is not an app of this server")
    return found


def _share(table: CompiledTable, app: AppHeader, trusted: Mapping[str, Any], raw: RawCheckIn) -> Shared:
    identity = blake2b(b"\n".join((raw.app, raw.profile)), digest_size=8).hexdigest()
    claims = Claims(identity, app.app, app.facts, read_profile(raw.profile))
    facts = {**app.facts, **trusted}
    region = str(app.facts.get("region", ""))
    return Shared(claims, facts, region, table, table.plan(facts, claims.profile))


def _refusal(problem: Problem) -> Answer:
    return Answer([(b"walle-error", problem.code.encode())], problem)
