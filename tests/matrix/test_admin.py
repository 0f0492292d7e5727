"""Who may do what on the admin pages: every page and action of every model, as answers.txt has them.

An answer is a status; "login" stands for the way to the login page and "done" for another redirection, which is how the
admin pages say that something was done. Of a page that is opened and then submitted both are said, where they differ.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from accounts_app.actors import SYSTEM, Actor
from devices_app.services.apps import set_base
from jobs_app.models import Job
from tests.api.conftest import NOW, camera, digits, folders, keys, register, shop  # noqa: F401
from tests.api.worlds import world_of
from tests.matrix.table import section
from tests.support.admin_pages import pages_by_model
from tests.support.fleet import make_report
from tests.support.people import make_member, make_user, token_of
from webhooks_app.models import Mail, MailSettings

pytestmark = pytest.mark.django_db

TABLE = section("admin")
PAGES = {"changelist": "list", "add": "add", "change": "change", "delete": "delete", "history": "history"}
SUBMITTED = {"add", "change", "delete"}


def operations() -> Iterator[str]:
    """Every page of the admin site, and every page and action of every model."""
    for pattern in admin.site.get_urls():
        if getattr(pattern, "name", None):
            yield f"site {pattern.name}"
    for model, pages in pages_by_model().items():
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        for pattern in pages.get_urls():
            if pattern.name:
                page = PAGES.get(pattern.name.removeprefix(f"{name}_"), pattern.name.removeprefix(f"{name}_"))
                yield f"{name} {page}"
        yield from (f"{name} {action} on rows" for action in pages.actions)


def test_the_table_has_every_page_and_action():
    TABLE.expect_rows_for(list(operations()))


@pytest.fixture
def people(shop, camera):  # noqa: F811
    """A browser for each column of the table."""
    owner = make_member("owner", "app:shop", "olga")
    staff, blocked = make_user("stan", staff=True), make_user("blanche", staff=True)
    blocked.is_active = False
    blocked.save()
    users = {
        "no-role": make_user("nora"),
        "owner": owner.user,
        "staff": staff,
        "superuser": make_user("root", superuser=True),
    }
    browsers = {name: Client() for name in ("anonymous", *users, "blocked")}
    for name, user in (users | {"blocked": blocked}).items():
        browsers[name].force_login(user)
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {token_of(Actor(user=staff))}"}
    return browsers | {"token-of-staff": Client(**bearer)}


@pytest.fixture
def world(shop, digits, people):  # noqa: F811
    """A row of every model."""
    names = world_of(shop, digits)
    set_base(app=shop, region="eu", shared="https://a.example", exclusive="https://b.example", actor=SYSTEM, now=NOW)
    make_report(shop, names["device"])
    olga = User.objects.get(username="olga")
    MailSettings.objects.create(user=olga)
    Mail.objects.create(user=olga, purpose="test", due_at=NOW, created_at=NOW)
    Job.objects.create(kind="tests.nothing", created_at=NOW, run_at=NOW, max_attempts=1)
    return names


def requests_of(operation: str) -> tuple[str, list[dict[str, Any] | None]]:
    """The address of an operation, and what is sent there one after the other: None opens the page, a form submits."""
    name, page, *on_rows = operation.split()
    if name == "site":
        arguments = {"view_on_site": [1, 1], "app_list": ["devices_app"]}.get(page, [])
        return reverse(f"admin:{page}", args=arguments), [{} if page == "logout" else None]
    model = next(each for each in pages_by_model() if f"{each._meta.app_label}_{each._meta.model_name}" == name)
    if on_rows:
        return reverse(f"admin:{name}_changelist"), [{"action": page, "_selected_action": [_row(model).pk]}]
    route = next((route for route, shown in PAGES.items() if shown == page), page)
    address = reverse(f"admin:{name}_{route}", args=[] if page in ("list", "add") else [_row(model).pk])
    if page in SUBMITTED:
        return address, [None, {"post": "yes"}]
    return address, [None if page in PAGES.values() else {"_form_submitted": "on", "reason": "tried"}]


def _row(model: type[Model]) -> Model:
    row = model._default_manager.order_by("-pk").first()
    assert row, f"there is no {model._meta.label} on whose pages it could be tried: make one in `world`"
    return row


def answers(browser: Client, operation: str) -> str:
    address, forms = requests_of(operation)
    return "/".join(dict.fromkeys(answer(browser, address, form) for form in forms))


def answer(browser: Client, address: str, form: dict[str, Any] | None) -> str:
    """What is answered; what it changed is taken back."""
    cookies = browser.cookies.copy()
    with transaction.atomic():
        response = browser.get(address) if form is None else browser.post(address, form)
        transaction.set_rollback(True)
    browser.cookies = cookies
    if response.status_code != 302:
        return str(response.status_code)
    return "login" if response["Location"].startswith("/admin/login/") else "done"


def test_everybody_may_do_what_the_table_says_and_nothing_else(world, people):
    TABLE.expect(
        {operation: {name: answers(browser, operation) for name, browser in people.items()} for operation in TABLE.rows}
    )
