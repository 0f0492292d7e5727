"""Models of events by e-mail: what each person chose, their events that wait, and the messages that are made of them.

The events are in the audit log, as those of webhooks. Addresses are those of Django's users.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts_app.models import AuditEntry
from walle.mail.addresses import MAX_ADDRESS


class MailSettings(models.Model):
    """Which events a person has by e-mail; without a row, none."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="mail_settings"
    )
    is_on = models.BooleanField(default=True, help_text="off: no events at all, as after one click in a message")
    kinds = models.JSONField(default=list, help_text='kinds of events: ["rolled-back", "approval"]')
    scopes = models.JSONField(default=list, help_text="where, such as scenario:camera; empty: wherever they may read")
    new_address = models.CharField(
        max_length=MAX_ADDRESS, blank=True, help_text="an address that its owner has not confirmed yet"
    )

    class Meta:
        verbose_name_plural = "mail settings"

    def __str__(self) -> str:
        return f"e-mail of {self.user}"


class Mail(models.Model):
    """One message to one person.

    A pending one is due at `due_at` for its next attempt; one that is being sent is sent again then, because its worker
    has died, under the same Message-ID. Its text is not kept.
    """

    class Purpose(models.TextChoices):
        EVENTS = "events"
        TEST = "test"
        CONFIRMATION = "confirmation"

    class State(models.TextChoices):
        PENDING = "pending"
        SENDING = "sending"
        SENT = "sent"
        FAILED = "failed"
        DROPPED = "dropped"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mails", db_index=False)
    purpose = models.CharField(max_length=12, choices=Purpose)
    address = models.CharField(max_length=MAX_ADDRESS, blank=True, help_text="where it was sent to last")
    subject = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=7, choices=State, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    error = models.CharField(max_length=300, blank=True, help_text="why it was not sent, or not yet")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["user"],
                condition=Q(purpose="events", state__in=["pending", "sending"]),
                name="mail_of_events_one_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["pending", "sending"], finished_at=None)
                | Q(state__in=["sent", "failed", "dropped"], finished_at__isnull=False),
                name="mail_finished_has_time",
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-id"], name="mail_of_user"),
            models.Index(fields=["due_at"], condition=Q(state__in=["pending", "sending"]), name="mail_due"),
            models.Index(fields=["finished_at"], name="mail_finished"),
        ]

    def __str__(self) -> str:
        return f"message {self.pk} to {self.user}"


OPEN_MAILS = (Mail.State.PENDING, Mail.State.SENDING)


class MailedEntry(models.Model):
    """An entry of the audit log for one person, written in the entry's own transaction.

    It waits until a message takes it along, or until it is found that it must not be sent any more.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    entry = models.ForeignKey(AuditEntry, on_delete=models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=30)
    scopes = models.JSONField(help_text="the scopes that the event concerns")
    is_urgent = models.BooleanField()
    mail = models.ForeignKey(Mail, on_delete=models.CASCADE, null=True, related_name="entries")
    left_out = models.CharField(max_length=100, blank=True, help_text="why it was not sent")
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "mailed entries"
        constraints = [models.UniqueConstraint(fields=["user", "entry"], name="mailed_entry_once")]
        indexes = [
            models.Index(fields=["user", "created_at"], condition=Q(mail=None, left_out=""), name="mailed_entry_waits")
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.user}"
