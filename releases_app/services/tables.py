"""Compile the releases of an app into its table."""

from collections.abc import Iterator
from datetime import datetime

from devices_app.models import App, PublishedTable
from devices_app.services import tables
from devices_app.stores import artifact_store
from releases_app.models import Release
from releases_app.selectors.releases import releases_in_force, versions_withdrawn
from tasks_app.models import FileKind, Task
from walle.release.entries import entries_of
from walle.release.states import ReleaseState
from walle.release.table import Entry


def publish_app(app: App, *, now: datetime) -> PublishedTable:
    """Publish the app's table from its releases as they are in this transaction."""
    entries = [entry for release in releases_in_force(app) for entry in _entries(release, now)]
    withdrawn = versions_withdrawn(app)
    return tables.publish(app=app, entries=entries, removals=_removals(app), withdrawn=withdrawn, now=now)


def publish_for_task(task: Task, *, now: datetime) -> None:
    """Publish the table of every app that has releases of the task."""
    for app in App.objects.filter(releases__version__task=task).distinct():
        publish_app(app, now=now)


def _entries(release: Release, now: datetime) -> Iterator[Entry]:
    stages = [stage.pk for stage in release.stages.all()]
    return entries_of(_entry(release), release.parsed_strategy, release.current, stages, now)


def _entry(release: Release) -> Entry:
    """Return the parts of a release's entries that do not depend on its state."""
    version = release.version
    return Entry(
        release=release.pk,
        stage=0,
        task=version.task.name,
        manifest=version.manifest_digest,
        envelope_digest=version.envelope_digest,
        envelope_size=artifact_store().size(version.envelope_digest),
        exclusive=any(file.kind == FileKind.EXCLUSIVE for file in version.files.all()),
        rule=release.rule,
        share=0,
        salt=bytes(release.salt),
        kind=version.kind,
        interpreter=version.interpreter or None,
    )


def _removals(app: App) -> list[str]:
    """Return the retired tasks that this app's devices may still have."""
    released = Release.objects.filter(app=app).exclude(state=ReleaseState.DRAFT)
    retired = Task.objects.filter(retired_at__isnull=False, versions__releases__in=released).distinct()
    return [task.name for task in retired.select_related("scenario")]
