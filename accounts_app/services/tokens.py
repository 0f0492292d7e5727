"""API tokens: issued once in clear text, stored as a digest, compared in constant time, never logged."""

import hmac
import re
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from accounts_app.actors import Actor
from accounts_app.exceptions import InvalidToken, TokenNotEnough
from accounts_app.models import ApiToken
from accounts_app.permissions import SITE, Permission, require
from accounts_app.scopes import check_scope
from accounts_app.services.audit import record

_TOKEN: Final = re.compile(r"(wl_[0-9a-f]{8})_[0-9a-f]{64}")
# Compared for an unknown prefix, so that it takes the same time as a known one.
_NO_DIGEST: Final = sha256(b"").hexdigest()
_LAST_USED_RESOLUTION: Final = timedelta(minutes=1)


@transaction.atomic
def issue_token(
    *,
    actor: Actor,
    user: User,
    name: str,
    scopes: Iterable[str] = (),
    permissions: Iterable[str] = (),
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Issue a token; return it with its secret text, which exists only in this return value.

    `scopes` limits where the token may be used, `permissions` what for; an empty list sets no limit. Users issue tokens
    for themselves, site staff also for others (robots); tokens cannot issue tokens.
    """
    _require_may_issue(actor, user)
    limits = [check_scope(scope) for scope in scopes]
    uses = [str(Permission(permission)) for permission in permissions]
    prefix = f"wl_{secrets.token_hex(4)}"
    secret = f"{prefix}_{secrets.token_hex(32)}"
    token = ApiToken.objects.create(
        user=user,
        name=name,
        prefix=prefix,
        digest=_digest(secret),
        scopes=limits,
        permissions=uses,
        expires_at=expires_at,
    )
    after = {"user": user.get_username(), "name": name, "prefix": prefix, "scopes": limits, "permissions": uses}
    record(actor=actor, action="token.issue", target=token, after=after)
    return token, secret


@transaction.atomic
def revoke_token(*, actor: Actor, token: ApiToken, now: datetime) -> ApiToken:
    """Revoke a token at once; revoking it again changes nothing.

    A limited token can revoke only itself: should it leak, all others of its user stay valid.
    """
    if actor.token is not None and actor.token.is_limited and actor.token != token:
        raise TokenNotEnough("revoke other tokens if it is limited")
    if actor.user != token.user:
        require(actor, Permission.MANAGE_SITE, SITE)
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
        record(actor=actor, action="token.revoke", target=token, after={"prefix": token.prefix})
    token.refresh_from_db()
    return token


def authenticate_token(*, secret: str, now: datetime) -> Actor:
    """Return the actor of a token; raises InvalidToken, whatever is wrong with it."""
    match = _TOKEN.fullmatch(secret)
    token = ApiToken.objects.select_related("user").filter(prefix=match[1]).first() if match else None
    genuine = hmac.compare_digest(token.digest if token else _NO_DIGEST, _digest(secret))
    if token is None or not genuine or not _is_good(token, now):
        raise InvalidToken
    _note_use(token, now)
    return Actor(user=token.user, token=token)


def actor_of_digest(*, digest: str, now: datetime) -> Actor:
    """Return the actor of the token with this SHA-256 (hex), for processes that were shown the token.

    Raises InvalidToken.
    """
    token = ApiToken.objects.select_related("user").filter(digest=digest).first()
    if token is None or not _is_good(token, now):
        raise InvalidToken
    _note_use(token, now)
    return Actor(user=token.user, token=token)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _is_good(token: ApiToken, now: datetime) -> bool:
    unexpired = token.expires_at is None or now < token.expires_at
    return unexpired and token.revoked_at is None and token.user.is_active


def _note_use(token: ApiToken, now: datetime) -> None:
    # Precise to a minute: otherwise every API read would also be a write.
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - _LAST_USED_RESOLUTION)
    ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)


def _require_may_issue(actor: Actor, user: User) -> None:
    # Otherwise a leaked token could outlive its own revocation.
    if actor.token is not None:
        raise TokenNotEnough("create tokens")
    if actor.user != user or not actor.is_active:
        require(actor, Permission.MANAGE_SITE, SITE)
