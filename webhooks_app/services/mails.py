"""Change messages: gathered from what waits, claimed by a worker, settled by the server's answer, deleted."""

from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet

from walle.mail.audience import hears
from walle.mail.messages import LONGEST_SUBJECT
from walle.mail.schedule import GIVEN_UP_AFTER, MailFailure, MailOutcome, conclude_attempt
from webhooks_app.models import OPEN_MAILS, Mail, MailedEntry, MailSettings
from webhooks_app.selectors.mail import WAITING, Waiting, dues, mail_settings_of, readable_scopes, waiting

# Longer than an attempt may take, with all of its timeouts: a worker that holds a message for so long has died.
LEASE: Final = timedelta(minutes=5)
TOO_OLD: Final = "it was older than a day before it could be sent"
NOT_FOR_THEM: Final = "no longer asked for, or no longer theirs to read"


def gather_due(*, now: datetime) -> int:
    """Make the messages that are due of the events that wait; return their number."""
    people = waiting()
    due = dues(people, now=now)
    return sum(_gather(each, now) for each in people if due[each.user] <= now)


@transaction.atomic
def _gather(person: Waiting, now: datetime) -> bool:
    # Whoever changes what they want waits, and is heard when the message is sent.
    if not MailSettings.objects.select_for_update().filter(user=person.user).exists():
        MailedEntry.objects.filter(WAITING, user=person.user).update(left_out=NOT_FOR_THEM)
        return False
    entries = MailedEntry.objects.filter(WAITING, user=person.user)
    entries.filter(created_at__lt=now - GIVEN_UP_AFTER).update(left_out=TOO_OLD)
    if not entries.exists():
        return False
    mail = Mail.objects.create(user_id=person.user, purpose=Mail.Purpose.EVENTS, due_at=now, created_at=now)
    entries.update(mail=mail)
    return True


@transaction.atomic
def claim_mails(*, now: datetime, limit: int) -> list[Mail]:
    """Claim at most so many due messages; they become due again unless they are settled in time."""
    due = Mail.objects.select_for_update(skip_locked=True, of=("self",)).filter(state__in=OPEN_MAILS, due_at__lte=now)
    claimed = list(due.select_related("user").order_by("due_at", "id")[:limit])
    for mail in claimed:
        mail.state, mail.attempts, mail.due_at = Mail.State.SENDING, mail.attempts + 1, now + LEASE
        mail.save(update_fields=["state", "attempts", "due_at"])
    return claimed


@transaction.atomic
def entries_to_send(mail: Mail) -> list[MailedEntry]:
    """Return the events of a message that its person still wants and may read now, and leave out the others."""
    entries = list(mail.entries.filter(left_out="").select_related("entry"))
    chosen, readable = mail_settings_of(mail.user), readable_scopes([mail.user])[mail.user.pk]
    kept = [each for each in entries if chosen.is_on and _is_for(each, chosen, readable)]
    gone = {each.pk for each in entries} - {each.pk for each in kept}
    MailedEntry.objects.filter(pk__in=gone).update(left_out=NOT_FOR_THEM)
    return kept


def _is_for(each: MailedEntry, chosen: MailSettings, readable: set[str] | None) -> bool:
    return hears(kind=each.kind, scopes=each.scopes, kinds=chosen.kinds, chosen=chosen.scopes, readable=readable)


def address_of(mail: Mail) -> str:
    """Return where a message goes to now; "" if nowhere any more."""
    user = User.objects.filter(pk=mail.user_id, is_active=True).first()
    if user is None:
        return ""
    return mail_settings_of(user).new_address if mail.purpose == Mail.Purpose.CONFIRMATION else user.email


def drop(*, mail: Mail, reason: str, now: datetime) -> None:
    """Leave a claimed message unsent for good, because there is nobody to send it to, or nothing to say."""
    _claimed(mail).update(state=Mail.State.DROPPED, error=reason, finished_at=now)


def note_sending(*, mail: Mail, address: str, subject: str) -> None:
    """Note where a claimed message is being sent to, and what its subject is."""
    _claimed(mail).update(address=address, subject=subject[: LONGEST_SUBJECT + 50])


def settle_mail(*, mail: Mail, failure: MailFailure | None, now: datetime, chance: float) -> MailOutcome:
    """Store what became of an attempt, unless another one has begun since."""
    found = conclude_attempt(failure, attempt=mail.attempts, created_at=mail.created_at, now=now, chance=chance)
    said = failure.reason[:300] if failure else ""
    if found.pause is not None:
        _claimed(mail).update(state=Mail.State.PENDING, due_at=now + found.pause, error=said)
    else:
        state = Mail.State.SENT if found.outcome == MailOutcome.SENT else Mail.State.FAILED
        _claimed(mail).update(state=state, error=said, finished_at=now)
    return found.outcome


def forget_mails(*, before: datetime) -> int:
    """Delete messages that ended before a time, with their events, and events that were never sent."""
    deleted, _ = Mail.objects.filter(finished_at__lt=before).delete()
    left, _ = MailedEntry.objects.filter(~Q(left_out=""), mail=None, created_at__lt=before).delete()
    return deleted + left


def _claimed(mail: Mail) -> QuerySet[Mail]:
    return Mail.objects.filter(pk=mail.pk, state=Mail.State.SENDING, attempts=mail.attempts)
