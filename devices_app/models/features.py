"""What tasks on devices uploaded through the tunnel, and how far it was received, counted and read."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from devices_app.models.apps import App
from devices_app.models.fields import WrittenJSONField
from kit.transactions import CurrentTransaction, TransactionId


class Feature(models.Model):
    """One feature: the named values that one run of a task uploaded.

    The table is partitioned by the UTC day of `received_at` (devices_app.services.feature_partitions). `xid` is the
    transaction that stored the row: only (xid, id) tells what is new (live_app.feed explains why). `version` is empty
    where nobody knew the manifest, of which `manifest` holds 24 hex digits. `at` and `tracked_at` are by the device's
    clock. Sizes are in bytes: of the values as JSON, and of the frames they came in.
    """

    app = models.ForeignKey(App, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    device = models.TextField()
    spool = models.BinaryField()
    sequence = models.BigIntegerField()
    task = models.TextField()
    version = models.TextField()
    manifest = models.TextField()
    at = models.DateTimeField(help_text="when the task ran")
    tracked_at = models.DateTimeField(help_text="when the event happened that triggered the run")
    received_at = models.DateTimeField()
    answer_by = models.DateTimeField(null=True, help_text="until when the device awaits an answer; empty: none")
    raw_bytes = models.IntegerField()
    wire_bytes = models.IntegerField()
    values = WrittenJSONField()
    xid = TransactionId(db_default=CurrentTransaction(), editable=False)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["id"], name="feature_by_id"),
            models.Index(fields=["xid", "id"], name="feature_by_transaction"),
            models.Index(fields=["app", "device", "xid", "id"], name="feature_of_device"),
            models.Index(fields=["task", "version", "xid", "id"], name="feature_of_version"),
        ]

    def __str__(self) -> str:
        return f"{self.task} {self.version} of {self.device}"


class FeaturePosition(models.Model):
    """The highest sequence stored of one spool of a device; what comes again up to it is stored already.

    `before` is what `sequence` was before the last transaction that changed it.
    """

    pk = models.CompositePrimaryKey("app_id", "device", "spool")
    app = models.ForeignKey(App, on_delete=models.CASCADE, db_index=False, related_name="+")
    device = models.TextField(db_collation="C")
    spool = models.BinaryField()
    sequence = models.BigIntegerField()
    before = models.BigIntegerField(default=0, db_default=0)
    updated_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.sequence} of {self.device}"


class FeatureCount(models.Model):
    """The features of a task that were received in one minute, counted in the transactions that stored them.

    Each connection adds to rows of its own (`slot`), so that no gateway waits for another one's disk; the sum counts.
    Delays until the gateway had the feature are histograms (walle.release.histogram, from 1 ms): since the event, and
    since the run.
    """

    pk = models.CompositePrimaryKey("minute", "app_id", "task", "slot")
    app = models.ForeignKey(App, on_delete=models.CASCADE, db_index=False, related_name="+")
    task = models.TextField(db_collation="C")
    minute = models.DateTimeField()
    slot = models.IntegerField()
    features = models.BigIntegerField()
    raw_bytes = models.BigIntegerField()
    wire_bytes = models.BigIntegerField()
    since_event = ArrayField(models.BigIntegerField())
    since_run = ArrayField(models.BigIntegerField())

    def __str__(self) -> str:
        return f"{self.features} of {self.task} at {self.minute:%Y-%m-%d %H:%M}"


class FeatureConsumer(models.Model):
    """Something that reads all features in order, and how far it got: up to and including (`xid`, `feature`).

    It reads those of one app or of one task only, where `app` or `task` say so. `error` is why its last attempt failed,
    empty if it did not; `failures` counts the attempts since the last success. `lag` and `lag_s` (features, seconds)
    are kept where the database cannot tell how far it is behind, for features that are in Redis.
    """

    name = models.CharField(max_length=100, unique=True)
    app = models.CharField(max_length=40, blank=True, default="", db_default="")
    task = models.CharField(max_length=81, blank=True, default="", db_default="")
    xid = TransactionId(default=0)
    feature = models.BigIntegerField(default=0)
    read = models.BigIntegerField(default=0, help_text="how many features it has read")
    updated_at = models.DateTimeField(null=True, help_text="when it last read")
    error = models.CharField(max_length=500, blank=True, default="")
    failures = models.PositiveIntegerField(default=0)
    failed_at = models.DateTimeField(null=True)
    lag = models.BigIntegerField(default=0, db_default=0)
    lag_s = models.FloatField(default=0.0, db_default=0.0)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
