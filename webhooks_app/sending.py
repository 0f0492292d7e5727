"""Send one request of a webhook: to an address checked at the time of the connection, with a time limit.

httpcore is used directly, since nothing of what httpx adds may happen here: redirects, proxies of the environment,
credentials of a .netrc.
"""

import asyncio
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

import httpcore

from walle.webhooks.addresses import Reach, UrlRefused, check_url

TIMEOUT_S: Final = 10.0
ANSWER_BYTES: Final = 1024
MOST_ADDRESSES: Final = 3
Resolve = Callable[[str, int], Awaitable[list[str]]]
# A name server that does not answer blocks a thread for as long as the system waits for it.
_RESOLVERS: Final = ThreadPoolExecutor(max_workers=100, thread_name_prefix="webhook-names")


@dataclass(frozen=True)
class WebhookResponse:
    """The answer to a request: a status and the beginning of the body; or an error, and no status."""

    duration_ms: int
    status: int | None = None
    error: str = ""
    answer: str = ""


class NotReachable(Exception):
    """The name resolves to no address that webhooks may be sent to."""


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a name, in the system's order; raises OSError."""
    resolver = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    found = await asyncio.get_running_loop().run_in_executor(_RESOLVERS, resolver)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class WebhookSender:
    """Sends requests; `reach` decides which addresses are allowed."""

    def __init__(
        self,
        reach: Reach,
        *,
        timeout_s: float = TIMEOUT_S,
        resolve: Resolve = resolve,
        network: httpcore.AsyncNetworkBackend | None = None,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self.reach, self.timeout_s = reach, timeout_s
        self._resolve, self._network = resolve, network or httpcore.AnyIOBackend()
        self._trust = trust or _public_trust()

    async def send(self, url: str, headers: Mapping[str, str], body: bytes) -> WebhookResponse:
        """Post the body; any failure becomes the answer's error."""
        began = time.monotonic()
        answer: dict[str, Any]
        try:
            async with asyncio.timeout(self.timeout_s):
                answer = await self._post(url, headers, body)
        except TimeoutError:
            answer = {"error": f"no answer within {self.timeout_s:g} s"}
        except (UrlRefused, NotReachable) as error:
            answer = {"error": str(error)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        return WebhookResponse(duration_ms=round(1000 * (time.monotonic() - began)), **answer)

    async def _post(self, url: str, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        # Checked again: what was allowed when the webhook was created may be forbidden now.
        parts = check_url(url, self.reach)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        address = httpcore.URL(scheme=parts.scheme, host=parts.hostname or "", port=parts.port, target=target)
        guard = _Guard(self._addresses, self._network, encrypted=parts.scheme == "https", timeout_s=self.timeout_s)
        async with (
            httpcore.AsyncConnectionPool(ssl_context=self._trust, network_backend=guard) as pool,
            pool.stream("POST", address, headers=[("host", parts.netloc), *headers.items()], content=body) as response,
        ):
            return {"status": response.status, "answer": await _beginning(response), "error": _fault(response.status)}

    async def _addresses(self, host: str, port: int, encrypted: bool) -> list[str]:
        try:
            found = await self._resolve(host, port)
        except OSError as error:
            raise NotReachable(f"the name {host} leads to no address: {error.strerror or error}") from error
        allowed = [address for address in found if self.reach.allows(address, encrypted=encrypted)]
        if not allowed:
            raise NotReachable(f"{host} leads to an address that webhooks do not reach (WALLE_WEBHOOK_NETWORKS)")
        return allowed[:MOST_ADDRESSES]


class _Guard(httpcore.AsyncNetworkBackend):
    """Connects to the addresses that were checked: a later change of the name has no effect."""

    def __init__(
        self,
        addresses: Callable[[str, int, bool], Awaitable[list[str]]],
        network: httpcore.AsyncNetworkBackend,
        *,
        encrypted: bool,
        timeout_s: float,
    ) -> None:
        self.addresses, self.network, self.encrypted, self.timeout_s = addresses, network, encrypted, timeout_s

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        addresses = await self.addresses(host, port, self.encrypted)
        # An address that never answers must leave time for the others.
        share = self.timeout_s / len(addresses)
        failed: Exception = NotReachable(host)
        for address in addresses:
            try:
                return await self.network.connect_tcp(address, port, timeout=share, socket_options=socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed


@cache
def _public_trust() -> ssl.SSLContext:
    return httpcore.default_ssl_context()


async def _beginning(response: httpcore.Response) -> str:
    """Return the first KiB of an answer, as text that PostgreSQL can store."""
    body = b""
    async for chunk in response.aiter_stream():
        body += chunk
        if len(body) >= ANSWER_BYTES:
            break
    return body[:ANSWER_BYTES].decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _fault(status: int) -> str:
    if 200 <= status < 300:
        return ""
    return "redirects are not followed" if 300 <= status < 400 else f"answered {status}"
