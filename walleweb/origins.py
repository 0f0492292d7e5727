"""Check host names, and which pages may open sockets with their visitors' cookies.

A foreign name that resolves to this machine (DNS rebinding) is refused. Sockets are open to the pages from which Django
accepts forms, and to no others.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

from asgiref.typing import ASGI3Application
from django.conf import settings
from django.http.request import split_domain_port, validate_host
from django.utils.http import is_same_domain

from walleweb.plain_answers import answer_text


class OwnHost:
    """Answers 400 to requests for a host that is not in WALLE_ALLOWED_HOSTS, or for several; an ASGI application."""

    def __init__(self, application: ASGI3Application) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if is_own_host(scope["headers"], settings.ALLOWED_HOSTS):
            await self._application(scope, receive, send)
        else:
            await answer_text(send, 400, "this host is not one of WALLE_ALLOWED_HOSTS\n")


def is_own_host(headers: Iterable[tuple[bytes, bytes]], hosts: Sequence[str]) -> bool:
    """Return whether a request names exactly one host, and one of these."""
    named = [value.decode("latin-1") for name, value in headers if name == b"host"]
    return len(named) == 1 and validate_host(split_domain_port(named[0])[0], hosts)


class OwnOrigin:
    """Refuses a handshake of a page from another origin, including another port of this host.

    Browsers send cookies whatever the port, so a check of the host's name alone would admit every page that this
    machine serves.
    """

    def __init__(self, application: ASGI3Application, refuse: ASGI3Application) -> None:
        self._application, self._refuse = application, refuse

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        origin = headers.get(b"origin", "")
        own = is_own(origin, headers.get(b"host", ""))
        await (self._application if own else self._refuse)(scope, receive, send)


def is_own(origin: str, host: str) -> bool:
    """Return whether a page of this origin belongs to this host of ours, or to a trusted site."""
    try:
        parts = urlsplit(origin.lower())
    except ValueError:
        return False
    if not parts.netloc or not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return False
    return parts.netloc == host.lower() or any(_trusts(each, parts) for each in settings.CSRF_TRUSTED_ORIGINS)


def _trusts(trusted: str, parts: SplitResult) -> bool:
    """Return whether a trusted origin matches, as Django defines it: https://*.example.com covers all below
    example.com.
    """
    known = urlsplit(trusted.lower())
    return parts.scheme == known.scheme and is_same_domain(parts.netloc, known.netloc.lstrip("*"))
