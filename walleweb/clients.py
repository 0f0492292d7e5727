"""Find the client of a connection: an address behind our proxies, or a program on this machine."""

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Final

from walleweb.plain_answers import answer_text

Network = IPv4Network | IPv6Network

FORWARDED: Final = (b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip", b"via")
_HOPS: Final = 16
"""With more proxies than this in a row, the client counts as unknown."""


class BehindProxies:
    """An ASGI application that replaces the address of a trusted proxy by that of its client.

    Only X-Forwarded-For of `proxies` is trusted; of nobody if there are none. The server in front (`uvicorn
    --no-proxy-headers`) must ignore the header.
    """

    def __init__(self, application: Any, proxies: Sequence[Network]) -> None:
        self.application, self._proxies = application, tuple(proxies)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        peer = scope.get("client")
        if self._proxies and peer is not None:
            forwarded = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for")
            scope = {**scope, "client": (client_of(peer[0], forwarded.decode("latin-1"), self._proxies), peer[1])}
        await self.application(scope, receive, send)


def client_of(peer: str, forwarded: str, proxies: Sequence[Network]) -> str:
    """Return the address nearest to us that is not of these proxies: `peer`, or one in its X-Forwarded-For.

    Each proxy appends the address of its client, so what stands before the first unknown address is a claim of that
    client.
    """
    nearest = peer
    for hop in reversed(forwarded.rsplit(",", _HOPS)[-_HOPS:]):
        address = _address(hop)
        if address is None or not _is_among(nearest, proxies):
            break
        nearest = str(address)
    return nearest


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address, also in the forms 192.0.2.1:5000 and [2001:db8::1]:5000 of some proxies; None if invalid."""
    plain = text.strip()
    if plain.startswith("["):
        plain = plain[1:].partition("]")[0]
    elif plain.count(":") == 1:
        plain = plain.partition(":")[0]
    try:
        return ip_address(plain)
    except ValueError:
        return None


def _is_among(text: str, networks: Sequence[Network]) -> bool:
    address = _address(text)
    address = getattr(address, "ipv4_mapped", None) or address
    return address is not None and any(address in network for network in networks)


def is_here(scope: Mapping[str, Any]) -> bool:
    """Return whether a program on this machine is the direct client: a proxy here would stand for everybody."""
    address = _address((scope.get("client") or ("",))[0])
    address = getattr(address, "ipv4_mapped", None) or address
    forwarded = any(name in FORWARDED for name, _ in scope["headers"])
    return address is not None and address.is_loopback and not forwarded


class OnlyFromHere:
    """An ASGI application that, while WALLE_DEBUG is on, answers only programs on this machine."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if is_here(scope):
            await self._application(scope, receive, send)
        else:
            await answer_text(send, 403, "WALLE_DEBUG is on: only programs on this machine are answered\n")
