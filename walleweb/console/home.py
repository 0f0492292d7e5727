"""The home of the console: what needs attention, as on the dashboard, then the pages by what people come to do."""

from typing import Any, Final

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from accounts_app.actors import Actor
from devices_app.attention import Concern, Urgency, most_urgent
from devices_app.selectors.registry import apps_visible_to
from kit.admin.dashboard import dashboard_page
from releases_app.selectors.overview import concerns_of
from walleweb.console.navigation import groups_of

URGENCIES: Final = {
    Urgency.NOW: ("Now", "text-red-700 dark:text-red-400"),
    Urgency.SOON: ("Soon", "text-orange-700 dark:text-orange-400"),
    Urgency.LATER: ("Later", "text-base-500 dark:text-base-400"),
}


def home(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add to the context of the home page what needs attention and where it is looked into."""
    actor = Actor.of(request)
    concerns = most_urgent(concerns_of(actor, list(apps_visible_to(actor)), only=False, now=timezone.now()))
    context["acknowledged"] = sum(each.acknowledged is not None for each in concerns)
    context["attention"] = [
        {
            "concern": each,
            "urgency": URGENCIES[each.urgency][0],
            "style": URGENCIES[each.urgency][1],
            "link": place_of(each),
        }
        for each in concerns
        if each.acknowledged is None
    ]
    context["groups"] = groups_of(request)
    return context


def place_of(concern: Concern) -> str:
    """Return where a concern is looked into: a page of the dashboard, or of the console where that has none."""
    noun, _, name = concern.target.partition("/")
    if noun == "webhooks":
        return reverse("admin:webhooks_app_webhook_change", args=[name])
    if noun == "apps" and concern.kind == "table-old":
        return f"{reverse('admin:devices_app_publishedtable_changelist')}?q={name}"
    pages = {
        "releases": lambda: dashboard_page("releases", name),
        "apps": lambda: dashboard_page("devices", app=name),
        "pipelines": lambda: dashboard_page("serving", *name.split("/", 1)),
    }
    if noun in pages:
        return pages[noun]()
    kinds = {"host-lost": dashboard_page("serving"), "features-unread": dashboard_page("features")}
    return kinds.get(concern.kind) or reverse("admin:jobs_app_job_changelist")
