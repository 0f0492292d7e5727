"""Hand due messages to the mail server, one after the other on one connection."""

import random
import smtplib
from datetime import timedelta
from typing import Final

import structlog
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from jobs_app.runner import Clock
from walle.mail.messages import one_line
from walle.mail.schedule import MailFailure
from webhooks_app.mail_content import Unsendable, message_of
from webhooks_app.models import Mail
from webhooks_app.services.mails import claim_mails, drop, gather_due, note_sending, settle_mail

log = structlog.get_logger(__name__)

AT_ONCE: Final = 5
TURN: Final = timedelta(seconds=20)
"""After which other jobs have their turn."""


def send_due_mails(clock: Clock) -> int:
    """Gather and send what is due, until there is nothing more, or the time is over; return how many were sent."""
    end, sent = clock() + TURN, 0
    mailbox = Mailbox()
    try:
        while clock() < end:
            gather_due(now=clock())
            claimed = claim_mails(now=clock(), limit=AT_ONCE)
            if not claimed:
                break
            sent += sum(_send(mailbox, mail, clock) for mail in claimed)
    finally:
        mailbox.close()
    return sent


class Mailbox:
    """A connection to the mail server, which is opened again after a failure; but one that cannot be opened is not
    tried for each message.
    """

    def __init__(self) -> None:
        self._connection: BaseEmailBackend = get_connection()
        self._unreachable: MailFailure | None = None

    def deliver(self, message: EmailMultiAlternatives) -> MailFailure | None:
        """Send a message; return why it was not accepted, None if it was."""
        if self._unreachable is None:
            try:
                self._connection.open()
            except (smtplib.SMTPException, OSError) as error:
                self._unreachable = failure_of(error)
        if self._unreachable is not None:
            return self._unreachable
        try:
            self._connection.send_messages([message])
        except (smtplib.SMTPException, OSError, ValueError) as error:
            # What the server has heard of the message so far would get in the way of the next one.
            self.close()
            return failure_of(error)
        return None

    def close(self) -> None:
        try:
            self._connection.close()
        except (smtplib.SMTPException, OSError):
            log.info("the mail server ended the connection first")


def failure_of(error: Exception) -> MailFailure:
    """Return what an error of smtplib says, in a line."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(error.recipients.values()))
        return MailFailure(f"the server refused the address: {_answer(code, text)}", code, of_recipient=True)
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return MailFailure(f"the server refused Walle's login ({error.smtp_code})", error.smtp_code)
    if isinstance(error, smtplib.SMTPResponseException):
        return MailFailure(f"the server answered {_answer(error.smtp_code, error.smtp_error)}", error.smtp_code)
    return MailFailure(one_line(f"the server cannot be reached: {error or type(error).__name__}", 250))


def _answer(code: int, text: bytes | str) -> str:
    said = text.decode(errors="replace") if isinstance(text, bytes) else text
    return one_line(f"{code} {said}", 200)


def _send(mailbox: Mailbox, mail: Mail, clock: Clock) -> bool:
    try:
        message = message_of(mail)
        if isinstance(message, Unsendable):
            drop(mail=mail, reason=message.reason, now=clock())
            return False
        note_sending(mail=mail, address=message.to[0], subject=str(message.subject))
        failure = mailbox.deliver(message)
    except Exception as error:
        # One that cannot be composed must not keep the others from being sent.
        log.exception("message cannot be sent", mail=mail.pk)
        failure = MailFailure(f"it could not be written: {type(error).__name__}")
    chance = random.random()  # noqa: S311 (spreads retries)
    outcome = settle_mail(mail=mail, failure=failure, now=clock(), chance=chance)
    log.info(
        "message sent",
        mail=mail.pk,
        user=mail.user.get_username(),
        purpose=mail.purpose,
        outcome=str(outcome),
        attempt=mail.attempts,
        error=failure.reason if failure else "",
    )
    return failure is None
