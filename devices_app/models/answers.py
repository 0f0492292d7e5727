"""Answers to features."""

from django.db import models
from django.db.models import Q

from devices_app.models.apps import App

STATUSES = [0, 1, 2]


class FeatureAnswer(models.Model):
    """An answer to one feature of a device, kept until a gateway has delivered it or nobody waits for it any more.

    The feature is the one with this sequence in that spool of the device; status and body are those of the tunnel's
    frame.
    """

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="+", db_index=False)
    device = models.CharField(max_length=64)
    spool = models.BinaryField()
    sequence = models.BigIntegerField()
    status = models.SmallIntegerField()
    body = models.BinaryField()
    expires = models.DateTimeField(db_index=True, help_text="when the device stops waiting for it")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["app", "device", "spool", "sequence"], name="answer_once"),
            models.CheckConstraint(condition=Q(status__in=STATUSES), name="answer_status_known"),
        ]

    def __str__(self) -> str:
        return f"answer to feature {self.sequence} of {self.device}"
