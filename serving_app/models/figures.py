"""How predictions went, counted in the serving processes and added up here by minute."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from devices_app.models import App


class PredictionCount(models.Model):
    """The predictions that one version made for callers of an app within one minute, by all hosts together.

    `latency` is a histogram of the seconds of requests (walle.release.histogram), `scores` one of equal parts of the
    scores' range (walle.whitebox.serving.ports.VersionFigures). `refused` records were refused for their form.
    """

    pk = models.CompositePrimaryKey("at", "app_id", "manifest")
    at = models.DateTimeField(help_text="when the minute began")
    app = models.ForeignKey(App, on_delete=models.CASCADE, db_index=False, related_name="+")
    task = models.CharField(max_length=81)
    version = models.CharField(max_length=64)
    manifest = models.CharField(max_length=64, db_collation="C")
    requests = models.BigIntegerField()
    records = models.BigIntegerField()
    failed = models.BigIntegerField()
    refused = models.BigIntegerField()
    latency = ArrayField(models.BigIntegerField())
    scores = ArrayField(models.BigIntegerField())

    class Meta:
        indexes = [models.Index(fields=["task", "at"], name="prediction_count_of_task")]

    def __str__(self) -> str:
        return f"{self.records} of {self.task} {self.version} at {self.at:%Y-%m-%d %H:%M}"
