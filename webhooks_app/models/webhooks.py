"""Models of webhooks. The events are in the audit log: a delivery only says which webhook receives which entry."""

from datetime import datetime
from urllib.parse import urlsplit

from django.db import models
from django.db.models import Q

from accounts_app.models import SCOPE_FORMAT, AuditEntry
from accounts_app.permissions import SITE
from walle.webhooks.addresses import MAX_URL

SCOPE_FORMATS = rf"^{SITE}$|{SCOPE_FORMAT}"


class Webhook(models.Model):
    """The address to which events of a scope are sent, and the secret (encrypted, kit.encryption) that signs them.

    During a rotation the previous secret signs too, until `previous_until`. A deleted webhook stays for a day, for
    transactions that are about to add deliveries.
    """

    scope = models.CharField(
        max_length=60, help_text="such as scenario:camera or app:shop; site stands for all there are"
    )
    url = models.CharField(max_length=MAX_URL, help_text="where events are sent to; who knows it may be all it takes")
    description = models.CharField(max_length=200, blank=True)
    events = models.JSONField(help_text='patterns of events: ["release.*", "version.register"], or ["*"]')
    active = models.BooleanField(default=True, help_text="an inactive webhook hears nothing, not even later")
    inactive_reason = models.CharField(max_length=200, blank=True)
    failing_since = models.DateTimeField(null=True, help_text="the first failure after the last success")
    sealed_secret = models.BinaryField()
    sealed_previous = models.BinaryField(null=True)
    previous_until = models.DateTimeField(null=True)
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [models.CheckConstraint(condition=Q(scope__regex=SCOPE_FORMATS), name="webhook_scope_format")]
        indexes = [models.Index(fields=["scope"], condition=Q(active=True, deleted_at=None), name="webhook_listening")]

    def __str__(self) -> str:
        return f"webhook {self.pk} of {self.scope}"

    @property
    def host(self) -> str:
        """The part of its URL that is not secret."""
        return urlsplit(self.url).hostname or ""


class DeliveryState(models.TextChoices):
    PENDING = "pending"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"


OPEN = (DeliveryState.PENDING, DeliveryState.SENDING)


class Delivery(models.Model):
    """The delivery of one event to one webhook.

    A pending delivery is due at `due_at` for its next attempt; one that is being sent is sent again then, because its
    worker has died. `attempts` counts those since it was created or replayed; an attempt without a row of its own was
    interrupted.
    """

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    entry = models.ForeignKey(AuditEntry, on_delete=models.PROTECT, related_name="+", db_index=False)
    event = models.CharField(max_length=60, help_text="the entry's action")
    scopes = models.JSONField(help_text="the scopes that the event concerns")
    state = models.CharField(max_length=9, choices=DeliveryState, default=DeliveryState.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True, help_text="HTTP status of the last answer; empty: none came")
    error = models.CharField(max_length=300, blank=True, help_text="why the last attempt did not succeed")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["webhook", "entry"], name="delivery_once"),
            models.CheckConstraint(condition=Q(state__in=DeliveryState.values), name="delivery_state_known"),
            models.CheckConstraint(
                condition=Q(state__in=OPEN, finished_at=None) | ~Q(state__in=OPEN) & Q(finished_at__isnull=False),
                name="delivery_finished_has_time",
            ),
        ]
        indexes = [
            models.Index(fields=["webhook", "-id"], name="delivery_log"),
            models.Index(fields=["webhook", "due_at"], condition=Q(state__in=OPEN), name="delivery_of_webhook"),
            models.Index(fields=["webhook"], condition=Q(state="sending"), name="delivery_under_way"),
            models.Index(fields=["due_at"], condition=Q(state__in=OPEN), name="delivery_due"),
            models.Index(fields=["finished_at"], condition=~Q(state__in=OPEN), name="delivery_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.event} to webhook {self.webhook_id}"

    @property
    def next_attempt_at(self) -> datetime | None:
        """When the next attempt is due; None if it is in progress, or over."""
        return self.due_at if self.state == DeliveryState.PENDING else None


class Attempt(models.Model):
    """One request of a delivery, and its answer."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="tries")
    at = models.DateTimeField()
    duration_ms = models.PositiveIntegerField()
    status = models.PositiveSmallIntegerField(null=True, help_text="of the answer; empty: none came")
    error = models.CharField(max_length=300, blank=True)
    answer = models.TextField(blank=True, help_text="the beginning of the answer's body")

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S}: {self.status or self.error}"
