"""What a person chooses: which events reach them by e-mail, and at which address.

An address that a person gives is theirs once they have followed the link that is sent to it, signed in as themselves:
nobody has messages sent to somebody else. Site staff set addresses on the admin pages, without that.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.exceptions import TokenNotEnough
from accounts_app.services.audit import record
from kit.attempts import TooManyAttempts
from walle.mail.addresses import AddressRefused, check_address
from walle.mail.schedule import HOUR, room_from
from webhooks_app.exceptions import MailUnavailable, NoAddress, WrongLink
from webhooks_app.models import Mail, MailSettings
from webhooks_app.selectors.mail import mails_of
from webhooks_app.services.mail_outbox import SEND_MAIL
from webhooks_app.services.outbox import wake

CONFIRM: Final = "walle.mail.confirm"
UNSUBSCRIBE: Final = "walle.mail.unsubscribe"
LINK_LASTS_S: Final = 24 * 3600
MOST_ASKED_AN_HOUR: Final = 5


@transaction.atomic
def change_mail_settings(
    *,
    actor: Actor,
    user: User,
    is_on: bool | None = None,
    kinds: Iterable[str] | None = None,
    scopes: Iterable[str] | None = None,
) -> MailSettings:
    """Change which events a user has by e-mail; None changes nothing. They concern nobody else, and are not audited.

    A scope that they may not read may be chosen, too: nothing of it is sent.
    """
    if actor.token is not None and actor.token.is_limited:
        raise TokenNotEnough("change what comes by e-mail if it is limited")
    row = _locked(user)
    row.is_on = row.is_on if is_on is None else is_on
    row.kinds = row.kinds if kinds is None else list(dict.fromkeys(kinds))
    row.scopes = row.scopes if scopes is None else list(dict.fromkeys(scopes))
    row.save()
    return row


@transaction.atomic
def change_address(*, actor: Actor, user: User, address: str, now: datetime) -> MailSettings:
    """Send a link to a new address, which counts once it is confirmed; an empty one takes the present one away at once.

    Raises MailUnavailable, TooManyAttempts, ValidationError.
    """
    _require_person(actor)
    row = _locked(user)
    if not address:
        row.new_address = ""
        _set_address(actor, user, "")
    elif address == user.email:
        row.new_address = ""
    else:
        try:
            row.new_address = check_address(address)
        except AddressRefused as error:
            raise ValidationError({"address": str(error)}) from error
        _ask(user, Mail.Purpose.CONFIRMATION, now)
    row.save()
    return row


@transaction.atomic
def confirm_address(*, actor: Actor, user: User, token: str) -> MailSettings:
    """Take over a new address by the token of its link; again changes nothing. Raises WrongLink."""
    _require_person(actor)
    try:
        said = signing.loads(token, salt=CONFIRM, max_age=LINK_LASTS_S)
    except signing.BadSignature as error:
        raise WrongLink from error
    row = _locked(user)
    if said == [user.pk, user.email]:
        return row
    if not row.new_address or said != [user.pk, row.new_address]:
        raise WrongLink
    _set_address(actor, user, row.new_address)
    row.new_address = ""
    row.save()
    return row


@transaction.atomic
def send_test(*, actor: Actor, user: User, now: datetime) -> Mail:
    """Send a person a message that says that messages arrive. Raises MailUnavailable, NoAddress, TooManyAttempts."""
    if actor.token is not None and actor.token.is_limited:
        raise TokenNotEnough("send messages if it is limited")
    _locked(user)
    if not user.email:
        raise NoAddress
    return _ask(user, Mail.Purpose.TEST, now)


def unsubscribe(*, token: str) -> str | None:
    """Turn off the events of whoever a message went to; return their name, None for a token that nobody was given."""
    user = reader_of(token)
    if user is None:
        return None
    # By anybody who has the message; it turns off, and nothing else.
    MailSettings.objects.filter(user=user).update(is_on=False)
    return user.get_username()


def reader_of(token: str) -> User | None:
    """Return whose messages a link turns off."""
    try:
        pk = signing.Signer(salt=UNSUBSCRIBE).unsign(token)
    except signing.BadSignature:
        return None
    return User.objects.filter(pk=pk).first()


def confirmation_token(user: User, address: str) -> str:
    return signing.dumps([user.pk, address], salt=CONFIRM)


def unsubscribe_token(user: User) -> str:
    """Return what the link of a person's messages carries; it does not expire, as old messages are kept."""
    return signing.Signer(salt=UNSUBSCRIBE).sign(str(user.pk))


def _locked(user: User) -> MailSettings:
    row, _ = MailSettings.objects.select_for_update().get_or_create(user=user)
    return row


def _set_address(actor: Actor, user: User, address: str) -> None:
    if User.objects.filter(pk=user.pk).exclude(email=address).update(email=address):
        user.email = address
        target = User.objects.get(pk=user.pk)
        # The log, which is kept for ever, need not know where people live.
        after: dict[str, Any] = {"user": user.get_username(), "has_address": bool(address)}
        record(actor=actor, action="user.change-address", target=target, after=after)


def _ask(user: User, purpose: Mail.Purpose, now: datetime) -> Mail:
    """Have a message sent that somebody asked for; while their settings are locked, so that nobody asks too often."""
    if not settings.WALLE_MAIL:
        raise MailUnavailable
    asked = mails_of(user, purpose=purpose, since=now - HOUR).values_list("created_at", flat=True)
    room = room_from(list(asked), MOST_ASKED_AN_HOUR)
    if room is not None and room > now:
        raise TooManyAttempts(int((room - now).total_seconds()) + 1)
    mail = Mail.objects.create(user=user, purpose=purpose, due_at=now, created_at=now)
    wake(SEND_MAIL, at=now)
    return mail


def _require_person(actor: Actor) -> None:
    if actor.token is not None:
        raise TokenNotEnough("change your address")
