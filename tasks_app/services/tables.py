"""Compiles the releases of an app into its table."""

from datetime import datetime

from devices_app.models import App, PublishedTable
from devices_app.services import tables
from tasks_app.models import FileKind, Release, Stage, Task
from tasks_app.selectors.releases import releases_in_force
from tasks_app.services.content import artifact_store
from walle.release.states import ReleaseState
from walle.release.table import Entry


def publish_app(app: App, *, now: datetime) -> PublishedTable:
    """Publishes the app's table as its releases stand in this transaction."""
    entries = [_entry(release) for release in releases_in_force(app)]
    return tables.publish(app=app, entries=entries, removals=_removals(app), now=now)


def publish_for_task(task: Task, *, now: datetime) -> None:
    """Publishes the table of every app that has releases of the task."""
    for app in App.objects.filter(releases__version__task=task).distinct():
        publish_app(app, now=now)


def _entry(release: Release) -> Entry:
    version = release.version
    stage: Stage = release.stages.all()[0]
    return Entry(
        release=release.pk,
        stage=stage.pk,
        task=version.task.name,
        manifest=version.manifest_digest,
        envelope_digest=version.envelope_digest,
        envelope_size=artifact_store().size(version.envelope_digest),
        exclusive=any(file.kind == FileKind.EXCLUSIVE for file in version.files.all()),
        rule=release.rule,
        share=stage.share,
        salt=bytes(release.salt),
        paused=release.state == ReleaseState.PAUSED,
    )


def _removals(app: App) -> list[str]:
    """Retired tasks that this app's devices may still have."""
    released = Release.objects.filter(app=app).exclude(state=ReleaseState.DRAFT)
    retired = Task.objects.filter(retired_at__isnull=False, versions__releases__in=released).distinct()
    return [task.name for task in retired.select_related("scenario")]
