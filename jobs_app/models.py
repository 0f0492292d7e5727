"""Jobs and workers. The row of a job is the truth about it, whatever happens to messages and workers."""

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import F, Q


class JobState(models.TextChoices):
    PENDING = "pending", "Pending"
    RUNNING = "running", "Running"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"


FINISHED = (JobState.SUCCEEDED, JobState.FAILED)


class Job(models.Model):
    """One unit of work.

    A running job belongs to the `lease_owner` until `lease_until`; an owner is one attempt of one worker, so a worker
    that lost a lease can never be mistaken for its present owner.
    """

    kind = models.CharField(max_length=100)
    arguments = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    dedupe_key = models.CharField(
        max_length=200, blank=True, default="", help_text="At most one pending job has this key; empty: none."
    )
    account = models.CharField(
        max_length=80,
        blank=True,
        default="",
        help_text="For whom it is done, where many share workers; empty: none.",
    )
    state = models.CharField(max_length=9, choices=JobState, default=JobState.PENDING)
    run_at = models.DateTimeField(help_text="Not started before this time.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="How often a worker has started it.")
    spent_s = models.FloatField(default=0, help_text="Seconds that former attempts took.")
    max_attempts = models.PositiveSmallIntegerField(default=5)
    lease_owner = models.CharField(max_length=120, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    result = models.JSONField(null=True, blank=True, encoder=DjangoJSONEncoder)
    error = models.TextField(blank=True, default="", help_text="What went wrong the last time.")
    request_id = models.CharField(
        max_length=64, blank=True, default="", help_text="The request that asked for it first; empty: none did."
    )
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True, help_text="When the last attempt began.")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["dedupe_key"],
                condition=Q(state=JobState.PENDING) & ~Q(dedupe_key=""),
                name="jobs_one_pending_per_key",
            ),
            models.CheckConstraint(condition=Q(state__in=JobState.values), name="jobs_known_state"),
            models.CheckConstraint(
                condition=(Q(state=JobState.RUNNING, lease_until__isnull=False) & ~Q(lease_owner=""))
                | (~Q(state=JobState.RUNNING) & Q(lease_owner="", lease_until__isnull=True)),
                name="jobs_running_means_leased",
            ),
            models.CheckConstraint(
                condition=Q(state__in=FINISHED, finished_at__isnull=False)
                | (~Q(state__in=FINISHED) & Q(finished_at__isnull=True)),
                name="jobs_finished_has_time",
            ),
            models.CheckConstraint(condition=Q(attempts__lte=F("max_attempts")), name="jobs_attempts_bounded"),
        ]
        indexes = [
            models.Index(fields=["run_at", "id"], condition=Q(state=JobState.PENDING), name="jobs_due"),
            models.Index(fields=["lease_until"], condition=Q(state=JobState.RUNNING), name="jobs_leases"),
            models.Index(fields=["dedupe_key", "-id"], condition=~Q(dedupe_key=""), name="jobs_by_key"),
            models.Index(fields=["finished_at"], condition=Q(state__in=FINISHED), name="jobs_finished"),
            models.Index(fields=["kind", "account", "finished_at"], condition=~Q(account=""), name="jobs_by_account"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk}"


class Worker(models.Model):
    """A worker process that takes messages of a queue, and its last sign of life; a process with an old one is gone."""

    host = models.CharField(max_length=120)
    pid = models.PositiveIntegerField()
    queue = models.CharField(max_length=60)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["host", "pid"], name="worker_once")]

    def __str__(self) -> str:
        return f"worker {self.pid} on {self.host}"
