"""What rules may use beside a device's own claims: declared facts, id lists, facts about users."""

from django.contrib.postgres.indexes import GinIndex
from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from devices_app.models.apps import SLUG, App
from walle.release.rules import BUILT_IN_FACTS, FACT_TYPES, LISTS

FACT_NAME = r"^[a-z][a-z0-9_-]{0,39}$"
_RESERVED = frozenset({*BUILT_IN_FACTS, LISTS})


class AppFact(models.Model):
    """A fact that an app's devices send, or that its backend knows about users; rules are checked against it.

    `values` lists all possible values of a text fact; empty: any value.
    """

    # The type stubs know enumerations only as classes, not as the result of a call.
    Type = models.TextChoices("Type", {name.upper(): name for name in FACT_TYPES})  # type: ignore[call-overload]

    class Source(models.TextChoices):
        DEVICE = "device"
        USER = "user"

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="declared_facts")
    name = models.CharField(
        max_length=40, validators=[RegexValidator(FACT_NAME)], help_text="without the prefix `user.` of user-side facts"
    )
    type = models.CharField(max_length=7, choices=Type.choices)
    source = models.CharField(max_length=6, choices=Source.choices)
    values = models.JSONField(default=list, blank=True)
    description = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["app", "source", "name"]
        constraints = [
            models.UniqueConstraint(fields=["app", "source", "name"], name="fact_once"),
            models.CheckConstraint(condition=Q(name__regex=FACT_NAME), name="fact_name_format"),
        ]

    def __str__(self) -> str:
        return self.full_name

    @property
    def full_name(self) -> str:
        """The name that rules use, such as `user.age_band`."""
        return f"user.{self.name}" if self.source == self.Source.USER else self.name

    def clean(self) -> None:
        """Refuse a declaration that no rule could use."""
        if self.source == self.Source.DEVICE and self.name in _RESERVED:
            raise ValidationError({"name": "Every app has this fact; it need not be declared."})
        if self.values and self.type != self.Type.TEXT:
            raise ValidationError({"values": "Only a text fact can have a list of values."})
        if not isinstance(self.values, list) or not all(isinstance(value, str) and value for value in self.values):
            raise ValidationError({"values": "Expected a list of texts."})


class IdList(models.Model):
    """A named list of device ids, for beta groups and single devices."""

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="id_lists")
    name = models.CharField(max_length=40, validators=[RegexValidator(SLUG)])
    description = models.CharField(max_length=200, blank=True)
    size = models.PositiveIntegerField(default=0, editable=False, help_text="number of devices")
    updated_at = models.DateTimeField()
    updated_by = models.CharField(max_length=150)

    class Meta:
        ordering = ["app", "name"]
        constraints = [
            models.UniqueConstraint(fields=["app", "name"], name="id_list_once"),
            models.CheckConstraint(condition=Q(name__regex=SLUG), name="id_list_name_format"),
        ]

    def __str__(self) -> str:
        return self.name


class IdListMember(models.Model):
    """One device id in a list; the device need not have been seen yet."""

    id_list = models.ForeignKey(IdList, on_delete=models.CASCADE, related_name="members")
    device = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["id_list", "device"], name="id_list_member_once")]
        indexes = [models.Index(fields=["id_list", "-id"], name="member_of_id_list")]

    def __str__(self) -> str:
        return self.device


class PastUserFacts(models.Model):
    """What the cloud held about a device's user until it changed; {} for nothing. `since` is not known of nothing."""

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="past_user_facts", db_index=False)
    device = models.CharField(max_length=64)
    facts = models.JSONField(encoder=DjangoJSONEncoder)
    since = models.DateTimeField(null=True)
    until = models.DateTimeField()

    class Meta:
        verbose_name_plural = "past user facts"
        indexes = [
            models.Index(fields=["app", "device", "until"], name="past_user_facts_of_device"),
            models.Index(fields=["until"], name="past_user_facts_by_end"),
        ]

    def __str__(self) -> str:
        return f"facts about the user of {self.device} until {self.until}"


class UserFacts(models.Model):
    """Facts about a device's user that the cloud holds; they win over those in the device's credential."""

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="user_facts")
    device = models.CharField(max_length=64)
    facts = models.JSONField(encoder=DjangoJSONEncoder)
    updated_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "user facts"
        constraints = [models.UniqueConstraint(fields=["app", "device"], name="user_facts_once")]
        indexes = [
            models.Index(fields=["app", "updated_at"], name="user_facts_changed"),
            GinIndex(fields=["facts"], opclasses=["jsonb_path_ops"], name="user_facts_held"),
        ]

    def __str__(self) -> str:
        return f"facts about the user of {self.device}"
