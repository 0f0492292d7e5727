"""The catalogue: scenarios, their tasks, the tasks' immutable versions and their files.

A scenario is a git repository, a task one of its branches, a version one of its tags (section 6 of the Walle paper).
Rows of versions and files never change once written; a database trigger enforces it.
"""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from walle.protocol.kinds import DEVICE
from walle.protocol.names import SemVer, version_tag

SLUG = r"^[a-z][a-z0-9-]{0,39}$"
DIGEST = r"^[0-9a-f]{64}$"
COMMIT = r"^[0-9a-f]{40}$"


class Scenario(models.Model):
    """A business scenario: one git repository with its members."""

    slug = models.CharField(max_length=40, unique=True)
    description = models.TextField(blank=True)
    approval_required = models.BooleanField(
        default=False, help_text="every release has to be approved by somebody else than who made it"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]
        constraints = [models.CheckConstraint(condition=Q(slug__regex=SLUG), name="scenario_slug_format")]

    def __str__(self) -> str:
        return self.slug


class Task(models.Model):
    """An ML task: one branch. A retired task accepts no new versions and is withdrawn from devices."""

    scenario = models.ForeignKey(Scenario, on_delete=models.PROTECT, related_name="tasks")
    slug = models.CharField(max_length=40)
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["scenario__slug", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["scenario", "slug"], name="task_once"),
            models.CheckConstraint(condition=Q(slug__regex=SLUG), name="task_slug_format"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The task's full name, such as `camera/digits`."""
        return f"{self.scenario.slug}/{self.slug}"


class TaskVersion(models.Model):
    """A registered tag: its commit, and the manifest that devices verify.

    `manifest` is the canonical payload and `manifest_digest` its SHA-256; `envelope_digest` is the artifact that holds
    the signed envelope. Only that and `signed_by` may change, when the payload is signed again.
    """

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="versions")
    version = models.CharField(max_length=64)
    kind = models.CharField(max_length=40, default=DEVICE, help_text="what runs it: every device, or an engine")
    interpreter = models.CharField(
        max_length=40, blank=True, default="", db_default="", help_text="whose bytecode devices get; empty: the source"
    )
    order = models.CharField(max_length=300, db_collation="C", editable=False, help_text="sorts as versions do")
    commit = models.CharField(max_length=40)
    author_name = models.CharField(max_length=200)
    author_email = models.CharField(max_length=254, blank=True)
    message = models.TextField(blank=True)
    tagged_at = models.DateTimeField()
    manifest = models.BinaryField()
    manifest_digest = models.CharField(max_length=64, unique=True)
    envelope_digest = models.CharField(max_length=64)
    signed_by = models.CharField(max_length=64, help_text="id of the key that signed the envelope")
    total_size = models.BigIntegerField(help_text="bytes of all shared files")
    cloud = models.JSONField(
        null=True, blank=True, default=None, help_text="what answers its features in the cloud, if anything does"
    )
    model_plans = models.JSONField(
        blank=True, default=dict, db_default={}, help_text="how its models will run, by their names"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["task", "-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["task", "version"], name="version_once"),
            models.CheckConstraint(condition=Q(commit__regex=COMMIT), name="version_commit_format"),
            models.CheckConstraint(
                condition=Q(manifest_digest__regex=DIGEST, envelope_digest__regex=DIGEST),
                name="version_digest_format",
            ),
            models.CheckConstraint(condition=Q(total_size__gte=0), name="version_size_positive"),
        ]
        indexes = [models.Index(fields=["task", "order"])]

    def __str__(self) -> str:
        return f"{self.task.name} {self.version}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.order = SemVer.parse(self.version).sort_key
        super().save(*args, **kwargs)

    @property
    def tag(self) -> str:
        """The git tag, such as `digits/1.0.0`."""
        return version_tag(self.task.slug, self.version)


class FileKind(models.TextChoices):
    SHARED = "shared"
    EXCLUSIVE = "exclusive"
    SOURCE = "source"
    CLOUD = "cloud"


IN_GIT = (FileKind.SOURCE, FileKind.CLOUD)
"""The kinds of files that no device gets: the store serves whoever knows a digest, so their content stays in git."""


class VersionFile(models.Model):
    """One file of a version: shared with all devices, or exclusive, with a content per variant key.

    A source is what a shared file was made of, bytecode or an imported model; a cloud file is one of the cloud half. No
    device gets either, and their content is in git.
    """

    version = models.ForeignKey(TaskVersion, on_delete=models.PROTECT, related_name="files")
    path = models.CharField(max_length=200)
    kind = models.CharField(max_length=9, choices=FileKind.choices)
    digest = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001  an exclusive file has none
    size = models.BigIntegerField(null=True, blank=True)
    template = models.CharField(max_length=200, blank=True, help_text="how facts make the variant key")
    default = models.CharField(max_length=200, blank=True, help_text="shared file used without a variant")

    class Meta:
        ordering = ["path"]
        constraints = [
            models.UniqueConstraint(fields=["version", "path"], name="file_once"),
            models.CheckConstraint(
                # PostgreSQL accepts a check that results in NULL, so NULL is excluded explicitly.
                condition=Q(kind__in=["shared", "source", "cloud"], digest__isnull=False, size__isnull=False)
                & Q(digest__regex=DIGEST, size__gte=0, template="", default="")
                | Q(Q(kind="exclusive", digest=None, size=None), ~Q(template=""), ~Q(default=F("path"))),
                name="file_shared_or_exclusive",
            ),
        ]
        indexes = [models.Index(fields=["digest"])]

    def __str__(self) -> str:
        return self.path


class Variant(models.Model):
    """The content of an exclusive file for one key, bound to the version by a signed statement."""

    file = models.ForeignKey(VersionFile, on_delete=models.CASCADE, related_name="variants")
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    size = models.BigIntegerField()
    statement = models.BinaryField(help_text="signed envelope")
    signed_by = models.CharField(max_length=64, help_text="id of the key that signed the statement")
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    uploaded_at = models.DateTimeField()

    class Meta:
        ordering = ["file", "key"]
        constraints = [
            models.UniqueConstraint(fields=["file", "key"], name="variant_once"),
            models.CheckConstraint(
                condition=Q(Q(digest__regex=DIGEST, size__gte=0), ~Q(key="")), name="variant_content_format"
            ),
        ]
        indexes = [models.Index(fields=["digest"]), models.Index(fields=["file", "-id"], name="variant_of_file")]

    def __str__(self) -> str:
        return f"{self.file.path} [{self.key}]"


class IngestedBlob(models.Model):
    """A git blob whose content is in the content-addressed store already, so that it is read only once.

    The rows are a cache: any may be deleted and is created again by the next push.
    """

    oid = models.CharField(max_length=40, primary_key=True)
    digest = models.CharField(max_length=64)
    size = models.BigIntegerField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(oid__regex=COMMIT, digest__regex=DIGEST, size__gte=0), name="blob_format"
            ),
        ]

    def __str__(self) -> str:
        return self.oid
