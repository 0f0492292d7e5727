"""The addresses that webhooks may be sent to, so that nobody uses them to reach the server's internal networks.

Allowed are public addresses through TLS, and networks that the operator has opened, there also without TLS. A name
proves nothing: the address that it resolves to is checked at the moment of connecting, and the connection is made to
that very address.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

MAX_URL: Final = 500
_HOST: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_.])?|[0-9a-f:.]{2,45}")
_VISIBLE: Final = re.compile(r"[!-~]+")
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_NAT64: Final = IPv6Network("64:ff9b::/96")


class UrlRefused(ValueError):
    """The URL is not one that a webhook can have; the text says what was expected."""


@dataclass(frozen=True)
class Reach:
    """The networks that webhooks may reach: everything public, and these."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    def allows(self, address: str, *, encrypted: bool) -> bool:
        """Return whether a connection may be made to an IP address in its text form."""
        parsed = ip_address(address)
        plain = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped else parsed
        return any(plain in network for network in self.networks) or (encrypted and _is_public(plain))


def check_url(url: str, reach: Reach) -> SplitResult:
    """Return the parts of a valid URL of a webhook. Raises UrlRefused."""
    if len(url) > MAX_URL or not _VISIBLE.fullmatch(url):
        raise UrlRefused(f"expected at most {MAX_URL} characters, none of them blank or beyond ASCII")
    parts = _split(url)
    schemes = ("https", "http") if reach.networks else ("https",)
    if parts.scheme not in schemes:
        raise UrlRefused(f"expected an address that begins with {' or '.join(f'{each}://' for each in schemes)}")
    if "@" in parts.netloc or parts.fragment:
        raise UrlRefused("expected neither a user name or password before the host nor a # at the end")
    if parts.hostname is None or not _HOST.fullmatch(parts.hostname):
        raise UrlRefused("expected the name of a host (in punycode) or its IP address after //")
    if not _may_be_reached(parts, reach):
        raise UrlRefused("expected a public address: webhooks do not reach this one (WALLE_WEBHOOK_NETWORKS)")
    return parts


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        if parts.port == 0:
            raise ValueError("port 0")
        if "[" in parts.netloc:
            ip_address(parts.hostname or "")
    except ValueError as error:
        raise UrlRefused("expected a URL such as https://example.com/walle") from error
    return parts


def _may_be_reached(parts: SplitResult, reach: Reach) -> bool:
    """Return whether the host may be reached, as far as that is known without resolving its name."""
    try:
        return reach.allows(parts.hostname or "", encrypted=parts.scheme == "https")
    except ValueError:
        return True


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast and not address.is_reserved
    if address in _NAT64:
        return _is_public(IPv4Address(int(address) & 0xFFFF_FFFF))
    # Tunnels end at the IPv4 addresses that they name; whether they are global themselves depends on Python's version.
    inner = [address.sixtofour] if address.sixtofour else list(address.teredo or ())
    public = all(_is_public(each) for each in inner) if inner else address.is_global
    return address in _GLOBAL_UNICAST and public
