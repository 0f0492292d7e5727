"""The admin pages, grouped by what people come to do, in the order in which the console lists them."""

from dataclasses import dataclass
from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True)
class Page:
    """The list of a model: `model` is its label, `title` what people call its rows."""

    model: str
    title: str
    icon: str


@dataclass(frozen=True)
class Group:
    title: str
    about: str
    pages: tuple[Page, ...]


GROUPS: Final = (
    Group(
        "Releases",
        "How versions go to devices or callers, stage by stage.",
        (
            Page("releases_app.release", "Releases", "rocket_launch"),
            Page("releases_app.simulationcell", "Simulation results", "science"),
            Page("releases_app.exposure", "Selected devices", "checklist"),
            Page("releases_app.deliverygrant", "Who may deliver where", "handshake"),
        ),
    ),
    Group(
        "Devices",
        "Apps, their devices, and what these say.",
        (
            Page("devices_app.device", "Devices", "smartphone"),
            Page("devices_app.report", "Reports", "description"),
            Page("devices_app.app", "Apps", "apps"),
            Page("devices_app.appversion", "App versions", "sell"),
            Page("devices_app.appfact", "Facts of an app", "label"),
            Page("devices_app.userfacts", "Facts of users", "badge"),
            Page("devices_app.idlist", "Id lists", "list_alt"),
        ),
    ),
    Group(
        "Tasks",
        "Scenarios are git repositories, tasks their branches, versions their tags.",
        (
            Page("tasks_app.scenario", "Scenarios", "folder"),
            Page("tasks_app.task", "Tasks", "code"),
            Page("tasks_app.taskversion", "Versions", "commit"),
            Page("tasks_app.versionfile", "Files", "draft"),
            Page("tasks_app.variant", "Variants of files", "alt_route"),
        ),
    ),
    Group(
        "Serving",
        "Pipelines that answer callers, and workflows placed on workers.",
        (
            Page("serving_app.servinghost", "Serving hosts", "dns"),
            Page("serving_app.hostedplan", "Pipelines on hosts", "memory"),
            Page("serving_app.explainedversion", "Explained versions", "account_tree"),
            Page("serving_app.workflow", "Workflows", "schema"),
            Page("serving_app.placement", "Placements", "location_on"),
        ),
    ),
    Group(
        "People",
        "Who may do what, and who did what.",
        (
            Page("auth.user", "Users", "person"),
            Page("accounts_app.member", "Roles", "group"),
            Page("accounts_app.apitoken", "API tokens", "vpn_key"),
            Page("accounts_app.auditentry", "Audit log", "history"),
            Page("webhooks_app.mailsettings", "What people have by e-mail", "mark_email_read"),
        ),
    ),
    Group(
        "Trust",
        "Keys, and what is signed with them.",
        (
            Page("devices_app.appkey", "App keys", "key"),
            Page("devices_app.serverkey", "Server keys", "lock"),
            Page("devices_app.root", "Roots of trust", "verified_user"),
        ),
    ),
    Group(
        "Operations",
        "What runs behind it all, and who is told.",
        (
            Page("jobs_app.job", "Jobs", "work_history"),
            Page("devices_app.publishedtable", "Published tables", "table"),
            Page("devices_app.regionbase", "Download addresses", "public"),
            Page("webhooks_app.webhook", "Webhooks", "webhook"),
            Page("webhooks_app.delivery", "Webhook deliveries", "outbox"),
            Page("webhooks_app.mail", "E-mail messages", "mail"),
        ),
    ),
)


def groups_of(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups with the pages that the person may see, for the sidebar and for the home page."""
    pages = {model._meta.label_lower: page for model, page in admin.site._registry.items()}
    found = []
    for group in GROUPS:
        seen = [page for page in group.pages if pages[page.model].has_view_permission(request)]
        items = [{"title": page.title, "icon": page.icon, "link": _address(page)} for page in seen]
        if items:
            found.append({"title": group.title, "about": group.about, "items": items, "separator": True})
    return found


def _address(page: Page) -> str:
    return reverse(f"admin:{page.model.replace('.', '_')}_changelist")
