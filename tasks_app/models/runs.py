"""How tasks ran on devices, counted as their reports are stored: reports are far too many to be read for that."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from devices_app.models import App
from tasks_app.models.catalogue import Task


class RunCount(models.Model):
    """The runs of a task on one class of an app's devices in six hours, cold or warm ones (walle.release.run_classes).

    `durations` and `memory` are histograms (walle.release.histogram) of milliseconds and of kibibytes, `vm_ends` says
    how often which cause had ended the kept VM before a run, `backends` in how many runs which backend ran a model.
    Module walle.release.run_tally says what a report adds.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+", db_index=False)
    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField(help_text="when the six hours began, by the clock of the gateways")
    os = models.CharField(max_length=20, blank=True)
    performance = models.CharField(max_length=20, blank=True)
    warm = models.BooleanField()
    runs = models.PositiveBigIntegerField()
    failed = models.PositiveBigIntegerField()
    shed = models.PositiveBigIntegerField(default=0, db_default=0, help_text="runs that did not take place")
    durations = ArrayField(models.BigIntegerField())
    memory = ArrayField(models.BigIntegerField())
    vm_ends = models.JSONField(default=dict)
    backends = models.JSONField(default=dict, db_default={})

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "at", "app", "os", "performance", "warm"], name="run_count_once"),
            models.CheckConstraint(condition=models.Q(failed__lte=models.F("runs")), name="run_count_failed_part"),
        ]
        indexes = [models.Index(fields=["at"], name="run_count_by_age")]

    def __str__(self) -> str:
        return f"{self.runs} runs of {self.task} at {self.at:%Y-%m-%d %H:%M}"
