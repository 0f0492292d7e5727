"""The HTTP client of a device: five requests and the parsing of their answers. It makes no decisions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from walle.device.errors import ServerRefused, Unreachable
from walle.device.storage.state import Credential
from walle.protocol import headers as wire
from walle.protocol.connections import connection_limits
from walle.protocol.errors import HeaderMalformed

PREFIX = "/walle/v1"
ROOT_LIMIT = 1 << 20


@dataclass(frozen=True)
class CloudAnswer:
    """Walle's part of a response: offers, seconds until the next check-in, or the code of a refusal.

    `walle` is false for a response without any of Walle's headers: nobody answered the check-in. With `pushed` the
    offers came by the tunnel, and no check-in was answered either.
    """

    offers: tuple[wire.Offer, ...] = ()
    retry_after: float | None = None
    error: str | None = None
    walle: bool = True
    pushed: bool = False


def read_answer(headers: httpx.Headers) -> CloudAnswer:
    """Read the answer to a check-in from a response's headers. Raises HeaderMalformed."""
    retry_after, error = headers.get(wire.RETRY_AFTER), headers.get(wire.ERROR)
    offers = headers.get(wire.OFFERS)
    if retry_after is not None and not retry_after.isdecimal():
        raise HeaderMalformed(wire.RETRY_AFTER, "a whole number of seconds")
    return CloudAnswer(
        offers=tuple(wire.read_offers(offers.encode("ascii", "replace"))) if offers else (),
        retry_after=float(retry_after) if retry_after is not None else None,
        error=error,
        walle=any(value is not None for value in (retry_after, error, offers)),
    )


@dataclass(frozen=True)
class Acknowledgement:
    """The reports that need not be sent again: accepted, or rejected for good (id to reason)."""

    accepted: tuple[str, ...] = ()
    rejected: Mapping[str, str] = field(default_factory=dict)


def http_client(
    transport: httpx.AsyncBaseTransport | None = None, *, limits: httpx.Limits | None = None
) -> httpx.AsyncClient:
    """Return a client with a long timeout for transfers and a short one for connecting; a transport has own limits."""
    timeout = httpx.Timeout(30.0, connect=10.0)
    return httpx.AsyncClient(timeout=timeout, transport=transport, limits=limits or connection_limits())


class CloudClient:
    """The gateway at `server` (scheme and host, with or without the prefix /walle/v1).

    Every method raises Unreachable when there is no answer or a server error, and ServerRefused for a 4xx.
    """

    def __init__(self, server: str, client: httpx.AsyncClient) -> None:
        base = server.rstrip("/")
        self.base = base if base.endswith(PREFIX) else base + PREFIX
        self.client = client

    def url(self, address: str) -> str:
        """Return the absolute form of an address in an offer."""
        return str(httpx.URL(self.base + "/").join(address))

    async def check_in(self, headers: Mapping[str, str]) -> CloudAnswer:
        """Check in with a request of its own, for a device without an app's request to carry it."""
        response = await self._send("GET", "/checkin", headers=headers)
        return read_answer(response.headers)

    async def enrol(self, body: Mapping[str, Any]) -> Credential:
        """Request a credential for this device; docs/protocol.md describes the body."""
        answer = _object(await self._send("POST", "/enrol", json=body))
        device, token = answer.get("device"), answer.get("credential")
        if not (isinstance(device, str) and isinstance(token, str)):
            raise Unreachable("/enrol: expected device and credential in the answer")
        return Credential(device, token)

    async def send_reports(self, reports: Sequence[Mapping[str, Any]], headers: Mapping[str, str]) -> Acknowledgement:
        answer = _object(await self._send("POST", "/reports", json={"reports": list(reports)}, headers=headers))
        try:
            rejected = {str(item["id"]): str(item.get("code")) for item in answer.get("rejected", ())}
            return Acknowledgement(tuple(map(str, answer.get("accepted", ()))), rejected)
        except (TypeError, KeyError, AttributeError) as error:
            raise Unreachable("/reports: expected lists of accepted and rejected reports") from error

    async def root(self, version: int) -> bytes | None:
        """Return the root of that version; None if there is none yet."""
        try:
            response = await self._send("GET", f"/roots/{version}.json")
        except ServerRefused as refused:
            if refused.status == 404:
                return None
            raise
        if len(response.content) > ROOT_LIMIT:
            raise ServerRefused(response.status_code, f"root {version} is longer than {ROOT_LIMIT} bytes")
        return response.content

    async def _send(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        try:
            response = await self.client.request(method, self.base + path, **arguments)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"{path}: {error or type(error).__name__}") from error
        if response.status_code >= 500 or response.status_code == 429:
            code = response.headers.get(wire.ERROR, "").strip()[:80]
            answer = f"{response.status_code} {code}".rstrip()
            raise Unreachable(f"{path}: the server answered {answer}", _retry_after(response))
        if not response.is_success:
            raise ServerRefused(response.status_code, response.headers.get(wire.ERROR) or _problem(response))
        return response


def _retry_after(response: httpx.Response) -> float | None:
    text = response.headers.get(wire.RETRY_AFTER) or response.headers.get("Retry-After") or ""
    return float(text) if text.isdecimal() else None


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        value = response.json()
    except ValueError as error:
        raise Unreachable(f"{response.url.path}: expected JSON") from error
    if not isinstance(value, dict):
        raise Unreachable(f"{response.url.path}: expected a JSON object")
    return value


def _problem(response: httpx.Response) -> str:
    """Return the code of an RFC 9457 problem, if the body is one."""
    try:
        return str(json.loads(response.content)["code"])
    except (ValueError, KeyError, TypeError):
        return response.reason_phrase
