"""Who may do what where it is not REST (tests/api/test_matrix.py): git, the admin pages, sockets.

Each face is asked by everybody. "no role" is somebody without any role here; the others hold theirs in the scenario and
in the app; "viewing" and "elsewhere" are the owner with a token for viewing only and one for another scenario.
"""

from contextlib import suppress

import httpx
import pytest
from django.contrib import admin
from django.test import Client
from django.utils import timezone
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from accounts_app.actors import SYSTEM, Actor
from accounts_app.services.members import grant_role
from devices_app.services.apps import add_version, create_app
from devices_app.services.keys import ensure_keys
from tasks_app.services.scenarios import create_scenario
from tests.live_app.clients import connected
from tests.support.people import make_member, make_staff, make_user, token_of
from tests.support.releases import draft_of, make_version
from tests.tasks_app.git_server import discover, running_server

pytestmark = pytest.mark.django_db(transaction=True)

ROLES = ("viewer", "developer", "releaser", "owner")
GIT = """
           anonymous no-role viewer developer releaser owner staff viewing elsewhere
fetch            401     403    200       200      200   200   200     200       403
push             401     403    403       200      403   200   200     403       403
"""
ADMIN = """
           anonymous no-role viewer developer releaser owner staff
list             302     302    302       302      302   302   200
"""
# Of a socket: the status of its handshake, or the code with which it is closed. Of a topic: the code of its refusal. In
# another scenario and app people hold no role.
SOCKETS = """
                 anonymous no-role    viewer     developer  releaser   owner      staff
unknown          403       403        403        403        403        403        403
live             4401      open       open       open       open       open       open
releases         4401      subscribed subscribed subscribed subscribed subscribed subscribed
release          4401      not-found  subscribed subscribed subscribed subscribed subscribed
release-of-app   4401      not-found  subscribed subscribed subscribed subscribed subscribed
release-elsewhere 4401     not-found  not-found  not-found  not-found  not-found  subscribed
nothing          4401      not-found  not-found  not-found  not-found  not-found  not-found
fleet            4401      subscribed subscribed subscribed subscribed subscribed subscribed
fleet-of-app     4401      not-found  subscribed subscribed subscribed subscribed subscribed
fleet-elsewhere  4401      not-found  not-found  not-found  not-found  not-found  subscribed
nonsense         4401      unknown-topic unknown-topic unknown-topic unknown-topic unknown-topic unknown-topic
"""
SERVICES = {"fetch": "git-upload-pack", "push": "git-receive-pack"}


def table(text):
    """Statuses by row and person."""
    head, *rows = (line.split() for line in text.split("\n") if line.strip())
    return {row: dict(zip(head, statuses, strict=True)) for row, *statuses in rows}


@pytest.fixture
def people(settings, tmp_path):
    """An actor for each role, somebody without any, and site staff."""
    settings.WALLE_GIT_DIR = tmp_path / "git"
    create_scenario(actor=SYSTEM, slug="camera")
    found = {"no-role": Actor(user=make_user("nora"))}
    for role in ROLES:
        found[role] = make_member(role, "scenario:camera")
        grant_role(actor=SYSTEM, user=found[role].user, scope="app:shop", role=role)
    return {**found, "staff": make_staff()}


@pytest.fixture
def server(people, settings, tmp_path):
    secrets = {"SECRET_KEY": settings.SECRET_KEY}
    with running_server(tmp_path, settings.WALLE_MASTER_KEY, **secrets) as running:
        yield running


def cookies(actor):
    """The cookie of somebody who has signed in; nothing for nobody."""
    if actor is None:
        return ""
    client = Client()
    client.force_login(actor.user)
    return "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())


def socket_status(server, path, cookie):
    headers = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{server.port}"}
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://127.0.0.1:{server.port}{path}", additional_headers=headers)
    return refused.value.response.status_code


def watched():
    """The topics by row of the table."""
    now = timezone.now()
    ensure_keys(now=now)
    apps = {slug: create_app(slug=slug, name=slug, actor=SYSTEM, now=now) for slug in ("shop", "mall")}
    for app in apps.values():
        add_version(app=app, version="1.0.0", actor=SYSTEM)
    here, there = make_version("camera", "digits", "1.0.0"), make_version("kitchen", "pots", "1.0.0")
    rows = {
        "release": (apps["mall"], here),
        "release-of-app": (apps["shop"], there),
        "release-elsewhere": (apps["mall"], there),
    }
    drafts = {row: draft_of(*about, now=now).pk for row, about in rows.items()}
    topics = {row: f"release/{number}" for row, number in drafts.items()}
    fleets = {"fleet": "fleet", "fleet-of-app": "fleet/shop", "fleet-elsewhere": "fleet/mall"}
    return {"releases": "releases", **topics, **fleets, "nothing": "release/999999", "nonsense": "nonsense"}


def socket_answers(server, sessions):
    """What each person's sockets and subscriptions are answered."""
    topics = watched()
    found = {row: {} for row in ("unknown", "live", *topics)}
    for name, actor in sessions.items():
        found["unknown"][name] = str(socket_status(server, "/elsewhere", cookies(actor)))
        with connected(server.port, actor) as client:
            for topic in topics.values():
                with suppress(ConnectionClosed):
                    client.subscribe(topic)
            answers = {}
            while len(answers) < len(topics) and client.closed is None:
                client.hear()
                about = [message for message in client.messages if message["type"] in ("subscribed", "refused")]
                answers = {message["topic"]: message.get("code", "subscribed") for message in about}
            found["live"][name] = str(client.closed or "open")
            for row, topic in topics.items():
                found[row][name] = answers.get(topic, str(client.closed))
    return found


def test_everybody_gets_in_where_the_tables_say(people, server):
    secrets = {"anonymous": None} | {name: token_of(actor) for name, actor in people.items()}
    secrets["viewing"] = token_of(people["owner"], permissions=["view"])
    secrets["elsewhere"] = token_of(people["owner"], "scenario:elsewhere")
    found = {
        row: {name: str(discover(server, "camera", service, secret).status_code) for name, secret in secrets.items()}
        for row, service in SERVICES.items()
    }
    assert found == table(GIT)

    sessions = {"anonymous": None} | people
    assert socket_answers(server, sessions) == table(SOCKETS)
    page = f"http://127.0.0.1:{server.port}/admin/tasks_app/release/"
    pages = {
        name: str(httpx.get(page, headers={"Cookie": cookies(actor)}).status_code) for name, actor in sessions.items()
    }
    assert {"list": pages} == table(ADMIN)
    assert "Traceback" not in server.log()


def test_no_admin_page_is_for_anybody_but_staff(people):
    addresses = [
        "/admin/",
        *(f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry),
    ]
    assert len(addresses) > 20
    for name, actor in people.items():
        client = Client()
        client.force_login(actor.user)
        statuses = {address: client.get(address).status_code for address in addresses}
        assert statuses == dict.fromkeys(addresses, 200 if name == "staff" else 302), name
