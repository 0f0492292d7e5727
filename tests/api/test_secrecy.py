"""What somebody may not see is answered, wherever it is named, as what there is not; and nothing else tells of it.

There are two worlds with one of everything: people hold a role, or come with a token, in the first only. What can be
asked is the table of test_matrix, which has every operation, and the queries of the OpenAPI document.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import pytest
from django.db import transaction

from accounts_app.actors import SYSTEM
from devices_app.models import ActivityCount
from devices_app.services.apps import add_version, create_app
from tasks_app.services.scenarios import create_scenario
from tests.api.conftest import NOW, member_of, registering
from tests.api.contract import PREFIX, Api, document, operation
from tests.api.test_matrix import BODIES, ROWS, send
from tests.api.worlds import world_of
from tests.support.fleet import SEEN, make_report
from tests.support.people import make_staff, token_of
from tests.support.releases import draft_of, move_on
from webhooks_app.models import Webhook

pytestmark = pytest.mark.django_db

MINE = ("app:shop", "scenario:camera")
THEIRS = ("app:their-shop", "scenario:their-camera")
ROLES = ("viewer", "developer", "releaser", "owner")
LATER = SEEN + timedelta(minutes=1)
NUMBER = 999_999_999
ABSENT = {
    "app": "missing-shop", "scenario": "missing-camera", "task": "missing-camera/digits", "device": "missing-phone",
    "id_list": "missing-testers", "fact": "user.missing-vip", "user": "missing-bob", "token": "wl_00000000",
    "pipeline": "missing-camera/mood", "host": "serving-1", "workflow": "missing-questions",
    **dict.fromkeys(("webhook", "delivery", "key", "running", "paused", "draft", "cell", "feature"), NUMBER),
    "placement": NUMBER, "session": NUMBER,
}  # fmt: skip
"""Names of nothing, by what they would be names of."""
UNNAMING = {
    "action", "app_version", "arm", "at", "attempt", "base", "became", "before", "cursor", "days", "details",
    "error_class", "event", "evidence", "exact", "first_seen_before", "first_seen_since", "format", "key", "kind",
    "limit", "message", "minutes", "object_type", "order", "os", "outcome", "path", "retired", "revoked", "samples",
    "seen_before", "seen_since", "sequence", "since", "source", "stage", "state", "version", "vouched",
}  # fmt: skip
"""Parameters of queries that name nothing which somebody may not know of."""
BESIDE = {"rule": {"app": "shop"}, "object_id": {"object_type": "tasks_app.release"}}
"""What some parameters are asked together with."""


@pytest.fixture(autouse=True)
def time_stands_still(monkeypatch, settings):
    for module in ("kit.api.views", "accounts_app.authentication"):
        monkeypatch.setattr(f"{module}.timezone", SimpleNamespace(now=lambda: LATER))
    settings.WALLE_API_READS_PER_MINUTE = settings.WALLE_API_WRITES_PER_MINUTE = 0


@pytest.fixture
def mine(shop, digits):
    return world_of(shop, digits)


@pytest.fixture
def make_theirs(mine):
    """Makes the other world, with what draws attention, and says what its names are."""

    def make() -> dict[str, Any]:
        app = create_app(slug="their-shop", name="Their shop", actor=SYSTEM, now=NOW)
        for version in ("1.0.0", "1.1.0", "1.2.0"):
            add_version(app=app, version=version, actor=SYSTEM)
        create_scenario(actor=SYSTEM, slug="their-camera", description="their-s")
        with registering("their-camera") as register:
            good, bad = register("1.0.0", "1.1.0")
        names = world_of(app, good, mark="their-")
        make_report(app, names["device"], task=names["task"], outcome="failure", error_class="TheirError")
        ActivityCount.objects.create(app=app, at=LATER - timedelta(seconds=100), check_ins=600, failures=5)
        Webhook.objects.filter(pk=names["webhook"]).update(failing_since=NOW)
        move_on(draft_of(app, bad, app_versions=["1.2.0"], now=NOW), "start", "roll-back", now=NOW)
        return names

    return make


@pytest.fixture
def people(mine):
    """Clients that may see the first world, or one half of it, and nothing else."""
    owner = member_of("owner", *MINE, *THEIRS, name="olga").actor
    return {role: member_of(role, *MINE, name=role) for role in ROLES} | {
        "of the app": member_of("owner", MINE[0], name="ada"),
        "of the scenario": member_of("owner", MINE[1], name="sam"),
        "token": Api(secret=token_of(owner, *MINE)),
        "token of staff": Api(secret=token_of(make_staff("stan"), *MINE)),
    }


def seen(response: Any) -> tuple[int, str]:
    return response.status_code, b"".join(response).decode("utf-8", "replace")


def answer_of(api: Api, method: str, path: str, body: Any = None) -> tuple[int, str]:
    """What is answered; what it changed is taken back."""
    with transaction.atomic():
        found = seen(send(api.unchecked, method, path, body))
        transaction.set_rollback(True)
    return found


def chosen(text: str, theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> Iterator[frozenset[str]]:
    """Which variables of an address stand for what is theirs: each by itself, and all together."""
    variables = [name for name in re.findall(r"{(\w+)}", text) if theirs[name] != mine[name]]
    yield from {frozenset([name]) for name in variables} | ({frozenset(variables)} if variables else set())


def attempts(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Any, Any]]:
    """Every operation with something of theirs in its address or body, and the same with what there is not."""
    for method, path, *_ in ROWS:
        body = BODIES.get(f"{method} {path}", {})
        for names in chosen(path, theirs, mine):
            named = path.format(**mine | {name: theirs[name] for name in names})
            yield method, named, path.format(**mine | {name: ABSENT[name] for name in names}), body, body
        for name in ("app", "scenario"):
            text = json.dumps(body)
            bodies = [re.sub(rf"\b{mine[name]}\b", other[name], text) for other in (theirs, ABSENT)]
            if bodies[0] != text:
                here = path.format(**mine)
                yield method, here, here, *map(json.loads, bodies)


def filters(names: Mapping[str, Any]) -> dict[str, str]:
    """What each parameter of a query is asked, where it names something."""
    named = {name: str(names[name]) for name in ("app", "scenario", "task", "device", "workflow")}
    mark = named["app"].removesuffix("shop")
    rule = json.dumps({"list": names["id_list"]})
    return named | {
        "q": mark, "actor": names["user"], "scope": f"app:{named['app']}", "rule": rule,
        "id": str(names["draft"]), "release": str(names["draft"]), "object_id": str(names["draft"]),
        "facts": "", f"fact.{names['fact']}": "false",
    }  # fmt: skip


def queries(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Any, Any]]:
    """Every reading that takes a query, with something of theirs in it, and the same with what there is not."""
    for method, path, *_ in ROWS:
        if method != "GET":
            continue
        here = path.format(**mine)
        taken = {each["name"] for each in operation("GET", PREFIX + here)["parameters"] if each["in"] == "query"}
        for name in taken & filters(mine).keys():
            beside = BESIDE.get(name, {})
            pair = [beside | _one(name, filters(names)) for names in (theirs, mine | ABSENT)]
            yield "GET", *(f"{here}?{urlencode(each)}" for each in pair), None, None


def _one(name: str, values: Mapping[str, str]) -> dict[str, str]:
    if name == "facts":
        return {key: value for key, value in values.items() if key.startswith("fact.")}
    return {name: values[name]}


def renamed(text: str, theirs: Mapping[str, Any]) -> str:
    """An answer about what is theirs, in the names of what there is not."""
    for name, absent in ABSENT.items():
        if isinstance(absent, str):
            text = text.replace(theirs[name], absent)
    return text


def test_what_is_theirs_is_answered_as_what_there_is_not(people, mine, make_theirs):
    theirs = make_theirs()
    pairs = [*attempts(theirs, mine), *queries(theirs, mine)]
    leaks = []
    for person, api in people.items():
        for method, path, absent, body, other in pairs:
            # What roles differ in is what they may write.
            if method == "GET" and person in ROLES[:-1]:
                continue
            status, text = answer_of(api, method, path, body)
            if (status, renamed(text, theirs)) != answer_of(api, method, absent, other):
                leaks.append((person, method, path, body, status, text))
    assert leaks == []


def test_all_of_it_is_there_to_be_seen_by_others(staff, mine, make_theirs):
    """Or else the tests above and below would see nothing whatever leaked."""
    theirs = make_theirs()
    unseen = [
        path for method, path, *_ in ROWS
        if "{" in path and answer_of(staff, method, path.format(**theirs), BODIES.get(f"{method} {path}", {}))[0] == 404
    ]  # fmt: skip
    # Sessions are their user's alone.
    assert unseen == ["sessions/{session}"]
    told = {
        path.partition("?")[0] for _, path, absent, *_ in queries(theirs, mine)
        if answer_of(staff, "GET", path) != answer_of(staff, "GET", absent)
    }  # fmt: skip
    named = {"releases", "devices", "devices/count", "features", "reports", "audit", "tasks", "scenarios", "fleet"}
    assert named <= told


def test_what_one_sees_stays_whatever_happens_elsewhere(people, mine, make_theirs):
    readings = [path.format(**mine) for method, path, *_ in ROWS if method == "GET"]

    def everything() -> dict[tuple[str, str], tuple[int, str]]:
        seeing = [person for person in people if person not in ROLES[:-1]]
        return {(person, path): answer_of(people[person], "GET", path) for person in seeing for path in readings}

    before = everything()
    make_theirs()
    assert everything() == before


def test_every_parameter_of_a_query_is_known_here(mine):
    taken = {
        each["name"]
        for methods in document()["paths"].values()
        for each in methods.get("get", {}).get("parameters", [])
        if each["in"] == "query"
    }
    named = {name for name in filters(mine) if not name.startswith("fact.")}
    assert taken == named | (UNNAMING & taken)
