"""Repeatable writes: the answer to a request with an `Idempotency-Key` is stored and returned again.

The key is stored in the transaction of the writing itself. So a request of the same key that comes meanwhile waits for
the first, and a request that failed, or whose server died, has stored nothing: it is done when it comes again.
"""

import base64
import hmac
import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from http import HTTPStatus
from typing import Final

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib.auth.models import User
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from kit.api.users import user_of
from kit.models import KeptAnswer

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotent-Replayed"
RETENTION: Final = timedelta(hours=24)
_KEY: Final = re.compile(r"[!-~]{1,255}")
_PURGED_AT_ONCE: Final = 100


class KeyReused(APIException):
    """The key was used with another request, or with another token, which might have fewer permissions."""

    status_code = HTTPStatus.UNPROCESSABLE_ENTITY
    default_code = "idempotency-key-reused"
    default_detail = "This Idempotency-Key came with another request or token before: take a new one for a new request."


def once(request: Request, now: datetime, credential: str, write: Callable[[], Response]) -> Response:
    """Return the answer of `write`, or the stored one of the same key; within the transaction of the write.

    `credential` tells a user's tokens apart.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return write()
    if not _KEY.fullmatch(key):
        raise ValidationError({HEADER: "Expected 1 to 255 visible characters, such as a UUID."})
    user = user_of(request)
    _purge(user, now)
    row = KeptAnswer(user=user, digest=_digest(key), request=_fingerprint(request, credential), created_at=now)
    if not row.claim():
        return _replay(key, row)
    response = write()
    row.status, row.body = response.status_code, _sealer(key).encrypt(json.dumps(response.data, default=str).encode())
    row.save(update_fields=["status", "body"])
    return response


def _replay(key: str, row: KeptAnswer) -> Response:
    stored = KeptAnswer.objects.get(user=row.user, digest=row.digest)
    if stored.request != row.request:
        raise KeyReused
    try:
        data = json.loads(_sealer(key).decrypt(bytes(stored.body)))
    except InvalidToken as error:
        raise KeyReused("What this key was answered with can no longer be read: take a new one.") from error
    return Response(data, status=stored.status, headers={REPLAYED: "true"})


def _purge(user: User, now: datetime) -> None:
    """Delete some old keys of the same user, so that never more than a day's keys are stored."""
    old = KeptAnswer.objects.filter(user=user, created_at__lt=now - RETENTION).values("pk")[:_PURGED_AT_ONCE]
    KeptAnswer.objects.filter(pk__in=old).delete()


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()


def _fingerprint(request: Request, credential: str) -> str:
    parts = [credential, request.method, request.get_full_path(), request.data]
    return sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def _sealer(key: str) -> Fernet:
    # Some answers hold a secret that is shown once. With neither the key nor the server's secret, nobody reads them.
    secret = hmac.digest(settings.SECRET_KEY.encode(), b"kept answer" + key.encode(), "sha256")
    return Fernet(base64.urlsafe_b64encode(secret))
