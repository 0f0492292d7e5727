"""The server's own keys, and the chain of roots from which devices learn which of them to trust."""

from django.db import models
from django.db.models import Q


class ServerKey(models.Model):
    """A key of the server, with its secret encrypted under the master key (kit.encryption).

    The three signing purposes hold Ed25519 keys, `device` symmetric ones. A key is active, then accepted beside its
    successor, then retired: no longer trusted, and stored only to recognise old credentials.
    """

    class Purpose(models.TextChoices):
        ROOT = "root"
        MANIFEST = "manifest"
        ASSIGNMENT = "assignment"
        DEVICE = "device"

    class State(models.TextChoices):
        ACTIVE = "active"
        ACCEPTED = "accepted"
        RETIRED = "retired"

    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    key_id = models.CharField(max_length=64, unique=True)
    secret = models.BinaryField(help_text="encrypted")
    state = models.CharField(max_length=8, choices=State.choices, default=State.ACTIVE)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["purpose", "-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["purpose"], condition=Q(state="active"), name="server_key_one_active"),
            models.UniqueConstraint(fields=["purpose"], condition=Q(state="accepted"), name="server_key_one_accepted"),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} key {self.key_id[:12]} ({self.state})"


class Root(models.Model):
    """One link of the chain of trust: TUF root metadata."""

    version = models.PositiveIntegerField(unique=True)
    metadata = models.BinaryField()
    expires_at = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-version"]

    def __str__(self) -> str:
        return f"root {self.version}"
