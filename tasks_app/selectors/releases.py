"""Reading releases."""

from django.db.models import Q, QuerySet

from accounts_app.actors import Actor
from accounts_app.selectors import seen_slugs
from devices_app.models import App
from tasks_app.models import Release
from walle.release.states import LIVE


def releases() -> QuerySet[Release]:
    """All releases, newest first, with what their display needs."""
    return Release.objects.select_related("app", "version__task__scenario").prefetch_related("stages", "transitions")


def releases_visible_to(actor: Actor) -> QuerySet[Release]:
    """Releases of the scenarios and to the apps in which the actor holds a role, newest first; all for staff."""
    found = Release.objects.select_related("app", "version__task__scenario").defer("version__manifest")
    scenarios, apps = seen_slugs(actor, "scenario"), seen_slugs(actor, "app")
    if scenarios is None or apps is None:
        return found.order_by("-id")
    visible = Q(version__task__scenario__slug__in=scenarios) | Q(app__slug__in=apps)
    return found.filter(visible).order_by("-id")


def release_visible_to(actor: Actor, pk: int) -> Release:
    """One release with its stages and transitions; raises Release.DoesNotExist."""
    return releases_visible_to(actor).prefetch_related("stages", "transitions").get(pk=pk)


def releases_in_force(app: App) -> QuerySet[Release]:
    """The releases that make up an app's table, newest first; retired tasks have none."""
    return (
        Release.objects.filter(app=app, state__in=LIVE, version__task__retired_at=None)
        .select_related("version__task__scenario")
        .prefetch_related("stages", "version__files")
        .order_by("-id")
    )
