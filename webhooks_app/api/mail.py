"""REST views of a person's own e-mail: which events, at which address."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from django.conf import settings
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from kit.api.schema import endpoint
from kit.api.users import user_of
from kit.attempts import TooManyAttempts
from walle.mail.kinds import KINDS
from webhooks_app.api import mail_serializers as forms
from webhooks_app.models import MailSettings
from webhooks_app.selectors.mail import last_mail_of, mail_settings_of
from webhooks_app.services import mail_settings


class OwnMail(ApiView):
    """The base class of these views."""

    def answer(self, chosen: MailSettings) -> Response:
        user = user_of(self.request)
        found = {
            "available": settings.WALLE_MAIL,
            "address": user.email,
            "new_address": chosen.new_address,
            "on": chosen.is_on,
            "kinds": chosen.kinds,
            "scopes": chosen.scopes,
            "known_kinds": KINDS,
            "last": last_mail_of(user),
        }
        return self.respond(forms.MailSettingsSerializer, found)


@contextmanager
def throttling() -> Iterator[None]:
    """Answer 429 to whoever asks too often."""
    try:
        yield
    except TooManyAttempts as error:
        raise Throttled(error.wait_s) from error


class AccountMail(OwnMail):
    live: ClassVar[frozenset[str]] = frozenset({"last"})

    @endpoint("get_mail_settings", forms.MailSettingsSerializer)
    def get(self, request: Request) -> Response:
        """Return which events reach you by e-mail, at which address, and what became of the last message."""
        return self.answer(mail_settings_of(user_of(request)))

    @endpoint("change_mail_settings", forms.MailSettingsSerializer, body=forms.MailChangeSerializer)
    def patch(self, request: Request) -> Response:
        """Change which events reach you by e-mail.

        Fields that are left out keep their values. You hear of what you may read when it is sent, and not of what you
        did yourself. A limited token is refused.
        """
        body = self.body(forms.MailChangeSerializer)
        if "on" in body:
            body["is_on"] = body.pop("on")
        return self.answer(mail_settings.change_mail_settings(actor=self.actor, user=user_of(request), **body))


class AccountMailAddress(OwnMail):
    @endpoint("put_mail_address", forms.MailSettingsSerializer, body=forms.AddressSerializer, needs="a session")
    def put(self, request: Request) -> Response:
        """Change your address: a link is sent to it, and it counts once you have followed that.

        An empty one takes the present one away at once. Five links an hour at most.
        """
        address = self.body(forms.AddressSerializer)["address"]
        with throttling():
            chosen = mail_settings.change_address(
                actor=self.actor, user=user_of(request), address=address, now=self.now
            )
        return self.answer(chosen)


class AccountMailConfirmation(OwnMail):
    @endpoint("confirm_mail_address", forms.MailSettingsSerializer, body=forms.LinkSerializer, needs="a session")
    def post(self, request: Request) -> Response:
        """Confirm your new address, by what the link that was sent to it carries; again changes nothing."""
        token = self.body(forms.LinkSerializer)["token"]
        return self.answer(mail_settings.confirm_address(actor=self.actor, user=user_of(request), token=token))


class AccountMailTest(OwnMail):
    @endpoint("send_test_mail", forms.MailSerializer, status=201)
    def post(self, request: Request) -> Response:
        """Have a test message sent to your address; `last` of your settings shows what became of it.

        Five an hour at most. A limited token is refused.
        """
        with throttling():
            mail = mail_settings.send_test(actor=self.actor, user=user_of(request), now=self.now)
        return self.respond(forms.MailSerializer, mail, status=201)
