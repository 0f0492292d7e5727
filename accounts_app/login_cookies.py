"""Cookies by which a browser shows that a user has logged in there before (OWASP calls them device cookies).

A cookie holds a random number, the time, and an HMAC over both with a key derived from SECRET_KEY and the user's name:
it is valid for this name only, and does not reveal it. It is no session: it only prevents others from using up the
attempts of this browser. Logging out keeps it, and each login issues a new one.
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
    """Return the number of the browser, if this normal name has logged in there; None otherwise."""
    try:
        return _signer(name).unsign(cookies.get(_cookie(name), ""), max_age=LASTS)
    except BadSignature:
        return None


def remember(response: HttpResponseBase, name: str) -> None:
    """Set the cookie by which the browser shows that this name has logged in there."""
    response.set_cookie(
        _cookie(name),
        _signer(name).sign(secrets.token_hex(_NUMBER_BYTES)),
        max_age=LASTS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _cookie(name: str) -> str:
    # One cookie per name: several users of one browser do not affect each other.
    return f"{PREFIX}{_digest(name)[:16]}"


def _signer(name: str) -> TimestampSigner:
    return TimestampSigner(salt=f"walle.login.{_digest(name)}")


def _digest(name: str) -> str:
    return sha256(name.encode(errors="surrogatepass")).hexdigest()
