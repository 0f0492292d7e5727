"""Read pipelines: the tasks of their kind, and which of their versions answers which callers."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, QuerySet

from accounts_app.actors import Actor
from devices_app.models import App
from devices_app.selectors.tables import published_entries
from tasks_app.models import Task, TaskVersion
from tasks_app.selectors.catalogue import tasks_visible_to
from walle.protocol.kinds import PIPELINE
from walle.release.cohort import BUCKETS
from walle.release.table import Entry, Mode

if TYPE_CHECKING:
    from tasks_app.selectors.catalogue import CountedTask


@dataclass(frozen=True)
class Offering:
    """A version that answers callers of an app, by one release, newest first.

    It is the share of the callers that the release's rule takes, of those that no newer offering has. `held` says that
    the release is on hold, `observed` that it is under observation.
    """

    app: str
    release: int
    version: str
    manifest_digest: str
    share_percent: float
    control_percent: float
    held: bool
    observed: bool


_IS_PIPELINE = Exists(TaskVersion.objects.filter(task=OuterRef("pk"), kind=PIPELINE))


def pipelines_visible_to(actor: Actor) -> "QuerySet[CountedTask]":
    """Return the tasks of the kind `pipeline` in the visible scenarios."""
    return tasks_visible_to(actor).filter(_IS_PIPELINE)


def pipelines_within(scenarios: Collection[str] | None) -> QuerySet[Task]:
    """Return the tasks of the kind `pipeline` in these scenarios (slugs); None stands for all."""
    found = Task.objects.filter(_IS_PIPELINE).select_related("scenario")
    return found if scenarios is None else found.filter(scenario__slug__in=scenarios)


def offerings_of(tasks: Iterable[Task]) -> Mapping[int, list[Offering]]:
    """Return what answers the callers of tasks, by primary key of the task."""
    names = {task.name: task.pk for task in tasks}
    found: dict[int, list[Offering]] = defaultdict(list)
    entries = [
        (app, entry)
        for app, releases in published_entries().items()
        for listed in releases.values()
        for entry in listed
        if entry.kind == PIPELINE and entry.task in names and entry.mode != Mode.KEEP and entry.share
    ]
    if not entries:
        return found
    slugs = dict(App.objects.filter(pk__in={app for app, _ in entries}).values_list("pk", "slug"))
    digests = {entry.manifest for _, entry in entries}
    rows = TaskVersion.objects.filter(manifest_digest__in=digests).values_list("manifest_digest", "version")
    versions = dict(rows)
    for app, entry in entries:
        if app in slugs and entry.manifest in versions:
            found[names[entry.task]].append(_offering(slugs[app], versions[entry.manifest], entry))
    for offerings in found.values():
        offerings.sort(key=lambda each: (each.app, -each.release))
    return found


def _offering(app: str, version: str, entry: Entry) -> Offering:
    return Offering(
        app=app,
        release=entry.release,
        version=version,
        manifest_digest=entry.manifest,
        share_percent=100 * entry.share / BUCKETS,
        control_percent=100 * entry.control / BUCKETS,
        held=entry.mode == Mode.HOLD,
        observed=entry.observed,
    )
