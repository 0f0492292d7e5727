"""Authenticate requests: a bearer token for the API, the same token as Basic password for git."""

import base64
from datetime import datetime
from typing import Any, Final

from django.contrib.auth.models import User
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from accounts_app.actors import Actor
from accounts_app.exceptions import InvalidToken
from accounts_app.logins import refuse_token
from accounts_app.models import ApiToken
from accounts_app.services.tokens import authenticate_token
from kit.attempts import TooManyAttempts

REALM: Final = "Walle"


def bearer_of(header: str) -> str | None:
    """Return the token of an Authorization header of the scheme Bearer; None for another scheme."""
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


class TokenAuthentication(BaseAuthentication):
    """Authentication by `Authorization: Bearer wl_...`; leaves other schemes to other classes."""

    def authenticate(self, request: Request) -> tuple[User | None, ApiToken | None] | None:
        secret = bearer_of(request.headers.get("Authorization", ""))
        if secret is None:
            return None
        now = timezone.now()
        try:
            actor = authenticate_token(secret=secret, now=now)
        except InvalidToken as error:
            try:
                refuse_token(address=request.META.get("REMOTE_ADDR"), now=now)
            except TooManyAttempts as too_many:
                raise Throttled(too_many.wait_s) from too_many
            raise AuthenticationFailed(str(error)) from error
        return actor.account, actor.token

    def authenticate_header(self, request: Request) -> str:
        return f'Bearer realm="{REALM}"'


def authenticate_basic(*, header: str, address: object, now: datetime) -> Actor:
    """Return the actor of an HTTP Basic header whose password is a token; the user name is ignored.

    Raises InvalidToken, also for a header that is not Basic, and TooManyAttempts after too many invalid tokens.
    """
    try:
        return authenticate_token(secret=_password_of(header), now=now)
    except InvalidToken:
        if header:
            refuse_token(address=address, now=now)
        raise


def _password_of(header: str) -> str:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        raise InvalidToken
    try:
        _, _, secret = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except ValueError as error:  # no ASCII, no base64, or no UTF-8
        raise InvalidToken from error
    return secret


class TokenScheme(OpenApiAuthenticationExtension):
    """The description of `TokenAuthentication` in the OpenAPI document."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "wl_<prefix>_<secret>"}
