"""What `walle doctor` looks at: address, token, versions, clock. Each check says what it found and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlsplit

from walle.cli import humanize
from walle.cli.accounts import StoredAccount, origin
from walle.cli.client import ApiClient
from walle.cli.errors import CommandError, RequestRefused
from walle.cli.refusals import explain
from walle.protocol.installation import installed_version

VERSION_HEADER: Final = "walle-version"
TIMEOUT_S: Final = 10.0
EXPIRES_SOON: Final = timedelta(days=7)
SKEW_S: Final = 5.0
"""Seconds that clocks may differ without a word: answers say whole seconds, and take a moment."""
WRONG_SKEW_S: Final = 300.0
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")


class Health(StrEnum):
    """OK and WARNING let commands work; with WRONG something does not."""

    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"


@dataclass(frozen=True)
class Check:
    """What was looked at, how it stands, what was found, and what to do, if anything."""

    name: str
    health: Health
    found: str
    advice: str = ""


@dataclass(frozen=True)
class Reading:
    """What a server answered to who is asking: the person, its headers, and when it was asked and answered."""

    me: Mapping[str, Any]
    headers: Mapping[str, str]
    asked_at: datetime
    answered_at: datetime


def ask(used: StoredAccount, **options: Any) -> Reading | Check:
    """Ask the server who is asking; the check that failed instead, of the address or of the token."""
    with ApiClient(used, retries=0, timeout_s=TIMEOUT_S, **options) as client:
        asked_at = humanize.now()
        try:
            answer = client.send("GET", "me")
            return Reading(answer.json(), answer.headers, asked_at, humanize.now())
        except RequestRefused as refused:
            explain(refused, client)
            name = "token" if refused.http_status in (401, 403) else "address"
            return Check(name, Health.WRONG, refused.message, refused.hint)
        except CommandError as error:
            return Check("address", Health.WRONG, error.message, _where_to_change(used))
        except ValueError:
            found = f"{used.server} did not answer with JSON: it is no Walle server"
            return Check("address", Health.WRONG, found, _where_to_change(used))


def checks_of(used: StoredAccount, reading: Reading) -> Iterator[Check]:
    """Yield the checks of a server that answered."""
    yield address_check(used)
    yield token_check(used, reading.me, reading.answered_at)
    yield version_check(installed_version(), reading.headers.get(VERSION_HEADER, ""))
    yield clock_check(reading)


def _where_to_change(used: StoredAccount) -> str:
    return f"the address is from {origin(used.server_source)}: correct it, or sign in elsewhere with: walle login URL"


def address_check(used: StoredAccount) -> Check:
    parts = urlsplit(used.server)
    found = f"{used.server} answers; it is from {origin(used.server_source)}"
    if parts.scheme == "http" and parts.hostname not in _LOCAL:
        advice = "use https: your token can be read on the network"
        return Check("address", Health.WARNING, f"{found}, and not encrypted", advice)
    return Check("address", Health.OK, found)


def token_check(used: StoredAccount, me: Mapping[str, Any], at: datetime) -> Check:
    """Return how the token stands that was accepted: whose it is, where it reaches, until when."""
    token = me["token"] or {}
    reach = ", ".join([*token.get("scopes", []), *token.get("permissions", [])]) or "all that its user may do"
    expires = token.get("expires_at")
    until = f"expires {humanize.ago(expires, at)}" if expires else "does not expire"
    name = f"{token.get('name', '')} {token.get('prefix', '')}…".strip()
    found = f"{name} of {me['username']}, from {used.token_origin}; reaches {reach}; {until}"
    if expires and humanize.moment(expires) - at < EXPIRES_SOON:
        return Check("token", Health.WARNING, found, "create another token on your account page before it expires")
    if not me["scopes"] and not me["staff"]:
        found += "; there is no role within its reach"
        return Check("token", Health.WARNING, found, "ask a maintainer of a scenario or an owner of an app for a role")
    return Check("token", Health.OK, found)


def version_check(own: str, server: str) -> Check:
    if not server:
        found = f"walle {own or 'of a checkout'}; the server does not say its version, so it is older"
        return Check("version", Health.WARNING, found, "have the server updated, or use the command of its version")
    found = f"walle {own or 'of a checkout'}, the server {server}, REST v1"
    if own == server or not own:
        return Check("version", Health.OK, found)
    same_major = own.partition(".")[0] == server.partition(".")[0]
    health = Health.WARNING if same_major else Health.WRONG
    return Check("version", health, found, f"pip install 'walle[cli]=={server}'")


def clock_check(reading: Reading) -> Check:
    """Return how far this machine's clock is off the server's, which says whole seconds."""
    try:
        of_server = parsedate_to_datetime(reading.headers.get("date", ""))
    except ValueError:
        return Check("clock", Health.WARNING, "the server does not say what time it is", "compare it yourself: date -u")
    between = reading.asked_at + (reading.answered_at - reading.asked_at) / 2
    skew = (between - of_server).total_seconds() - 0.5
    if abs(skew) <= SKEW_S:
        return Check("clock", Health.OK, "as the server's, to within a few seconds")
    found = f"{humanize.span(abs(skew))} {'ahead of' if skew > 0 else 'behind'} the server's"
    health = Health.WRONG if abs(skew) > WRONG_SKEW_S else Health.WARNING
    return Check("clock", health, found, "have this machine's clock set by NTP: timedatectl set-ntp true")
