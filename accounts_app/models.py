"""Models of people: their roles, their tokens, and the audit log."""

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q

from kit.transactions import CurrentTransaction, TransactionId

SCOPE_FORMAT = r"^[a-z]+:[a-z][a-z0-9-]{0,39}$"
"""The format of scopes of all kinds; `accounts_app.scopes` knows which kinds there are."""


class Role(models.TextChoices):
    VIEWER = "viewer"
    DEVELOPER = "developer"
    RELEASER = "releaser"
    OWNER = "owner"


class Member(models.Model):
    """A role held by a user in one scenario or app; a user may hold several."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    scope = models.CharField(max_length=60, help_text="such as scenario:camera or app:shop")
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["scope", "user_id", "role"]
        constraints = [
            models.UniqueConstraint(fields=["user", "scope", "role"], name="member_once"),
            models.CheckConstraint(condition=Q(scope__regex=SCOPE_FORMAT), name="member_scope_format"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="member_role_known"),
        ]
        indexes = [models.Index(fields=["scope"])]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.scope}"


class ApiToken(models.Model):
    """A user's token for the API and for git.

    The secret is not stored: `digest` is the SHA-256 of the complete token.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80, help_text="what the token is for, in the words of its owner")
    prefix = models.CharField(max_length=11, unique=True, help_text="the token's public beginning")
    digest = models.CharField(max_length=64)
    scopes = models.JSONField(default=list, blank=True, help_text="empty: everywhere")
    permissions = models.JSONField(default=list, blank=True, help_text="empty: everything its user may do")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(prefix__regex=r"^wl_[0-9a-f]{8}$"), name="token_prefix_format"),
            models.CheckConstraint(condition=Q(digest__regex=r"^[0-9a-f]{64}$"), name="token_digest_format"),
        ]
        indexes = [models.Index(fields=["digest"], name="token_by_digest")]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.name})"

    @property
    def is_limited(self) -> bool:
        """Whether the token has fewer permissions than its user."""
        return bool(self.scopes or self.permissions)

    def covers(self, scope: str) -> bool:
        """Return whether the token may be used in the scope."""
        return not self.scopes or scope in self.scopes

    def permits(self, permission: str) -> bool:
        """Return whether the token may be used for this permission; viewing is always allowed."""
        return not self.permissions or permission == "view" or permission in self.permissions


class Preferences(models.Model):
    """How a user wants to see the dashboard, on every machine; without a row, as their browser has it."""

    class Theme(models.TextChoices):
        LIGHT = "light"
        DARK = "dark"
        SYSTEM = "auto"

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="preferences"
    )
    theme = models.CharField(max_length=5, choices=Theme.choices, blank=True, default="", db_default="")
    time_zone = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text="such as Europe/Berlin; empty: the browser's"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(theme__in=["", "light", "dark", "auto"]), name="preferences_theme_known")
        ]

    def __str__(self) -> str:
        return f"preferences of {self.user}"


class BrowserSession(models.Model):
    """What is known of a session of Django's that a user began: `key` is its key. Backups leave it out."""

    key = models.CharField(max_length=40, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="browser_sessions")
    user_agent = models.CharField(max_length=300, blank=True, help_text="what the browser calls itself")
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField(help_text="precise to a minute")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"session {self.pk} of {self.user}"


class AuditEntry(models.Model):
    """One entry of the audit log: who did what to which object. A database trigger prevents updates and deletions.

    `before` and `after` hold only the facts that the action changed, never a secret. `xid` is the transaction that
    wrote the row: ids are assigned before transactions commit, so that only (xid, id) tells what is new. Its index is
    in migration 0005; 0 stands for everything before that, or before a restoration.
    """

    at = models.DateTimeField(auto_now_add=True)
    # Users with entries are deactivated, not deleted, so that the log still names them.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    actor_name = models.CharField(max_length=150)
    token_prefix = models.CharField(max_length=11, blank=True)
    action = models.CharField(max_length=60)
    scope = models.CharField(max_length=60, blank=True)
    object_type = models.CharField(max_length=80)
    object_id = models.CharField(max_length=64)
    object_name = models.CharField(max_length=200)
    before = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    after = models.JSONField(null=True, encoder=DjangoJSONEncoder)
    request_id = models.CharField(max_length=64, blank=True)
    xid = TransactionId(db_default=CurrentTransaction(), editable=False)

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["object_type", "object_id", "-id"]),
            models.Index(fields=["scope", "-id"]),
            models.Index(fields=["action", "-id"]),
            models.Index(fields=["actor_name", "-id"]),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.actor_name}: {self.action} {self.object_name}"
