"""Read who is to hear of what by e-mail, and when the next message is due."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Min, Q, QuerySet

from accounts_app.permissions import SITE
from accounts_app.selectors import rights_of
from walle.mail.audience import hears
from walle.mail.schedule import HOUR, due_at
from webhooks_app.models import OPEN_MAILS, Mail, MailedEntry, MailSettings

WAITING: Final = Q(mail=None, left_out="")


@dataclass(frozen=True)
class Waiting:
    """The events of one person that no message has taken along yet: since when, and since when an urgent one."""

    user: int
    oldest: datetime
    urgent: datetime | None


def mail_settings_of(user: User) -> MailSettings:
    """Return what a person chose; a row that is not stored if they have not chosen anything."""
    return MailSettings.objects.filter(user=user).first() or MailSettings(user=user)


def last_mail_of(user: User) -> Mail | None:
    """Return the newest message to a person."""
    return Mail.objects.filter(user=user).first()


def listeners(*, kind: str, scopes: Collection[str], but: int | None) -> list[int]:
    """Return the users who asked for events of this kind in these scopes, and may read them, without whoever did it."""
    chosen = MailSettings.objects.filter(is_on=True, kinds__contains=[kind], user__is_active=True)
    asking = list(chosen.exclude(user__email="").exclude(user=but).select_related("user"))
    readable = readable_scopes([each.user for each in asking])
    return [
        each.user_id
        for each in asking
        if hears(kind=kind, scopes=scopes, kinds=each.kinds, chosen=each.scopes, readable=readable[each.user_id])
    ]


def readable_scopes(users: Collection[User]) -> dict[int, set[str] | None]:
    """Return the scopes that each user may read now; None stands for all."""
    rights = rights_of(users) if users else {}
    return {
        user: None if any(scope == SITE for scope, _ in held) else {scope for scope, _ in held}
        for user, held in rights.items()
    }


def waiting() -> list[Waiting]:
    """Return whose events wait, of people without an unfinished message."""
    busy = Mail.objects.filter(state__in=OPEN_MAILS, purpose=Mail.Purpose.EVENTS).values("user")
    rows = MailedEntry.objects.filter(WAITING).exclude(user__in=busy).order_by().values_list("user")
    found = rows.annotate(Min("created_at"), urgent=Min("created_at", filter=Q(is_urgent=True)))
    return [Waiting(*row) for row in found]


def dues(people: Iterable[Waiting], *, now: datetime) -> dict[int, datetime]:
    """Return when the next message of each of these people is due."""
    each_of = {person.user: person for person in people}
    sent: dict[int, list[datetime]] = {user: [] for user in each_of}
    lately = Mail.objects.filter(user__in=each_of, state=Mail.State.SENT, finished_at__gt=now - HOUR)
    for mail in lately.only("user_id", "finished_at"):
        sent[mail.user_id].append(mail.finished_at or now)
    return {
        user: due_at(oldest=person.oldest, urgent=person.urgent, sent=sent[user]) for user, person in each_of.items()
    }


def next_mail_due(*, now: datetime) -> datetime | None:
    """Return when a message is to be made or tried again; None if nothing waits."""
    tried: datetime | None = Mail.objects.filter(state__in=OPEN_MAILS).aggregate(due=Min("due_at"))["due"]
    return min([*dues(waiting(), now=now).values(), *([tried] if tried else [])], default=None)


def mails_of(user: User, *, purpose: str, since: datetime) -> QuerySet[Mail]:
    """Return a person's messages of one purpose since a time."""
    return Mail.objects.filter(user=user, purpose=purpose, created_at__gt=since)
