"""Read scenarios, tasks, versions and their files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypedDict

from django.db.models import CharField, Count, F, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Concat

from accounts_app.actors import Actor
from accounts_app.selectors import scopes_of
from tasks_app.models import FileKind, Scenario, Task, TaskVersion, Variant, VersionFile
from walle.bundle.bytecode import compiled_path

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class TaskCount(TypedDict):
        task_count: int

    class VersionCount(TypedDict):
        version_count: int

    class VariantCount(TypedDict):
        variant_count: int

    CountedScenario = WithAnnotations[Scenario, TaskCount]
    CountedTask = WithAnnotations[Task, VersionCount]
    CountedFile = WithAnnotations[VersionFile, VariantCount]

FULL_NAME: Final = Concat("scenario__slug", Value("/"), "slug", output_field=CharField())
LAST_CHANGE: Final = Coalesce(Max("versions__created_at"), F("created_at"))
TASK_ORDERS: Final[Mapping[str, Combinable]] = {
    "name": FULL_NAME,
    "created_at": F("created_at"),
    "changed_at": LAST_CHANGE,
    "version_count": F("version_count"),
}
"""What lists of tasks can be sorted by."""

# Fields that differ between any two versions, and the files, which are compared one by one.
_ALWAYS_DIFFERENT: Final = ("version", "commit", "files")


@dataclass(frozen=True)
class FileChange:
    """A path that differs between two versions; `old` is None where it was added, `new` where it was removed."""

    path: str
    old: VersionFile | None
    new: VersionFile | None

    @property
    def kind(self) -> str:
        return "added" if self.old is None else "removed" if self.new is None else "changed"


@dataclass(frozen=True)
class FieldChange:
    """A field of the manifest that differs, such as `limits.time_ms`; None where a version does not have it."""

    field: str
    old: Any
    new: Any


@dataclass(frozen=True)
class VersionDiff:
    """The differences between two versions: files by path, manifest fields by name."""

    files: tuple[FileChange, ...]
    fields: tuple[FieldChange, ...]


def scenarios_visible_to(actor: Actor) -> "QuerySet[CountedScenario]":
    """Return the scenarios in which the actor holds a role, by slug; all of them for staff."""
    scenarios = Scenario.objects.annotate(task_count=Count("tasks")).order_by("slug")
    if actor.has_every_permission and (actor.token is None or not actor.token.scopes):
        return scenarios
    reached = actor.token.scopes if actor.has_every_permission and actor.token else scopes_of(actor)
    slugs = [scope.removeprefix("scenario:") for scope in reached if scope.startswith("scenario:")]
    return scenarios.filter(slug__in=slugs)


def scenarios_found(scenarios: "QuerySet[CountedScenario]", text: str) -> "QuerySet[CountedScenario]":
    """Return those scenarios whose slug or description contains the text, ignoring case."""
    return scenarios.filter(Q(slug__icontains=text) | Q(description__icontains=text))


def scenario_visible_to(actor: Actor, slug: str) -> "CountedScenario":
    """Return one scenario; raises Scenario.DoesNotExist if it is missing or not visible to the actor."""
    return scenarios_visible_to(actor).get(slug=slug)


def tasks_visible_to(actor: Actor) -> "QuerySet[CountedTask]":
    """Return the tasks of the visible scenarios, by full name."""
    visible = Task.objects.filter(scenario__in=scenarios_visible_to(actor).values("pk"))
    return visible.select_related("scenario").annotate(version_count=Count("versions"))


def tasks_found(tasks: "QuerySet[CountedTask]", query: Mapping[str, Any]) -> "QuerySet[CountedTask]":
    """Return those tasks whose full name contains `q`, ignoring case, of the `scenario`, `retired` or not."""
    if "scenario" in query:
        tasks = tasks.filter(scenario__slug=query["scenario"])
    if "retired" in query:
        tasks = tasks.filter(retired_at__isnull=not query["retired"])
    if "q" in query:
        tasks = tasks.alias(full_name=FULL_NAME).filter(full_name__icontains=query["q"])
    return tasks


def task_visible_to(actor: Actor, scenario: str, task: str) -> "CountedTask":
    """Return one task; raises Task.DoesNotExist if it is missing or not visible to the actor."""
    return tasks_visible_to(actor).get(scenario__slug=scenario, slug=task)


def versions_of(task: Task) -> QuerySet[TaskVersion]:
    """Return a task's versions, the highest first, without their manifests."""
    rows = TaskVersion.objects.filter(task=task).select_related("task__scenario").defer("manifest")
    return rows.order_by("-order")


def latest_version(task: Task) -> TaskVersion | None:
    """Return the highest version that is not a pre-release; the highest pre-release if there is no other."""
    versions = versions_of(task)
    return versions.exclude(version__regex=r"^[^+]*-").first() or versions.first()


def is_prerelease(version: TaskVersion) -> bool:
    """Return whether a version is a pre-release, such as 1.0.0-rc.1."""
    return "-" in version.version.partition("+")[0]


def version_below(version: TaskVersion) -> TaskVersion | None:
    """Return the next lower version of the same task."""
    return versions_of(version.task).filter(order__lt=version.order).first()


def version_of(task: Task, version: str) -> TaskVersion:
    """Return one version of a task; raises TaskVersion.DoesNotExist."""
    return TaskVersion.objects.select_related("task__scenario").get(task=task, version=version)


def version_by_manifest(digest: str) -> TaskVersion:
    """Return the version whose manifest has this digest; raises TaskVersion.DoesNotExist."""
    return TaskVersion.objects.select_related("task__scenario").get(manifest_digest=digest)


def manifest_of(version: TaskVersion) -> dict[str, Any]:
    """Return the manifest as data."""
    manifest: dict[str, Any] = json.loads(bytes(version.manifest))
    return manifest


def files_of(version: TaskVersion) -> "QuerySet[CountedFile]":
    """Return a version's files by path, each with its `variant_count`."""
    variants = Variant.objects.filter(file=OuterRef("pk")).order_by().values("file").annotate(count=Count("*"))
    files = VersionFile.objects.filter(version=version).order_by("path")
    return files.annotate(variant_count=Coalesce(Subquery(variants.values("count")), 0))


def variants_of(file: VersionFile) -> QuerySet[Variant]:
    """Return the variants of an exclusive file, by key."""
    return Variant.objects.filter(file=file).select_related("uploaded_by", "file__version").order_by("key")


def variants_of_version(version: TaskVersion, **of_file: str) -> QuerySet[Variant]:
    """Return the variants of a version's exclusive files, of all or of those with these column values, the newest
    first.
    """
    # Without a join: with the files' keys an index yields the newest variants, however many there are.
    files = list(VersionFile.objects.filter(version=version, kind="exclusive", **of_file).values_list("pk"))
    rows = Variant.objects.filter(file__in=[pk for (pk,) in files])
    rows = rows.select_related("uploaded_by", "file__version__task__scenario")
    return rows.defer("statement", "file__version__manifest").order_by("-id")


def diff_versions(old: TaskVersion, new: TaskVersion) -> VersionDiff:
    """Return the differences between two versions, of one task or of two."""
    before, after = _by_path(old), _by_path(new)
    changes = (FileChange(path, before.get(path), after.get(path)) for path in sorted(before.keys() | after.keys()))
    return VersionDiff(
        files=tuple(change for change in changes if _content(change.old) != _content(change.new)),
        fields=tuple(_field_changes("", _comparable(old), _comparable(new))),
    )


def _by_path(version: TaskVersion) -> dict[str, VersionFile]:
    """The files that people compare: sources in the place of the bytecode that was compiled from them."""
    files = {file.path: file for file in version.files.all()}
    compiled = {compiled_path(file.path) for file in files.values() if file.kind == FileKind.SOURCE}
    return {path: file for path, file in files.items() if path not in compiled}


def _content(file: VersionFile | None) -> tuple[object, ...] | None:
    return None if file is None else (file.kind, file.digest, file.template, file.default)


def _comparable(version: TaskVersion) -> dict[str, Any]:
    return {name: value for name, value in manifest_of(version).items() if name not in _ALWAYS_DIFFERENT}


def _field_changes(prefix: str, old: Any, new: Any) -> list[FieldChange]:
    if isinstance(old, dict) and isinstance(new, dict):
        names = sorted(old.keys() | new.keys())
        return [change for name in names for change in _field_changes(f"{prefix}{name}.", old.get(name), new.get(name))]
    return [] if old == new else [FieldChange(prefix.removesuffix("."), old, new)]
