"""Make a message of what the database knows: to whom, under which headers, about what."""

from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Final
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives
from django.db.models import Model
from django.urls import reverse
from django.utils.http import http_date

from accounts_app.audit_types import known_model
from accounts_app.models import AuditEntry
from accounts_app.selectors import preferences_of
from walle.mail.kinds import MailKind
from walle.mail.messages import ComposedMail, MailContext, MailEvent, compose_digest, compose_note
from webhooks_app.models import Mail, MailedEntry
from webhooks_app.services.mail_settings import confirmation_token, unsubscribe_token
from webhooks_app.services.mails import address_of, entries_to_send

ACCOUNT: Final = "/account"
NOBODY: Final = "there is no address any more, or the account is deactivated"
NOTHING: Final = "of its events, none is wanted and readable any more"


@dataclass(frozen=True)
class Unsendable:
    """Why a message is not sent at all."""

    reason: str


def message_of(mail: Mail) -> EmailMultiAlternatives | Unsendable:
    """Return the message as it is now: to whom, and of which events, is asked again for each attempt."""
    address = address_of(mail)
    if not address:
        return Unsendable(NOBODY)
    # It loads the addresses, and with them the admin pages, which know pages of the dashboard.
    context = _context(mail.user)
    match mail.purpose:
        case Mail.Purpose.CONFIRMATION:
            composed = _confirmation(mail.user, address, context)
        case Mail.Purpose.TEST:
            said = f"This is the test message that you asked for: events reach you at {address}."
            composed = compose_note("Messages reach you", [said], settings.WALLE_PUBLIC_URL + ACCOUNT, context)
        case _:
            entries = entries_to_send(mail)
            if not entries:
                return Unsendable(NOTHING)
            composed = compose_digest([_event(each) for each in entries], context)
    return _email(mail, address, composed, context)


def _confirmation(user: User, address: str, context: MailContext) -> ComposedMail:
    link = f"{settings.WALLE_PUBLIC_URL}{ACCOUNT}?confirm={quote(confirmation_token(user, address), safe='')}"
    said = [
        f"{user.get_username()} has given {address} as the address for events of Walle. If that is you, follow this "
        "link within a day, signed in as yourself.",
        "If not, do nothing: no other message comes to this address.",
    ]
    return compose_note("Confirm your address", said, link, context)


def _email(mail: Mail, address: str, composed: ComposedMail, context: MailContext) -> EmailMultiAlternatives:
    headers = {"Message-ID": message_id_of(mail), "Date": http_date(mail.created_at.timestamp())}
    headers |= {"Auto-Submitted": "auto-generated"}
    if mail.purpose == Mail.Purpose.EVENTS:
        headers["List-Unsubscribe"] = f"<{context.unsubscribe}>"
        if context.unsubscribe.startswith("https:"):
            # RFC 8058: one click, which is a POST without a login.
            headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message = EmailMultiAlternatives(composed.subject, composed.text, to=[address], headers=headers)
    message.attach_alternative(composed.html, "text/html")
    return message


def message_id_of(mail: Mail) -> str:
    """Return the same for each attempt, so that mail programs know a message that comes twice; never another's.

    It contains the time because a server that was restored from a backup assigns the numbers again that it lost.
    """
    host = urlsplit(settings.WALLE_PUBLIC_URL).hostname or "walle"
    return f"<{mail.pk}.{int(mail.created_at.timestamp() * 1_000_000):x}@{host.strip('[]').replace(':', '-')}>"


def _context(user: User) -> MailContext:
    root = settings.WALLE_PUBLIC_URL
    return MailContext(
        name=user.get_short_name() or user.get_username(),
        zone=_zone(user),
        account=root + ACCOUNT,
        unsubscribe=f"{root}{reverse('unsubscribe')}?token={unsubscribe_token(user)}",
        overview=f"{root}/",
    )


def _zone(user: User) -> tzinfo:
    chosen = preferences_of(user).time_zone
    return ZoneInfo(chosen) if chosen else UTC


def _event(mailed: MailedEntry) -> MailEvent:
    entry = mailed.entry
    page = dashboard_page_of(entry) or _page_of_scope(mailed.scopes)
    return MailEvent(
        kind=MailKind(mailed.kind),
        action=entry.action,
        name=entry.object_name,
        actor=entry.actor_name,
        at=entry.at,
        after=entry.after or {},
        link=settings.WALLE_PUBLIC_URL + page if page else "",
    )


def dashboard_page_of(entry: AuditEntry) -> str | None:
    """Return the dashboard's page of what an entry is about; None if it has none, or is gone."""
    model = known_model(entry.object_type)
    if model is None:
        return None
    # A method of kit.admin.staff.StaffAdmin, which the workers that send mail need not load.
    page_of = getattr(admin.site._registry.get(model), "dashboard_page", None)
    row: Model | None = model._default_manager.filter(pk=entry.object_id).first()
    return page_of(row) if page_of is not None and row is not None else None


def _page_of_scope(scopes: list[str]) -> str:
    kind, _, slug = (scopes[0] if scopes else "").partition(":")
    return f"/{kind}s/{slug}" if kind in ("scenario", "app") else ""
