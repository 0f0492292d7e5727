"""Who may do what: every operation, asked by everybody, compared with the section "rest" of tests/matrix/answers.txt.

Each answer is the status in a world that nobody has changed yet. Below are the bodies that writings take there.
"""

import re
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.services.tokens import revoke_token
from devices_app.services.apps import create_app
from tasks_app.services.scenarios import create_scenario
from tests.api.conftest import NOW, member_of
from tests.api.contract import PREFIX, Api, document
from tests.api.worlds import PASSWORD, world_of
from tests.matrix.table import section
from tests.support.people import token_of
from tests.support.placements import problem
from tests.support.profiles import profile

pytestmark = pytest.mark.django_db

MINE, THEIRS = ("app:shop", "scenario:camera"), ("app:mall", "scenario:kitchen")
TABLE = section("rest")
ROWS = [tuple(row.split()) for row in TABLE.rows]
"""Methods and paths; names in braces are those of the world below."""
HOOK = {"scope": "app:shop", "url": "https://example.com/hook", "events": ["*"]}
BASE = {"shared": "https://a.example.org", "exclusive": "https://b.example.org"}
BODIES = {
    "POST session": {"username": "bob", "password": PASSWORD},
    "PATCH me": {"theme": "dark", "time_zone": "Europe/Berlin"},
    "PATCH account/mail": {"kinds": ["rolled-back", "approval"], "scopes": ["scenario:camera"]},
    "PUT account/mail/address": {"address": "ada@example.com"},
    "POST account/mail/confirm": {"token": "WzEsImFkYUBleGFtcGxlLmNvbSJd:1wDqNP:of-another-link"},
    "POST tokens": {"name": "laptop"},
    "POST fleet/attention/acknowledge": {"kind": "no-worker", "title": "No worker", "note": "it is being started"},
    "POST fleet/attention/reopen": {"kind": "no-worker", "title": "No worker"},
    "POST apps": {"slug": "bank", "name": "Bank"},
    "PATCH apps/{app}": {"name": "New"},
    "POST apps/{app}/versions": {"version": "7.0.0"},
    "PATCH apps/{app}/versions/{app_version}": {"profile": profile()},
    "POST apps/{app}/keys": {"kind": "enrol", "label": "new"},
    "POST apps/{app}/newcomers/revoke": {"first_seen_since": "2026-05-01T00:00:00Z", "reason": "leak"},
    "POST apps/{app}/newcomers/reinstate": {"first_seen_since": "2026-05-01T00:00:00Z"},
    "POST apps/{app}/bases": BASE,
    "PUT apps/{app}/facts/{fact}": {"type": "boolean"},
    "PUT apps/{app}/lists/{id_list}": {"devices": ["tablet"]},
    "POST apps/{app}/lists/{id_list}/add": {"devices": ["tablet"]},
    "POST apps/{app}/lists/{id_list}/remove": {"devices": ["tablet"]},
    "POST apps/{app}/user-facts": {"facts": {"phone": {}}},
    "PUT apps/{app}/user-facts/{device}": {"facts": {"vip": True}},
    "POST apps/{app}/members": {"user": "bob", "role": "owner"},
    "PATCH apps/{app}/members/{user}/{role}": {"role": "releaser"},
    "PUT apps/{app}/scenarios/{scenario}": {"complete_early": True, "note": "reviewed by our team"},
    "POST apps/{app}/targeting/preview": {"rule": {"devices": ["phone"]}},
    "POST apps/{app}/targeting/validate": {"rule": {"devices": ["phone"]}},
    "POST tasks/{task}/versions/{version}/lift-quarantine": {"reason": "it was the network"},
    "POST devices/{app}/{device}/revoke": {"reason": "stolen"},
    "POST releases/{paused}/resume": {"reason": "it was the network"},
    "POST releases/{running}/complete": {"reason": "closes a leak"},
    "PUT workflows/{scenario}/{workflow}": {"document": problem()},
    "POST workflows/{scenario}/{workflow}/placements": {},
    "POST placements/{placement}/apply": {"task": "digits", "version": "1.1.0"},
    "POST scenarios": {"slug": "voice"},
    "POST webhooks": HOOK,
    "PATCH webhooks/{webhook}": {"active": False},
    "PATCH scenarios/{scenario}": {"description": "new"},
    "POST scenarios/{scenario}/members": {"user": "bob", "role": "owner"},
    "PATCH scenarios/{scenario}/members/{user}/{role}": {"role": "releaser"},
    "POST releases": {"app": "shop", "task": "camera/digits", "version": "1.0.0", "app_versions": ["1.0.0"]},
    "POST releases/plan": {"app": "shop", "task": "camera/digits", "version": "1.0.0", "app_versions": ["1.0.0"]},
}
VARIANT = urlencode({"path": "prefs.json", "key": "old"})


@pytest.fixture
def world(shop, digits, settings):
    """What the names in the table stand for."""
    settings.WALLE_MAIL = True
    return world_of(shop, digits)


@pytest.fixture
def people(shop, camera, staff):
    """A client for each column of the table, in its order."""
    create_app(slug="mall", name="Mall", actor=SYSTEM, now=NOW)
    create_scenario(actor=SYSTEM, slug="kitchen")
    roles = {role: member_of(role, *MINE) for role in ("viewer", "developer", "releaser", "owner")}
    owner = roles["owner"].actor
    revoked = token_of(staff.actor)
    revoke_token(actor=SYSTEM, token=staff.actor.user.api_tokens.get(), now=timezone.now())
    blocked = member_of("owner", *MINE, name="blanche")
    blocked.actor.user.is_active = False
    blocked.actor.user.save()
    return {
        "anonymous": Api(),
        "no-role": member_of("owner", "app:elsewhere", name="nora"),
        "elsewhere": member_of("owner", *THEIRS, name="elsa"),
        **roles,
        "staff": staff,
        "viewing": Api(secret=token_of(owner, permissions=["view"])),
        "limited": Api(secret=token_of(owner, *THEIRS)),
        "staff-limited": Api(secret=token_of(staff.actor, *THEIRS)),
        "revoked": Api(secret=revoked),
        "blocked": blocked,
    }


def send(call, method, path, body):
    """The answer to one request of the table, sent by a method of Api's."""
    if path.endswith("/variants") and method in ("PUT", "DELETE"):
        options = {"data": b"{}", "content_type": "application/octet-stream"} if method == "PUT" else {}
        return call(method, f"{path}?{VARIANT}", **options)
    return call(method, path, body if method != "GET" else None)


def status_of(api, method, path, body):
    """The status of one answer; what it changed is taken back."""
    with transaction.atomic():
        response = send(api.call, method, path, body)
        transaction.set_rollback(True)
    return str(response.status_code)


def test_everybody_may_do_what_the_table_says_and_nothing_else(world, people):
    found = {}
    for method, path in ROWS:
        key = f"{method} {path}"
        body = BODIES.get(key, {})
        found[key] = {name: status_of(api, method, path.format(**world), body) for name, api in people.items()}
    TABLE.expect(found)


def operations():
    """Every operation of the OpenAPI document as a method and a path, each move of a release as one of its own."""
    for template, methods in document()["paths"].items():
        for method, described in methods.items():
            choices = [
                each["schema"]["enum"]
                for each in described.get("parameters", [])
                if (each["in"], each["name"]) == ("path", "action")
            ]
            for action in choices[0] if choices else [None]:
                path = template.replace("{action}", action or "{action}").removeprefix(PREFIX)
                yield f"{method.upper()} {path}"


def nameless(described):
    """The operation with all variables of its path alike: those of the table say which of several things is meant."""
    return re.sub(r"(\{\w+\}/)?\{\w+\}(?=/|$)", "{}", described.replace("{scenario}/{task}", "{task}"))


def test_the_table_has_every_operation():
    names = {nameless(row): row for row in TABLE.rows}
    TABLE.expect_rows_for([names.get(nameless(each), each) for each in operations()])
