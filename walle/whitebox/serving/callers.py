"""Who asks: a device by its credential, or a user whom a business service names, by the service's API token.

No request waits for the database: what a token permits is kept by its digest. After FRESH_S it is asked for again in
the background while the answer still holds; after KEPT_S it holds no longer. So a revoked token that is in use stops
working after FRESH_S and one question, and while the control plane is away known tokens work for KEPT_S.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from walle.protocol.errors import CredentialRefused, HeaderMalformed
from walle.protocol.headers import APP, DEVICE, read_app, read_device
from walle.protocol.names import DEVICE_ID_PATTERN
from walle.release.rules import Facts
from walle.whitebox.serving.ports import ControlPlaneAway, ServedApp, ServiceGrant, ServiceTokens
from walle.whitebox.serving.problems import PredictionRefused
from walle.whitebox.serving.routing import RoutedCaller

log = logging.getLogger(__name__)

FRESH_S: Final = 2.0
KEPT_S: Final = 900.0
MOST_KEPT: Final = 10_000
"""The most tokens that are kept, unknown ones included."""
MOST_WAITING: Final = 64
"""The most questions about tokens at a time; whoever brings another unknown one is told to come again."""
CALLER: Final = "Walle-Caller"
CALLER_EXPECTED: Final = "a caller's id: 1 to 64 of A-Z, a-z, 0-9, _ and -"
_TOKEN: Final = re.compile(rb"[Bb]earer +(wl_[0-9a-f]{8}_[0-9a-f]{64}) *")
_NOBODY: Final[Facts] = {}

Headers = Mapping[bytes, bytes]


class _Known(NamedTuple):
    """What was found out about a token, and when that was last tried again, in monotonic seconds."""

    grant: ServiceGrant | None
    at: float
    tried: float


class TokenCache:
    """What tokens permit. `clock` returns Unix seconds, `monotonic` those of a clock that never jumps."""

    def __init__(self, tokens: ServiceTokens, clock: Callable[[], float], monotonic: Callable[[], float]) -> None:
        self._tokens = tokens
        self._clock, self._monotonic = clock, monotonic
        self._known: dict[str, _Known] = {}
        self._asking: dict[str, asyncio.Task[ServiceGrant | None]] = {}

    async def grant_of(self, token: bytes) -> ServiceGrant:
        """Return what a token permits. Raises PredictionRefused (401, or 503 if nobody can tell now)."""
        digest = hashlib.sha256(token).hexdigest()
        known = self._known.get(digest)
        age = self._monotonic() - known.at if known is not None else float("inf")
        if known is None or age > KEPT_S or (known.grant is None and age > FRESH_S):
            grant = await self._asked(digest)
        else:
            grant = known.grant
            stale = self._monotonic() - known.tried > FRESH_S
            if stale and digest not in self._asking and len(self._asking) < MOST_WAITING:
                self._known[digest] = known._replace(tried=self._monotonic())
                self._ask(digest).add_done_callback(_log_failure)
        if grant is None or (grant.expires is not None and grant.expires <= self._clock()):
            raise PredictionRefused(401, "token-refused", "the token is unknown, revoked, expired, or for other uses")
        return grant

    async def _asked(self, digest: str) -> ServiceGrant | None:
        asking = self._asking.get(digest)
        if asking is None:
            if len(self._asking) >= MOST_WAITING:
                raise PredictionRefused(503, "tokens-busy", "too many unknown tokens at a time", retry_after=1)
            asking = self._ask(digest)
        try:
            return await asyncio.shield(asking)
        except ControlPlaneAway as error:
            text = "the token cannot be checked while the control plane is away"
            raise PredictionRefused(503, "tokens-unavailable", text, retry_after=2) from error

    def _ask(self, digest: str) -> asyncio.Task[ServiceGrant | None]:
        task = self._asking[digest] = asyncio.create_task(self._find(digest))
        return task

    async def _find(self, digest: str) -> ServiceGrant | None:
        try:
            grant = await self._tokens.find(digest)
        finally:
            del self._asking[digest]
        self._known.pop(digest, None)
        while len(self._known) >= MOST_KEPT:
            del self._known[next(iter(self._known))]
        self._known[digest] = _Known(grant, self._monotonic(), self._monotonic())
        return grant


def _log_failure(task: asyncio.Task[ServiceGrant | None]) -> None:
    error = None if task.cancelled() else task.exception()
    if isinstance(error, ControlPlaneAway):
        log.info("a token is taken at its former word: %s", error)
    elif error is not None:
        log.error("a token could not be checked", exc_info=error)


class Authenticated(NamedTuple):
    """Who sent a request. `sender` is a device's id or a service's name, for logs and limits.

    `device` is the caller if the sender is a device; a service names its caller in the request.
    """

    sender: str
    device: RoutedCaller | None

    def caller(self, named: object, facts: Facts, held: Mapping[str, Mapping[str, Any]]) -> RoutedCaller:
        """Return the caller, given the id and the facts that the request names. Raises PredictionRefused."""
        if self.device is not None:
            if named is not None and named != self.device.id:
                raise PredictionRefused(403, "caller-refused", "a device asks for itself: expected no other caller")
            return self.device
        if not isinstance(named, str) or not DEVICE_ID_PATTERN.fullmatch(named):
            raise PredictionRefused(422, "caller-missing", f"caller: expected {CALLER_EXPECTED}")
        return RoutedCaller(named, _NOBODY, {**facts, **held.get(named, _NOBODY)}, True)


class CallerAuthentication:
    """Authenticates requests. `clock` returns Unix seconds."""

    def __init__(self, tokens: TokenCache, clock: Callable[[], float]) -> None:
        self._tokens = tokens
        self._clock = clock

    async def authenticate(self, headers: Headers, slug: str, app: ServedApp | None) -> Authenticated:
        """Return who sent a request for an app, which may not exist. Raises PredictionRefused (401, 403, 503)."""
        if authorization := headers.get(b"authorization"):
            match = _TOKEN.fullmatch(authorization)
            if match is None:
                raise PredictionRefused(401, "token-malformed", "expected Authorization: Bearer wl_...")
            grant = await self._tokens.grant_of(match[1])
            if grant.apps is not None and slug not in grant.apps:
                raise PredictionRefused(403, "token-not-enough", f"the token may not ask for callers of {slug[:40]}")
            return Authenticated(grant.service, None)
        if DEVICE.lower().encode() in headers:
            return self._device(headers, app)
        text = f"expected Authorization: Bearer with an API token, or {DEVICE} with a device's credential"
        raise PredictionRefused(401, "unauthenticated", text)

    def _device(self, headers: Headers, app: ServedApp | None) -> Authenticated:
        try:
            device = read_device(headers[DEVICE.lower().encode()])
            if app is None or device.device in app.revoked:
                raise PredictionRefused(401, "device-revoked", "this device may not ask")
            signed = app.keyring.read_credential(device.credential, device.device, self._clock())
            said = headers.get(APP.lower().encode())
            claims = read_app(said).facts if said else _NOBODY
        except HeaderMalformed as error:
            raise PredictionRefused(400, error.code, str(error)) from error
        except CredentialRefused as error:
            raise PredictionRefused(401, error.code, str(error)) from error
        held = app.held.get(device.device)
        trusted = {**(signed or _NOBODY), **(held or _NOBODY)}
        vouched = signed is not None or held is not None
        return Authenticated(device.device, RoutedCaller(device.device, claims, trusted, vouched))
