"""Sessions of browsers: noted as they begin and while they are used, and ended by their user."""

from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.exceptions import TokenNotEnough
from accounts_app.models import BrowserSession
from accounts_app.services.audit import record
from accounts_app.signals import sessions_ended

_RESOLUTION: Final = timedelta(minutes=1)
_LONGEST_AGENT: Final = 300
_MOST_REMEMBERED: Final = 10_000
_remembered: dict[str, datetime] = {}
"""When this process noted a session last: most requests ask the database nothing more."""


def note_login(*, user: User, key: str, user_agent: str, now: datetime) -> None:
    """Note that a session has begun, and with which browser."""
    facts = {"user": user, "user_agent": user_agent[:_LONGEST_AGENT], "began_at": now, "seen_at": now}
    BrowserSession.objects.update_or_create(key=key, defaults=facts)
    _remember(key, now)


def note_use(*, key: str, now: datetime) -> None:
    """Note that a session is used. Precise to a minute: otherwise every read would also be a write."""
    last = _remembered.get(key)
    if last is None or now - last >= _RESOLUTION:
        BrowserSession.objects.filter(key=key, seen_at__lte=now - _RESOLUTION).update(seen_at=now)
        _remember(key, now)


@transaction.atomic
def end_session(*, actor: Actor, session: BrowserSession) -> None:
    """End a session. A token, which may have leaked, is not enough."""
    _require_session(actor)
    _end(actor, session.user, [session.key])


@transaction.atomic
def end_other_sessions(*, actor: Actor, user: User, present: str, now: datetime) -> int:
    """End all sessions of a user but the present one, also those that began before they were noted."""
    _require_session(actor)
    alive = Session.objects.filter(expire_date__gt=now).exclude(session_key=present)
    own = str(user.pk)
    keys = [each.session_key for each in alive.iterator() if each.get_decoded().get(SESSION_KEY) == own]
    return _end(actor, user, keys)


def forget_ended_sessions() -> int:
    """Delete what was noted of sessions that are over."""
    over = BrowserSession.objects.exclude(key__in=Session.objects.values("session_key"))
    deleted, _ = over.delete()
    return deleted


def _remember(key: str, now: datetime) -> None:
    if len(_remembered) >= _MOST_REMEMBERED:
        _remembered.clear()
    _remembered[key] = now


def _end(actor: Actor, user: User, keys: list[str]) -> int:
    ended, _ = Session.objects.filter(session_key__in=keys).delete()
    BrowserSession.objects.filter(key__in=keys).delete()
    if ended:
        record(actor=actor, action="session.end", target=User.objects.get(pk=user.pk), after={"sessions": ended})
        sessions_ended.send(BrowserSession)
    return ended


def _require_session(actor: Actor) -> None:
    if actor.token is not None:
        raise TokenNotEnough("end sessions")
