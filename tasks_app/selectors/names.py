"""Look up scenarios and versions by name, for devices_app and backups."""

from collections.abc import Collection

from django.db.models import QuerySet
from django.db.models.functions import Left

from tasks_app.models import Scenario, TaskVersion
from walle.protocol.headers import SHORT_DIGEST_BYTES, short_hex
from walle.protocol.names import split_task_name


def manifest_of(task: str, version: str) -> str | None:
    """Return the digest of a version's manifest; None if there is no such version."""
    scenario, slug = split_task_name(task)
    found = TaskVersion.objects.filter(task__scenario__slug=scenario, task__slug=slug, version=version)
    return found.values_list("manifest_digest", flat=True).first()


def version_with(task: str, digest: str) -> str:
    """Return the version of a task whose manifest's digest begins so, released or not; empty if there is none."""
    scenario, slug = split_task_name(task)
    found = TaskVersion.objects.filter(task__scenario__slug=scenario, task__slug=slug)
    return found.filter(manifest_digest__startswith=digest).values_list("version", flat=True).first() or ""


def versions_with(digests: Collection[str]) -> dict[tuple[str, str], str]:
    """Return the versions whose manifests have these short digests, by the task's name and the short digest."""
    found = TaskVersion.objects.alias(short=Left("manifest_digest", 2 * SHORT_DIGEST_BYTES)).filter(short__in=digests)
    columns = ("task__scenario__slug", "task__slug", "manifest_digest", "version")
    return {
        (f"{scenario}/{slug}", short_hex(digest)): version
        for scenario, slug, digest, version in found.values_list(*columns)
    }


def scenario_slugs() -> QuerySet[Scenario, tuple[str]]:
    """Return the slugs of all scenarios, in order."""
    return Scenario.objects.order_by("slug").values_list("slug")
