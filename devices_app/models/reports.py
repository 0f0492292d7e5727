"""Reports of devices."""

from django.db import models
from django.db.models import Q

from devices_app.models.apps import App
from devices_app.models.fields import SentJSONField

KINDS = ["install", "run", "remove"]
OUTCOMES = ["success", "failure"]
STARTS = ["", "cold", "warm"]


class Report(models.Model):
    """One outcome on one device, stored once per id that the device chose.

    `release`, `stage` and `number` come from the offer token and are null unless it was genuine and still in force
    (`evidence`): a report without one is stored apart and never decides (release lesson 14).
    """

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="reports", db_index=False)
    device = models.CharField(max_length=64)
    report_id = models.UUIDField()
    task = models.CharField(max_length=81)
    version = models.CharField(max_length=64)
    manifest = models.CharField(max_length=64)
    kind = models.CharField(max_length=7, choices=[(kind, kind) for kind in KINDS])
    outcome = models.CharField(max_length=7, choices=[(outcome, outcome) for outcome in OUTCOMES])
    error_class = models.CharField(max_length=80, blank=True)
    message = models.TextField(blank=True)
    duration_ms = models.FloatField(null=True)
    peak_memory_kb = models.BigIntegerField(null=True)
    start = models.CharField(
        max_length=4, blank=True, default="", db_default="", help_text="of a run: cold or warm; empty: not said"
    )
    vm_end = models.CharField(
        max_length=40, blank=True, default="", db_default="", help_text="why the kept VM before this run had ended"
    )
    runs = models.JSONField(null=True, help_text="of several runs in one report: walle.protocol.aggregates")
    metrics = models.JSONField(default=dict)
    output = SentJSONField(null=True)
    release = models.BigIntegerField(null=True)
    stage = models.BigIntegerField(null=True)
    number = models.BigIntegerField(null=True)
    evidence = models.BooleanField()
    reported_at = models.DateTimeField(help_text="by the device's clock")
    received_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["app", "device", "report_id"], name="report_once"),
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="report_kind_known"),
            models.CheckConstraint(condition=Q(outcome__in=OUTCOMES), name="report_outcome_known"),
            models.CheckConstraint(condition=Q(start__in=STARTS), name="report_start_known"),
        ]
        indexes = [
            models.Index(fields=["app", "-id"], name="report_of_app"),
            models.Index(fields=["app", "device", "-received_at"], name="report_of_device"),
            models.Index(fields=["release", "kind", "outcome"]),
            models.Index(fields=["task", "version", "-id"]),
            models.Index(fields=["-received_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.outcome} of {self.task} {self.version}"
