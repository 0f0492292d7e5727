"""Who may do what: every operation, asked by everybody, compared with one table.

"no role" is somebody without any role; viewer, developer, releaser and owner hold theirs both in the app and in
the scenario. Each cell is the status of the answer, in a world that nobody has changed yet.
"""

from urllib.parse import urlencode

import pytest
from django.db import transaction

from tests.api.conftest import member_of
from tests.api.contract import PREFIX, Api, document, operation
from tests.api.worlds import PASSWORD, world_of
from tests.support.profiles import profile

pytestmark = pytest.mark.django_db

PEOPLE = ("anonymous", "no role", "viewer", "developer", "releaser", "owner", "staff")
# Names in braces are those of the world below. The columns are PEOPLE.
MATRIX = """
GET     me                                             401 200 200 200 200 200 200
GET     tokens                                         401 200 200 200 200 200 200
POST    tokens                                         401 201 201 201 201 201 201
POST    tokens/{token}/revoke                          401 404 404 404 404 404 200
GET     audit                                          401 200 200 200 200 200 200

GET     apps                                           401 200 200 200 200 200 200
POST    apps                                           401 403 403 403 403 403 201
GET     apps/{app}                                     401 404 200 200 200 200 200
PATCH   apps/{app}                                     401 404 403 403 403 200 200
GET     apps/{app}/versions                            401 404 200 200 200 200 200
POST    apps/{app}/versions                            401 404 403 403 403 201 201
PATCH   apps/{app}/versions/{app_version}              401 404 403 403 403 200 200
GET     apps/{app}/keys                                401 404 200 200 200 200 200
POST    apps/{app}/keys                                401 404 403 403 403 201 201
POST    apps/{app}/keys/{key}/revoke                   401 404 403 403 403 200 200
POST    apps/{app}/newcomers/revoke                    401 404 403 403 403 202 202
POST    apps/{app}/newcomers/reinstate                 401 404 403 403 403 202 202
GET     apps/{app}/bases                               401 404 200 200 200 200 200
POST    apps/{app}/bases                               401 404 403 403 403 200 200
GET     apps/{app}/facts                               401 404 200 200 200 200 200
PUT     apps/{app}/facts/{fact}                        401 404 403 403 403 200 200
DELETE  apps/{app}/facts/{fact}                        401 404 403 403 403 204 204
GET     apps/{app}/lists                               401 404 200 200 200 200 200
GET     apps/{app}/lists/{id_list}                     401 404 200 200 200 200 200
PUT     apps/{app}/lists/{id_list}                     401 404 403 403 200 200 200
DELETE  apps/{app}/lists/{id_list}                     401 404 403 403 204 204 204
POST    apps/{app}/lists/{id_list}/add                 401 404 403 403 200 200 200
GET     apps/{app}/lists/{id_list}/devices             401 404 200 200 200 200 200
POST    apps/{app}/lists/{id_list}/remove              401 404 403 403 200 200 200
GET     apps/{app}/user-facts                          401 404 200 200 200 200 200
POST    apps/{app}/user-facts                          401 404 403 200 403 200 200
GET     apps/{app}/user-facts/{device}                 401 404 200 200 200 200 200
PUT     apps/{app}/user-facts/{device}                 401 404 403 204 403 204 204
DELETE  apps/{app}/user-facts/{device}                 401 404 403 204 403 204 204
GET     apps/{app}/table                               401 404 200 200 200 200 200
POST    apps/{app}/targeting/preview                   401 404 200 200 200 200 200
POST    apps/{app}/targeting/validate                  401 404 200 200 200 200 200
GET     apps/{app}/members                             401 404 200 200 200 200 200
POST    apps/{app}/members                             401 404 403 403 403 201 201
DELETE  apps/{app}/members/{user}/{role}               401 404 403 403 403 204 204
GET     apps/{app}/scenarios                           401 404 200 200 200 200 200
GET     apps/{app}/scenarios/{scenario}                401 404 200 200 200 200 200
PUT     apps/{app}/scenarios/{scenario}                401 404 403 403 403 200 200
DELETE  apps/{app}/scenarios/{scenario}                401 404 403 403 403 204 204

GET     devices                                        401 200 200 200 200 200 200
GET     devices/count                                  401 200 200 200 200 200 200
GET     devices/{app}/{device}                         401 404 200 200 200 200 200
GET     devices/{app}/{device}/explain                 401 404 200 200 200 200 200
GET     devices/{app}/{device}/timeline                401 404 200 200 200 200 200
POST    devices/{app}/{device}/revoke                  401 404 403 403 403 200 200
POST    devices/{app}/{device}/reinstate               401 404 403 403 403 200 200
GET     fleet                                          401 200 200 200 200 200 200
GET     fleet/pulse                                    401 200 200 200 200 200 200
GET     reports                                        401 200 200 200 200 200 200

GET     scenarios                                      401 200 200 200 200 200 200
POST    scenarios                                      401 403 403 403 403 403 201
GET     scenarios/{scenario}                           401 404 200 200 200 200 200
PATCH   scenarios/{scenario}                           401 404 403 403 403 200 200
GET     scenarios/{scenario}/apps                      401 404 200 200 200 200 200
GET     scenarios/{scenario}/members                   401 404 200 200 200 200 200
POST    scenarios/{scenario}/members                   401 404 403 403 403 201 201
DELETE  scenarios/{scenario}/members/{user}/{role}     401 404 403 403 403 204 204
GET     scenarios/{scenario}/tasks                     401 404 200 200 200 200 200

GET     tasks                                          401 200 200 200 200 200 200
GET     tasks/{task}                                   401 404 200 200 200 200 200
GET     tasks/{task}/installed                         401 404 200 200 200 200 200
POST    tasks/{task}/retire                            401 404 403 403 200 200 200
POST    tasks/{task}/unretire                          401 404 403 403 200 200 200
GET     tasks/{task}/versions                          401 404 200 200 200 200 200
GET     tasks/{task}/versions/{version}                401 404 200 200 200 200 200
POST    tasks/{task}/versions/{version}/lift-quarantine 401 404 403 403 400 400 400
GET     tasks/{task}/versions/{version}/archive        401 404 200 200 200 200 200
PUT     tasks/{task}/versions/{version}/archive        401 404 403 400 403 400 400
GET     tasks/{task}/versions/{version}/diff           401 404 400 400 400 400 400
GET     tasks/{task}/versions/{version}/files          401 404 400 400 400 400 400
GET     tasks/{task}/versions/{version}/variants       401 404 200 200 200 200 200
PUT     tasks/{task}/versions/{version}/variants       401 404 403 200 403 200 200
DELETE  tasks/{task}/versions/{version}/variants       401 404 403 204 403 204 204

GET     releases                                       401 200 200 200 200 200 200
POST    releases                                       401 400 403 403 201 201 201
POST    releases/plan                                  401 400 403 403 200 200 200
GET     releases/{draft}                               401 404 200 200 200 200 200
GET     releases/{running}/rollback-plan               401 404 200 200 200 200 200
GET     releases/{running}/series                      401 404 200 200 200 200 200
GET     releases/{running}/devices                     401 404 200 200 200 200 200
GET     releases/{draft}/simulation                    401 404 200 200 200 200 200
POST    releases/{draft}/simulation                    401 404 403 409 409 409 409
GET     releases/{draft}/simulation/{cell}/log         401 404 200 200 200 200 200
POST    releases/{draft}/clone                         401 404 403 403 201 201 201
POST    releases/{draft}/start                         401 404 403 403 200 200 200
POST    releases/{running}/pause                       401 404 403 200 200 200 200
POST    releases/{paused}/resume                       401 404 403 403 200 200 200
POST    releases/{running}/complete                    401 404 403 403 200 200 200
POST    releases/{running}/abort                       401 404 403 200 200 200 200
POST    releases/{running}/roll-back                   401 404 403 200 200 200 200

GET     webhooks                                       401 200 200 200 200 200 200
POST    webhooks                                       401 403 403 403 403 201 201
GET     webhooks/{webhook}                             401 404 404 404 404 200 200
PATCH   webhooks/{webhook}                             401 404 404 404 404 200 200
DELETE  webhooks/{webhook}                             401 404 404 404 404 204 204
POST    webhooks/{webhook}/ping                        401 404 404 404 404 201 201
POST    webhooks/{webhook}/rotate-secret               401 404 404 404 404 200 200
GET     webhooks/{webhook}/deliveries                  401 404 404 404 404 200 200
GET     webhooks/{webhook}/deliveries/{delivery}       401 404 404 404 404 200 200
POST    webhooks/{webhook}/deliveries/{delivery}/replay 401 404 404 404 404 200 200

GET     session                                        200 200 200 200 200 200 200
POST    session                                        200 200 200 200 200 200 200
DELETE  session                                        204 204 204 204 204 204 204
"""

ROWS = [line.split() for line in MATRIX.splitlines() if line]
HOOK = {"scope": "app:shop", "url": "https://example.com/hook", "events": ["*"]}
BASE = {"shared": "https://a.example.org", "exclusive": "https://b.example.org"}
BODIES = {
    "POST session": {"username": "bob", "password": PASSWORD},
    "POST tokens": {"name": "laptop"},
    "POST apps": {"slug": "bank", "name": "Bank"},
    "PATCH apps/{app}": {"name": "New"},
    "POST apps/{app}/versions": {"version": "7.0.0"},
    "PATCH apps/{app}/versions/{app_version}": {"profile": profile()},
    "POST apps/{app}/keys": {"kind": "enrol", "label": "new"},
    "POST apps/{app}/newcomers/revoke": {"first_seen_since": "2026-05-01T00:00:00Z"},
    "POST apps/{app}/newcomers/reinstate": {"first_seen_since": "2026-05-01T00:00:00Z"},
    "POST apps/{app}/bases": BASE,
    "PUT apps/{app}/facts/{fact}": {"type": "boolean"},
    "PUT apps/{app}/lists/{id_list}": {"devices": ["tablet"]},
    "POST apps/{app}/lists/{id_list}/add": {"devices": ["tablet"]},
    "POST apps/{app}/lists/{id_list}/remove": {"devices": ["tablet"]},
    "POST apps/{app}/user-facts": {"facts": {"phone": {}}},
    "PUT apps/{app}/user-facts/{device}": {"facts": {"vip": True}},
    "POST apps/{app}/members": {"user": "bob", "role": "owner"},
    "PUT apps/{app}/scenarios/{scenario}": {"complete_early": True, "note": "reviewed by our team"},
    "POST apps/{app}/targeting/preview": {"rule": {"devices": ["phone"]}},
    "POST apps/{app}/targeting/validate": {"rule": {"devices": ["phone"]}},
    "POST tasks/{task}/versions/{version}/lift-quarantine": {"reason": "it was the network"},
    "POST releases/{running}/complete": {"reason": "closes a leak"},
    "POST scenarios": {"slug": "voice"},
    "POST webhooks": HOOK,
    "PATCH webhooks/{webhook}": {"active": False},
    "PATCH scenarios/{scenario}": {"description": "new"},
    "POST scenarios/{scenario}/members": {"user": "bob", "role": "owner"},
    "POST releases": {"app": "shop", "task": "camera/digits", "version": "1.0.0", "app_versions": ["1.0.0"]},
    "POST releases/plan": {"app": "shop", "task": "camera/digits", "version": "1.0.0", "app_versions": ["1.0.0"]},
}
VARIANT = urlencode({"path": "prefs.json", "key": "old"})


@pytest.fixture
def world(shop, digits):
    """What the names in the table stand for."""
    return world_of(shop, digits)


@pytest.fixture
def people(shop, camera, staff):
    """A client for each of PEOPLE."""
    named = {role: member_of(role, "app:shop", "scenario:camera") for role in PEOPLE[2:6]}
    return {"anonymous": Api(), "no role": member_of("owner", "app:elsewhere", name="nora"), **named, "staff": staff}


def send(call, method, path, body):
    """The answer to one request of the table, sent by a method of Api's."""
    if path.endswith("/variants") and method in ("PUT", "DELETE"):
        options = {"data": b"{}", "content_type": "application/octet-stream"} if method == "PUT" else {}
        return call(method, f"{path}?{VARIANT}", **options)
    return call(method, path, body if method != "GET" else None)


def ask(api, method, path, body):
    """The status of one answer; what it changed is taken back."""
    with transaction.atomic():
        response = send(api.call, method, path, body)
        transaction.set_rollback(True)
    return str(response.status_code)


def test_everybody_may_do_what_the_table_says_and_nothing_else(world, people):
    found = []
    for method, path, *_ in ROWS:
        body = BODIES.get(f"{method} {path}", {})
        found.append([method, path, *(ask(api, method, path.format(**world), body) for api in people.values())])
    assert found == ROWS


def test_the_table_has_every_operation(world):
    asked = {operation(method, PREFIX + path.format(**world))["operationId"] for method, path, *_ in ROWS}
    described = {each["operationId"] for methods in document()["paths"].values() for each in methods.values()}
    assert asked == described
