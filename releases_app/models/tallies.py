"""Tallies of exposures: counts that PostgreSQL keeps with the rows they count (migrations/_tallies.py)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

COUNTS = (
    "drawn", "offered", "installed", "reported", "failed", "due", "silent", "timed", "slow", "slower",
    "warm_timed", "warm_slow", "warm_slower", "measured", "low", "comparable",
    "slower_25", "slower_50", "slower_75", "slower_95", "slower_99",
    "warm_slower_25", "warm_slower_50", "warm_slower_75", "warm_slower_95", "warm_slower_99",
    "low_5", "low_25", "low_75", "low_95",
)  # fmt: skip
"""What is counted of the devices of one stage, arm and provenance: walle.release.evidence.ArmCounts and two more."""


class TalliedRelease(models.Model):
    """A release whose exposures are tallied, with the thresholds by which they are counted.

    It gets this row when it is looked at for the first time (services.tallies). The thresholds are fixed when a release
    meets its first devices; those in a grid are quantiles before the release, in the order of walle.release.grid.
    `differences` is in how many tallies the last comparison found another number than a count of the exposures gives.
    """

    release = models.BigIntegerField(unique=True)
    began_at = models.DateTimeField()
    compared = ArrayField(models.BigIntegerField(), help_text="stages whose devices are compared with control")
    bucket_low = models.PositiveIntegerField()
    bucket_high = models.PositiveIntegerField(help_text="above the buckets of treatment that are compared")
    limit_ms = models.FloatField(null=True)
    baseline_ms = models.FloatField(null=True)
    warm_baseline_ms = models.FloatField(null=True)
    metric = models.CharField(max_length=64, blank=True)
    median = models.FloatField(null=True)
    cold_grid = ArrayField(models.FloatField(), db_default=[], default=list)
    warm_grid = ArrayField(models.FloatField(), db_default=[], default=list)
    metric_grid = ArrayField(models.FloatField(), db_default=[], default=list)
    judged_at = models.DateTimeField(null=True, help_text="when the release was last judged, to the minute")
    provenance_at = models.DateTimeField(null=True, help_text="until when it is recorded who was vouched for later")
    compared_at = models.DateTimeField(null=True, help_text="when the tallies were last compared with the exposures")
    differences = models.PositiveIntegerField(default=0, db_default=0)

    def __str__(self) -> str:
        return f"tallies of release {self.release}"


class ExposureTally(models.Model):
    """By how much the counts of a release changed in one statement, or their sum until some moment.

    Every statement that writes exposures adds rows, in its transaction, so that nobody waits for another's; now and
    then a release's rows are replaced by their sum. What is counted is the sum of all rows.
    """

    release = models.BigIntegerField()
    stage = models.BigIntegerField()
    arm = models.CharField(max_length=9)
    established = models.BooleanField(help_text="vouched for, or known before the release began")
    drawn = models.BigIntegerField()
    offered = models.BigIntegerField()
    installed = models.BigIntegerField()
    reported = models.BigIntegerField()
    failed = models.BigIntegerField()
    due = models.BigIntegerField()
    silent = models.BigIntegerField()
    timed = models.BigIntegerField()
    slow = models.BigIntegerField()
    slower = models.BigIntegerField()
    warm_timed = models.BigIntegerField()
    warm_slow = models.BigIntegerField()
    warm_slower = models.BigIntegerField()
    measured = models.BigIntegerField()
    low = models.BigIntegerField()
    comparable = models.BigIntegerField()
    slower_25 = models.BigIntegerField(db_default=0, default=0)
    slower_50 = models.BigIntegerField(db_default=0, default=0)
    slower_75 = models.BigIntegerField(db_default=0, default=0)
    slower_95 = models.BigIntegerField(db_default=0, default=0)
    slower_99 = models.BigIntegerField(db_default=0, default=0)
    warm_slower_25 = models.BigIntegerField(db_default=0, default=0)
    warm_slower_50 = models.BigIntegerField(db_default=0, default=0)
    warm_slower_75 = models.BigIntegerField(db_default=0, default=0)
    warm_slower_95 = models.BigIntegerField(db_default=0, default=0)
    warm_slower_99 = models.BigIntegerField(db_default=0, default=0)
    low_5 = models.BigIntegerField(db_default=0, default=0)
    low_25 = models.BigIntegerField(db_default=0, default=0)
    low_75 = models.BigIntegerField(db_default=0, default=0)
    low_95 = models.BigIntegerField(db_default=0, default=0)

    class Meta:
        indexes = [models.Index(fields=["release"], name="tally_of_release")]

    def __str__(self) -> str:
        return f"tally of release {self.release}"
