"""Limit attempts with passwords and tokens, by OWASP's scheme of device cookies (docs/adr/0017).

Every way to log in calls `admit` before it checks a password, and every one that accepts tokens reports invalid ones to
`refuse_token`.
"""

from datetime import datetime
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from django.conf import settings
from django.contrib.auth.models import User

from kit.attempts import count_attempt

# Several people may share an address, and one person may have several.
OF_AN_ADDRESS: Final = 5
OF_A_NAME: Final = 10
_IPV6_BLOCK: Final = 64
_NO_ADDRESS: Final = "none"


def normal_name(name: str) -> str:
    """Return a user name as accounts store it: without blanks around it, in Unicode's form NFKC."""
    return User.normalize_username(name.strip())


def admit(*, name: str, address: object, browser: str | None, now: datetime) -> None:
    """Count an attempt to log in; raise TooManyAttempts if no password may be checked.

    `name` is a normal one. `browser` is the number of a browser in which this name has logged in before
    (`login_cookies.browser_of`): it has a count of its own, which nobody else can use up.
    """
    limit = settings.WALLE_LOGINS_PER_MINUTE
    if not limit:
        return
    if browser is not None:
        count_attempt(what="logins of a browser", who=browser, limit=limit, now=now)
        return
    block = address_block(address)
    # In this order: attempts that an address has no more of do not count for the user.
    count_attempt(what="logins from", who=block, limit=limit * OF_AN_ADDRESS, now=now)
    count_attempt(what="logins from and as", who=f"{block} {name}", limit=limit, now=now)
    count_attempt(what="logins as", who=name, limit=limit * OF_A_NAME, now=now)


def refuse_token(*, address: object, now: datetime) -> None:
    """Count an invalid token; raise TooManyAttempts if its sender has to wait.

    Valid tokens are never refused for others' invalid ones: a guess among 2^256 is no threat, and a colleague's script
    with an expired token is no reason to block everybody behind the same address.
    """
    if limit := settings.WALLE_LOGINS_PER_MINUTE:
        count_attempt(what="tokens from", who=address_block(address), limit=limit * OF_AN_ADDRESS, now=now)


def address_block(address: object) -> str:
    """Return what counts as one address: the first 64 bits of IPv6, because they belong to one network."""
    try:
        parsed = ip_address(str(address))
    except ValueError:
        return _NO_ADDRESS
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ip_network((int(parsed), _IPV6_BLOCK), strict=False))
