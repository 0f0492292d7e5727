"""The users of open sockets, read repeatedly, because sessions end and roles are revoked."""

from collections.abc import Collection
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts_app.actors import Actor
from accounts_app.selectors import rights_of, seen_scopes
from live_app.topics import Audience

Rights = frozenset[tuple[str, str]]
"""The roles of a user (accounts_app.selectors.rights_of), which determine their rights."""


class SignedInUser(NamedTuple):
    """A signed-in user, with what they may see and do."""

    user: User
    visible: Audience
    rights: Rights


def signed_in_users(keys: Collection[str]) -> dict[str, SignedInUser]:
    """Return the users with these session keys. Ignores sessions that ended or that predate a password change."""
    alive = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    sessions = {session.session_key: session.get_decoded() for session in alive}
    users = User.objects.in_bulk({data[SESSION_KEY] for data in sessions.values() if SESSION_KEY in data})
    rights = rights_of(users.values())
    found: dict[str, SignedInUser] = {}
    for key, data in sessions.items():
        user = users.get(int(data.get(SESSION_KEY, 0)))
        if user is None or not user.is_active or not _is_of(user, data):
            continue
        held = rights[user.pk]
        found[key] = SignedInUser(user, audience_of(Actor(user=user), [scope for scope, _ in held]), held)
    return found


def audience_of(actor: Actor, held: Collection[str] | None = None) -> Audience:
    """Return the scopes whose objects the actor sees, as in REST; `held` as in `seen_scopes`."""
    scopes = seen_scopes(actor, held)
    return None if scopes is None else frozenset(scopes)


def _is_of(user: User, session: dict[str, str]) -> bool:
    stored = session.get(HASH_SESSION_KEY, "")
    hashes = [user.get_session_auth_hash()]
    if settings.SECRET_KEY_FALLBACKS:
        hashes += user.get_session_auth_fallback_hash()
    return any(constant_time_compare(stored, each) for each in hashes)
