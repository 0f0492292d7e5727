"""Who may do what beside Django: git, the live channel and the doors of the gateway, asked of a running server.

Git answers with a status, and a push of a ref that git took with what became of it. A socket answers with the status of
its handshake, the code with which it is closed, or "open"; a subscription with the code of its refusal or "subscribed".
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha1
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from django.utils import timezone
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from accounts_app.actors import SYSTEM, Actor
from accounts_app.services.members import grant_role
from accounts_app.services.tokens import revoke_token
from devices_app.models import AppKey, Device
from devices_app.selectors.state import gateway_state
from devices_app.services.apps import add_version, create_app, create_secret_key, revoke_key
from devices_app.services.devices import revoke
from devices_app.services.keys import ensure_keys
from devices_app.services.tables import publish
from live_app import topics
from serving_app.services.placements import put_workflow
from tasks_app import git_http
from tasks_app.services.scenarios import create_scenario
from tests.live_app.clients import connected, session_cookie
from tests.matrix.table import section
from tests.release.tables import entry
from tests.support.people import make_member, make_staff, make_user, token_of
from tests.support.placements import problem
from tests.support.releases import draft_of, make_version
from tests.support.waiting import ANSWER_S, wait_for
from tests.tasks_app.git_server import basic, running_server
from tests.tasks_app.working_copy import GOOD
from tests.vectors.reports import FULL
from walle.artifacts import LocalStore
from walle.gateway.application import GatewayApplication
from walle.protocol.headers import AppHeader, CheckIn, DeviceHeader
from walle.protocol.keyed import ExclusiveGrant
from walleweb import asgi

GIT, LIVE, GATEWAY = section("git"), section("live"), section("gateway")
ROLES = ("viewer", "developer", "releaser", "owner")
NONE = "0" * 40
REFS = {
    "new branch": "refs/heads/fresh-{number}",
    "deleted branch": "refs/heads/spare-{number}",
    "new tag": "refs/tags/digits/2.0.{number}",
    "moved tag": "refs/tags/digits/1.0.0",
    "deleted tag": "refs/tags/digits/1.0.0",
    "new note": "refs/notes/commits",
}
"""Pushes of one ref each to a commit that is there, or to none; what is taken is not there for the next person."""
TOPICS = {
    "releases": "releases",
    "release/N": "release/{release}",
    "release/N of the app": "release/{of_the_app}",
    "release/N elsewhere": "release/{elsewhere}",
    "release/N of nothing": "release/999999999",
    "fleet": "fleet",
    "fleet/APP": "fleet/shop",
    "fleet/APP elsewhere": "fleet/mall",
    "fleet/APP of nothing": "fleet/nothing",
    "features": "features",
    "features/APP": "features/shop",
    "features/APP of nothing": "features/nothing",
    "serving": "serving",
    "serving/SCENARIO": "serving/camera",
    "serving/SCENARIO of nothing": "serving/nothing",
    "placements": "placements",
    "placements/WORKFLOW": "placements/camera/questions",
    "placements/WORKFLOW of nothing": "placements/camera/nothing",
}


# What there is to be asked.


def git_operations() -> Iterator[str]:
    """Every service that is served, as its two requests, and the pushes of REFS."""
    for service in git_http._NEEDED:
        yield from (f"GET info/refs of {service}", f"POST {service}")
    yield from (f"push of a {name}" for name in REFS)


def live_operations() -> Iterator[str]:
    """The sockets, and a subscription to each kind of topic: those of TOPICS whose pattern it is."""
    yield from ("socket /live", "socket elsewhere", "subscribe nonsense")
    for kind in topics._kinds():
        names = [row for row, topic in TOPICS.items() if kind.pattern.fullmatch(topic.format_map(_Numbers()))]
        yield from (f"subscribe {name}" for name in names or [f"{kind.__name__}, of which TOPICS names none"])


class _Numbers(dict[str, str]):
    """Stands for the numbers of releases."""

    def __missing__(self, key: str) -> str:
        return "1"


def gateway_operations() -> Iterator[str]:
    """Every door of the gateway, and what is served beside it to whoever watches the process."""
    gateway: GatewayApplication = asgi.application.gateway.application
    yield "checkin"
    for door in gateway.endpoints:
        yield from [door] if door != "relay" else [f"relay {each}" for each in gateway.relay_endpoints]
    yield from asgi.application.operations


@pytest.mark.parametrize(
    ("table", "operations"),
    [(GIT, git_operations), (LIVE, live_operations), (GATEWAY, gateway_operations)],
    ids=["git", "live", "gateway"],
)
def test_the_table_has_every_operation(table, operations):
    table.expect_rows_for(list(operations()))


# The world, and who is in it.


@pytest.fixture
def world(transactional_db, settings, tmp_path):
    """Two apps and two scenarios; people hold their roles in shop and camera."""
    settings.WALLE_GIT_DIR, settings.WALLE_ARTIFACTS_DIR = tmp_path / "git", tmp_path / "artifacts"
    now = timezone.now()
    ensure_keys(now=now)
    apps = {slug: create_app(slug=slug, name=slug, actor=SYSTEM, now=now) for slug in ("shop", "mall")}
    for number, app in enumerate(apps.values(), 1):
        add_version(app=app, version="1.0.0", actor=SYSTEM)
        publish(app=app, entries=[entry(f"camera/of-{app.slug}", release=number, pace=1000)], removals=[], now=now)
    for slug in ("camera", "kitchen"):
        scenario = create_scenario(actor=SYSTEM, slug=slug)
        put_workflow(scenario=scenario, slug="questions", document=problem(), actor=SYSTEM, now=now)
    here, there = make_version("camera", "digits", "7.0.0"), make_version("kitchen", "pots", "1.0.0")
    about = {"release": ("mall", here), "of_the_app": ("shop", there), "elsewhere": ("mall", there)}
    drafts = {name: draft_of(apps[app], version, now=now).pk for name, (app, version) in about.items()}
    return SimpleNamespace(**apps, **drafts, drafts=drafts, folder=tmp_path, people=_people())


def _people() -> dict[str, Actor]:
    found = {"no-role": Actor(user=make_user("nora")), "elsewhere": make_member("owner", "scenario:kitchen", "elsa")}
    grant_role(actor=SYSTEM, user=found["elsewhere"].user, scope="app:mall", role="owner")
    for role in ROLES:
        found[role] = make_member(role, "scenario:camera")
        grant_role(actor=SYSTEM, user=found[role].user, scope="app:shop", role=role)
    return {**found, "staff": make_staff()}


@pytest.fixture
def server(world, settings):
    secrets = {"SECRET_KEY": settings.SECRET_KEY}
    with running_server(world.folder, settings.WALLE_MASTER_KEY, **secrets) as running:
        yield running


def block(user: Any) -> Any:
    user.is_active = False
    user.save()
    return user


# Git.


def secrets_of(people: dict[str, Actor]) -> dict[str, str | None]:
    """The token of each column; None comes without."""
    found: dict[str, str | None] = {"anonymous": None} | {name: token_of(actor) for name, actor in people.items()}
    owner = people["owner"]
    found["viewing"] = token_of(owner, permissions=["view"])
    found["pushing"] = token_of(owner, permissions=["push"])
    found["limited"] = token_of(owner, "scenario:kitchen", "app:shop")
    ruined = make_member("owner", "scenario:camera", "olaf")
    found["revoked"] = token_of(ruined)
    revoke_token(actor=SYSTEM, token=ruined.user.api_tokens.get(), now=timezone.now())
    leaver = make_member("owner", "scenario:camera", "leo")
    found["blocked"] = token_of(leaver)
    block(leaver.user)
    return found


def pkt(line: bytes) -> bytes:
    return b"%04x" % (len(line) + 4) + line


def push_of(ref: str, old: str, new: str) -> bytes:
    """The body of a push of one ref, with a pack that holds nothing."""
    pack = b"PACK\0\0\0\2\0\0\0\0"
    command = pkt(f"{old} {new} {ref}\0report-status\n".encode()) + b"0000"
    return command if new == NONE else command + pack + sha1(pack, usedforsecurity=False).digest()


def git_answers(server, secrets, head: str, older: str) -> dict[str, dict[str, str]]:
    """What each token is answered; `head` is what refs name, `older` the commit before."""
    found: dict[str, dict[str, str]] = {row: {} for row in GIT.rows}
    with httpx.Client(base_url=server.url("camera"), timeout=60) as client:
        for number, (name, secret) in enumerate(secrets.items()):
            client.headers = basic(secret) if secret else {}
            for service in git_http._NEEDED:
                answer = client.get("/info/refs", params={"service": service})
                found[f"GET info/refs of {service}"][name] = str(answer.status_code)
                kind = {"content-type": f"application/x-{service}-request"}
                answer = client.post(f"/{service}", content=b"0000", headers=kind)
                found[f"POST {service}"][name] = str(answer.status_code)
            for push, ref in REFS.items():
                old = NONE if push.startswith("new") else head
                new = {"deleted": NONE, "moved": older}.get(push.split()[0], head)
                found[f"push of a {push}"][name] = pushed(client, ref.format(number=number), old, new)
    return found


def pushed(client: httpx.Client, ref: str, old: str, new: str) -> str:
    kind = {"content-type": "application/x-git-receive-pack-request"}
    answer = client.post("/git-receive-pack", content=push_of(ref, old, new), headers=kind)
    if answer.status_code != 200:
        return str(answer.status_code)
    return "ok" if b"ok " + ref.encode() in answer.content else "refused"


def test_git_answers_as_the_table_says(world, server):
    secrets = secrets_of(world.people)
    copy = server.copy(world.folder / "copy", "camera", secrets["staff"])
    copy.commit(GOOD)
    copy.commit({"note.txt": "once more"})
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags", *(f"HEAD:refs/heads/spare-{number}" for number in range(len(secrets))))
    GIT.expect(git_answers(server, secrets, *(copy.git("rev-parse", each).strip() for each in ("HEAD", "HEAD~1"))))
    assert "Traceback" not in server.log()


# The live channel.


def handshake(server, path: str, actor: Actor | None) -> str:
    headers = {"Cookie": session_cookie(actor), "Origin": f"http://127.0.0.1:{server.port}"}
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://127.0.0.1:{server.port}{path}", additional_headers=headers)
    return str(refused.value.response.status_code)


def test_the_live_channel_answers_as_the_table_says(world, server):
    wanted = {f"subscribe {row}": topic.format_map(world.drafts) for row, topic in TOPICS.items()}
    wanted["subscribe nonsense"] = "nonsense"
    found: dict[str, dict[str, str]] = {row: {} for row in LIVE.rows}
    for name, actor in ({"anonymous": None} | world.people | {"blocked": Actor(user=make_user("leo"))}).items():
        with connected(server.port, actor) as client:
            if name == "blocked":
                block(actor.user)
                wait_for(lambda: client.receive() or client.closed, describe=lambda: client.messages)
            for topic in wanted.values():
                with suppress(ConnectionClosed):
                    client.subscribe(topic)
            answers: dict[str, str] = {}
            while len(answers) < len(wanted) and client.closed is None:
                client.receive()
                about = [message for message in client.messages if message["type"] in ("subscribed", "refused")]
                answers = {message["topic"]: message.get("code", "subscribed") for message in about}
            found["socket /live"][name] = str(client.closed or "open")
        found["socket elsewhere"][name] = handshake(server, "/elsewhere", actor)
        for row, topic in wanted.items():
            found[row][name] = answers.get(topic, str(client.closed))
    LIVE.expect(found)
    assert "Traceback" not in server.log()


# The gateway.


class Caller:
    """Somebody at the gateway's doors: the headers of a device, and a secret wherever one is asked for."""

    def __init__(self, secret: str = "", headers: dict[str, str] | None = None, exclusive: str = "") -> None:
        self.secret, self.headers, self.exclusive = secret, headers or {}, exclusive or secret or "none"


def callers(world) -> dict[str, Caller]:
    """Who asks, by the columns of the table; everybody asks about the app shop."""
    found = {"nothing": Caller()}
    for kind, name in ((AppKey.Kind.ENROL, "enrol-key"), (AppKey.Kind.GATEWAY, "gateway-key")):
        found[name] = Caller(create_secret_key(app=world.shop, kind=kind, label="good", actor=SYSTEM)[1])
        found[f"{name}-of-mall"] = Caller(create_secret_key(app=world.mall, kind=kind, label="good", actor=SYSTEM)[1])
        key, secret = create_secret_key(app=world.shop, kind=kind, label="retired", actor=SYSTEM)
        revoke_key(key=key, actor=SYSTEM, now=timezone.now())
        found[f"{name}-retired"] = Caller(secret)
    return found | devices(world)


def devices(world) -> dict[str, Caller]:
    now = timezone.now()
    gone = Device.objects.create(app=world.shop, device="gone", claims="", first_seen=now, last_seen=now)
    revoke(device=gone, actor=SYSTEM, now=now, reason="stolen")
    state = gateway_state()
    shop, mall = (state.apps[slug].keyring for slug in ("shop", "mall"))
    later, earlier = int(time.time()) + 600, int(time.time()) - 600

    def grant(device: str, expires: int) -> ExclusiveGrant:
        return ExclusiveGrant("shop", device, "0" * 64, {}, expires)

    def caller(device: str, credential: str, exclusive: str) -> Caller:
        header = DeviceHeader(device, credential, 0)
        headers = CheckIn(header, AppHeader("shop", {"app_version": "1.0.0"}), {}).headers()
        return Caller(credential, headers, exclusive)

    mine, other = (shop.issue_exclusive_token(grant(name, later)) for name in ("phone", "tablet"))
    crossed = ".".join([*other.split(".")[:-1], mine.split(".")[-1]])
    credential = shop.issue_credential("phone", later, {})
    return {
        "device": caller("phone", credential, mine),
        "as-another-device": caller("tablet", credential, crossed),
        "device-of-mall": caller(
            "phone", mall.issue_credential("phone", later, {}), mall.issue_exclusive_token(grant("phone", later))
        ),
        "device-revoked": caller(
            "gone", shop.issue_credential("gone", later, {}), shop.issue_exclusive_token(grant("gone", later))
        ),
        "device-expired": caller(
            "phone", shop.issue_credential("phone", earlier, {}), shop.issue_exclusive_token(grant("phone", earlier))
        ),
    }


RELAYED: dict[str, Any] = {
    "state": None,
    "check-ins": {"check_ins": []},
    "quotas": {"wanted": {"2": 900}},
    "reports": {"reports": []},
}
"""What is sent to the doors for other gateways; release 2 is the mall's."""


def request_of(operation: str, caller: Caller, artifact: str) -> httpx.Request:
    base = "http://walle/walle/v1"
    bearer = {"authorization": f"Bearer {caller.secret}"} if caller.secret else {}
    door, _, what = operation.partition(" ")
    match door:
        case "checkin":
            return httpx.Request("GET", f"{base}/checkin", headers=caller.headers)
        case "enrol":
            return httpx.Request("POST", f"{base}/enrol", json={"app": "shop", "key": caller.secret})
        case "reports":
            report = FULL | {"offer_token": None}
            return httpx.Request("POST", f"{base}/reports", json={"reports": [report]}, headers=caller.headers)
        case "artifacts":
            return httpx.Request("GET", f"{base}/artifacts/{artifact}", headers=bearer)
        case "roots":
            return httpx.Request("GET", f"{base}/roots/1.json", headers=bearer)
        case "exclusive":
            return httpx.Request("GET", f"{base}/exclusive/{caller.exclusive}/prefs.json")
        case "relay":
            method = "GET" if RELAYED[what] is None else "POST"
            return httpx.Request(method, f"{base}/relay/shop/{what}", json=RELAYED[what], headers=bearer)
        case _:
            return httpx.Request("GET", f"http://walle{door}", headers=bearer)


def send(client: httpx.Client, here: str, request: httpx.Request) -> httpx.Response:
    request.url = httpx.URL(here).copy_with(raw_path=request.url.raw_path)
    request.headers["host"] = request.url.netloc.decode()
    return client.send(request)


def test_the_gateway_answers_as_the_table_says(world, server):
    stored = LocalStore(world.folder / "artifacts").put(b"content").digest
    people = callers(world)
    found: dict[str, dict[str, str]] = {row: {} for row in GATEWAY.rows}
    with httpx.Client(timeout=ANSWER_S) as client:
        here = f"http://127.0.0.1:{server.port}"

        def status(row: str, name: str) -> int:
            return send(client, here, request_of(row, people[name], stored)).status_code

        # What was just made reaches the gateway within a moment.
        wait_for(lambda: (status("relay state", "gateway-key"), status("checkin", "device-revoked")) == (200, 401))
        for row, answers in found.items():
            for name, caller in people.items():
                answer = send(client, here, request_of(row, caller, stored))
                answers[name] = str(answer.status_code)
                if row == "relay quotas" and answer.is_success:
                    assert answer.json() == {"quotas": {}}, "one app's key leased of another app's pace"
    GATEWAY.expect(found)
    assert "Traceback" not in server.log()
