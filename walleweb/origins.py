"""Under which names Walle may be asked, and which pages may open sockets with their visitors' cookies.

A name that somebody else made lead to this machine (DNS rebinding) is not ours. Sockets are for pages from which Django
takes forms, and for no others.
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
    """Answers 400 to whoever asks under a host's name that is not in WALLE_ALLOWED_HOSTS, or under several."""

    def __init__(self, application: ASGI3Application) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if is_own_host(scope["headers"], settings.ALLOWED_HOSTS):
            await self._application(scope, receive, send)
        else:
            await answer_text(send, 400, "this host is not one of WALLE_ALLOWED_HOSTS\n")


def is_own_host(headers: Iterable[tuple[bytes, bytes]], hosts: Sequence[str]) -> bool:
    """Whether a request says exactly one host, and one of these."""
    said = [value.decode("latin-1") for name, value in headers if name == b"host"]
    return len(said) == 1 and validate_host(split_domain_port(said[0])[0], hosts)


class OwnOrigin:
    """Refuses a handshake of a page from elsewhere; another port of this host is elsewhere, too.

    Browsers send cookies whatever the port, so the host's name alone would let in every page that this machine serves.
    """

    def __init__(self, application: ASGI3Application, refuse: ASGI3Application) -> None:
        self._application, self._refuse = application, refuse

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        origin = headers.get(b"origin", "")
        own = is_own(origin, headers.get(b"host", ""))
        await (self._application if own else self._refuse)(scope, receive, send)


def is_own(origin: str, host: str) -> bool:
    """Whether a page of this origin is of the site that was asked under this host of ours, or of a trusted one."""
    try:
        given = urlsplit(origin.lower())
    except ValueError:
        return False
    if not given.netloc or not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return False
    return given.netloc == host.lower() or any(_trusts(each, given) for each in settings.CSRF_TRUSTED_ORIGINS)


def _trusts(trusted: str, given: SplitResult) -> bool:
    """As Django understands the setting: https://*.example.com stands for all below example.com."""
    known = urlsplit(trusted.lower())
    return given.scheme == known.scheme and is_same_domain(given.netloc, known.netloc.lstrip("*"))
