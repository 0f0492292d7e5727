"""Restrict large bodies to requests with a token: Django reads a complete body before any view authenticates the
sender.
"""

import json
from http import HTTPStatus
from typing import Any, Final

from channels.db import database_sync_to_async
from django.utils import timezone

from accounts_app.authentication import REALM, bearer_of
from accounts_app.exceptions import InvalidToken
from accounts_app.services.tokens import authenticate_token
from kit.problems import CONTENT_TYPE, problem
from walleweb.plain_answers import Receive, Scope, Send, answer

LARGEST_OF_STRANGERS: Final = 9 << 20
"""Bytes: more than any request needs except uploads of files."""
_DIGITS: Final = 18


class BodyGuard:
    """An ASGI application that passes requests with large bodies, or of unstated length, only with a valid token."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        if may_be_large(headers) and not await _is_known(headers.get(b"authorization", b"")):
            detail = f"A body of more than {LARGEST_OF_STRANGERS} bytes, or of unstated length, takes an API token."
            document = problem(HTTPStatus.UNAUTHORIZED, code="not-authenticated", detail=detail)
            challenge = [(b"www-authenticate", f'Bearer realm="{REALM}"'.encode()), (b"connection", b"close")]
            await answer(send, 401, json.dumps(document).encode(), CONTENT_TYPE, challenge)
            return
        await self._application(scope, receive, send)


def may_be_large(headers: dict[bytes, bytes]) -> bool:
    """Return whether a request's body can be larger than what everybody may send."""
    if b"transfer-encoding" in headers:
        return True
    length = headers.get(b"content-length", b"0")
    # Python refuses to parse numbers with thousands of digits.
    return not length.isdigit() or len(length) > _DIGITS or int(length) > LARGEST_OF_STRANGERS


async def _is_known(authorization: bytes) -> bool:
    secret = bearer_of(authorization.decode("latin-1"))
    return secret is not None and await _is_good(secret)


@database_sync_to_async
def _is_good(secret: str) -> bool:
    try:
        authenticate_token(secret=secret, now=timezone.now())
    except InvalidToken:
        return False
    return True
