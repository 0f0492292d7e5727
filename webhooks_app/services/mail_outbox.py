"""The audit log as outbox of e-mail: an entry is stored for whoever asked for it, in the entry's own transaction."""

from collections.abc import Iterable
from typing import Any, Final

from django.conf import settings

from accounts_app.models import AuditEntry
from walle.mail.kinds import URGENT, kind_of
from walle.mail.schedule import GATHERED_FOR
from webhooks_app.models import MailedEntry
from webhooks_app.selectors.mail import listeners
from webhooks_app.services.outbox import wake

SEND_MAIL: Final = "webhooks.send-mail"


def note_for_mail(*, entry: AuditEntry, scopes: Iterable[str], **_signal: Any) -> None:
    """Store an entry for the people who are to hear of it by e-mail; none where no e-mail is sent."""
    kind = kind_of(entry.action, entry.after) if settings.WALLE_MAIL else None
    if kind is None:
        return
    concerned = [scope for scope in dict.fromkeys(scopes) if scope]
    urgent = kind in URGENT
    about = {"entry": entry, "kind": kind, "scopes": concerned, "is_urgent": urgent, "created_at": entry.at}
    users = listeners(kind=kind, scopes=concerned, but=entry.user_id)
    if MailedEntry.objects.bulk_create([MailedEntry(user_id=user, **about) for user in users], ignore_conflicts=True):
        wake(SEND_MAIL, at=entry.at if urgent else entry.at + GATHERED_FOR)
