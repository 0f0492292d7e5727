"""Cookies by which a browser shows that somebody has logged in there before (OWASP calls them device cookies).

A cookie holds a random number, the time, and an HMAC over both with a key that is made of SECRET_KEY and the user's
name: it counts for this name only, and tells nobody which one. It is no session: it only keeps others from using up the
attempts of this browser. Logging out leaves it, and each login brings a new one.
"""

import secrets
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Final

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpResponseBase

PREFIX: Final = "walle_login_"
LASTS: Final = timedelta(days=180)
_NUMBER_BYTES: Final = 16


def browser_of(cookies: Mapping[str, str], name: str) -> str | None:
    """The number of the browser, if somebody has logged in there under this normal name; None otherwise."""
    try:
        return _signer(name).unsign(cookies.get(_cookie(name), ""), max_age=LASTS)
    except BadSignature:
        return None


def remember(response: HttpResponseBase, name: str) -> None:
    """Have the browser keep that this name has logged in there."""
    response.set_cookie(
        _cookie(name),
        _signer(name).sign(secrets.token_hex(_NUMBER_BYTES)),
        max_age=LASTS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _cookie(name: str) -> str:
    # One for each name: who logs in after another, in the same browser, takes nothing from them.
    return f"{PREFIX}{_digest(name)[:16]}"


def _signer(name: str) -> TimestampSigner:
    return TimestampSigner(salt=f"walle.login.{_digest(name)}")


def _digest(name: str) -> str:
    return sha256(name.encode(errors="surrogatepass")).hexdigest()
