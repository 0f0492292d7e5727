"""Reading releases."""

from django.db.models import QuerySet

from devices_app.models import App
from tasks_app.models import Release
from walle.release.states import LIVE


def releases() -> QuerySet[Release]:
    """All releases, newest first, with what their display needs."""
    return Release.objects.select_related("app", "version__task__scenario").prefetch_related("stages", "transitions")


def releases_in_force(app: App) -> QuerySet[Release]:
    """The releases that make up an app's table, newest first; retired tasks have none."""
    return (
        Release.objects.filter(app=app, state__in=LIVE, version__task__retired_at=None)
        .select_related("version__task__scenario")
        .prefetch_related("stages", "version__files")
        .order_by("-id")
    )
