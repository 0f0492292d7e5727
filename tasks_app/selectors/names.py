"""Look up scenarios and versions by name, for devices_app and backups."""

from collections.abc import Collection
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from tasks_app.models import Scenario, TaskVersion
from walle.protocol.headers import short_hex
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


def versions_with(digests: Collection[str]) -> dict[str, str]:
    """Return the versions whose manifests' digests begin so, by these beginnings, with one query for all."""
    if not digests:
        return {}
    begins = reduce(or_, (Q(manifest_digest__startswith=digest) for digest in digests))
    found = TaskVersion.objects.filter(begins).values_list("manifest_digest", "version")
    return {short_hex(digest): version for digest, version in found}


def scenario_slugs() -> QuerySet[Scenario, tuple[str]]:
    """Return the slugs of all scenarios, in order."""
    return Scenario.objects.order_by("slug").values_list("slug")
