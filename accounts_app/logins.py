"""Who may try another password or token, by OWASP's scheme of device cookies (docs/adr/0017).

Every way to log in asks `admit` before it looks at a password, and every one that takes tokens tells `refuse_token` of
those that are not good.
"""

from datetime import datetime
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from django.conf import settings
from django.contrib.auth.models import User

from kit.attempts import count_attempt

# Several people share an address, and somebody has several.
OF_AN_ADDRESS: Final = 5
OF_A_NAME: Final = 10
_IPV6_BLOCK: Final = 64
_NO_ADDRESS: Final = "none"


def normal_name(given: str) -> str:
    """A user name as accounts have it: without blanks around it, in Unicode's form NFKC."""
    return User.normalize_username(given.strip())


def admit(*, name: str, address: object, browser: str | None, now: datetime) -> None:
    """Count an attempt to log in; raise TooManyAttempts where no password is to be looked at.

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
    # One after the other: what an address may no longer try, it cannot use up for others.
    count_attempt(what="logins from", who=block, limit=limit * OF_AN_ADDRESS, now=now)
    count_attempt(what="logins from and as", who=f"{block} {name}", limit=limit, now=now)
    count_attempt(what="logins as", who=name, limit=limit * OF_A_NAME, now=now)


def refuse_token(*, address: object, now: datetime) -> None:
    """Count a token that was not good; raise TooManyAttempts where its sender is to be told to wait.

    Good tokens are never refused for others' bad ones: a guess among 2^256 is no threat, a colleague's script with an
    expired token is no reason to stop everybody behind the same address.
    """
    if limit := settings.WALLE_LOGINS_PER_MINUTE:
        count_attempt(what="tokens from", who=address_block(address), limit=limit * OF_AN_ADDRESS, now=now)


def address_block(address: object) -> str:
    """What counts as one address: of IPv6 its first 64 bits, as whoever has one address has the whole network."""
    try:
        parsed = ip_address(str(address))
    except ValueError:
        return _NO_ADDRESS
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ip_network((int(parsed), _IPV6_BLOCK), strict=False))
