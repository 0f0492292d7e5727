"""How the cloud halves of versions do, and the dictionaries that the features of tasks are compressed with."""

from django.db import models
from django.db.models import Q

from tasks_app.models.catalogue import DIGEST, Task, TaskVersion


class CloudHalfState(models.Model):
    """What became of the features that a version's cloud half was asked about, since the version was registered.

    `failures` counts the batches since the last one of which anything was answered; after such a batch the cloud half
    rests, and features that come before `rests_until` get no answer. `error` is why a call last failed, empty if none
    ever did.
    """

    version = models.OneToOneField(TaskVersion, on_delete=models.CASCADE, related_name="cloud_state")
    answered = models.BigIntegerField(default=0)
    unanswered = models.BigIntegerField(default=0, help_text="it has no answer to them, or failed on them")
    late = models.BigIntegerField(default=0, help_text="their devices did not wait so long")
    calls = models.BigIntegerField(default=0)
    call_ms = models.FloatField(default=0, help_text="what the calls took together")
    failures = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=500, blank=True, default="")
    failed_at = models.DateTimeField(null=True)
    rests_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"cloud half of {self.version}"


class FeatureDictionary(models.Model):
    """A dictionary that devices compress the features of a task with: an artifact.

    `schema` names the outputs that go up, with their types. `bytes_before` and `bytes_after` are what features that it
    was not trained on take with the one before it, or without any, and with it.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="dictionaries")
    schema = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)
    size = models.IntegerField()
    samples = models.IntegerField(help_text="features that it was trained on")
    bytes_before = models.BigIntegerField()
    bytes_after = models.BigIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=Q(digest__regex=DIGEST, schema__regex=DIGEST), name="dictionary_format"),
        ]
        indexes = [
            models.Index(fields=["task", "-id"], name="dictionary_of_task"),
            models.Index(fields=["digest"], name="dictionary_by_digest"),
        ]

    def __str__(self) -> str:
        return f"dictionary {self.digest[:12]} of {self.task}"
