"""How complete releases are watched: the present period of each, and who has reported in it."""

from django.db import models

from devices_app.models.apps import App
from releases_app.models.releases import Release


class CompletionWatch(models.Model):
    """A complete release under observation, in its present period (walle.release.after_complete).

    It is there as long as the release is complete (services.after_complete). `reported` and `failed` are as of the last
    look. `exceeded_at` is when the release was first found beyond its limit; it ends with a period that keeps to it.
    """

    release = models.OneToOneField(Release, on_delete=models.CASCADE, related_name="completion_watch")
    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="+", db_index=False)
    task = models.CharField(max_length=81)
    manifest = models.CharField(max_length=64, help_text="of the version whose reports count")
    known_before = models.DateTimeField(help_text="when the release began: devices known by then count")
    period = models.PositiveIntegerField(default=1, help_text="counted from 1")
    period_began_at = models.DateTimeField()
    reported = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    sentence = models.TextField(blank=True)
    looked_at = models.DateTimeField(null=True)
    exceeded_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["app", "task", "manifest"], name="watch_of_version")]

    def __str__(self) -> str:
        return f"watch of release {self.release_id}"


class PeriodOutcome(models.Model):
    """The outcome of a device in the last period in which it reported about a complete release."""

    release = models.BigIntegerField()
    device = models.CharField(max_length=64)
    period = models.PositiveIntegerField()
    failed = models.BooleanField()
    has_turned = models.BooleanField(default=False, help_text="whether it fell back after a success in the period")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["release", "device"], name="period_outcome_once")]

    def __str__(self) -> str:
        return f"{self.device} in period {self.period} of release {self.release}"


class PeriodTally(models.Model):
    """What one batch of reports added to the counts of a period. Rows are only added, so that nobody waits."""

    release = models.BigIntegerField()
    period = models.PositiveIntegerField()
    reported = models.IntegerField()
    failed = models.IntegerField()

    class Meta:
        indexes = [models.Index(fields=["release", "period"], name="period_tally_of_release")]

    def __str__(self) -> str:
        return f"tally of period {self.period} of release {self.release}"
