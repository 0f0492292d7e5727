"""Id lists, declared facts and facts about users over REST."""

import pytest

from accounts_app.actors import SYSTEM
from devices_app.api.lists import MAX_BODY
from devices_app.models import IdListMember
from devices_app.services.facts import declare_fact
from devices_app.services.tables import publish
from tests.api.conftest import NOW, member_of
from tests.api.contract import problem
from tests.release.tables import entry
from tests.support.fleet import make_device

pytestmark = pytest.mark.django_db
TESTERS = "apps/shop/lists/testers"


@pytest.fixture
def owner(shop):
    return member_of("owner", "app:shop", name="olga")


def put(api, body, **options):
    return api.call("PUT", TESTERS, body, **options)


def text(api, body, method="PUT", path=TESTERS):
    return api.call(method, path, data=body, content_type="text/plain")


def members():
    return set(IdListMember.objects.values_list("device", flat=True))


def test_a_list_is_uploaded_as_json_or_as_text(owner):
    shown = put(owner, {"devices": ["a", "b"], "description": "ours"}).json()
    assert (shown["name"], shown["description"], shown["size"], shown["updated_by"]) == ("testers", "ours", 2, "olga")
    assert text(owner, "\ufeffb\r\nc\n\n  d \n".encode()).json()["size"] == 3
    assert members() == {"b", "c", "d"}
    assert owner.get(TESTERS).json()["description"] == "ours"
    assert owner.results("apps/shop/lists")[0]["size"] == 3
    assert put(owner, {"devices": []}).json()["size"] == 0


def test_devices_are_added_and_removed(owner):
    put(owner, {"devices": ["a"]})
    assert owner.post(f"{TESTERS}/add", {"devices": ["a", "b"]}).json()["size"] == 2
    assert text(owner, b"c\nd", "POST", f"{TESTERS}/add").json()["size"] == 4
    assert text(owner, b"a\nx", "POST", f"{TESTERS}/remove").json()["size"] == 3
    pages = owner.pages(f"{TESTERS}/devices", limit=2)
    assert [[row["device"] for row in page] for page in pages] == [["d", "c"], ["b"]]
    problem(owner.post("apps/shop/lists/others/add", {"devices": []}), 404, "not-found")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "devices"),
        ({"devices": "a"}, "devices"),
        ({"devices": [1]}, "devices"),
        ({"devices": ["a", "b c"]}, "devices"),
        ({"devices": [], "name": "x"}, "name"),
    ],
    ids=str,
)
def test_odd_lists_are_refused(owner, body, field):
    assert list(problem(put(owner, body), 400, "invalid")) == [field]
    assert not members()


def test_an_id_that_begins_with_a_dash_is_listed_and_told_of_only_if_a_device_has_it(owner, shop):
    declare_fact(app=shop, name="vip", type="boolean", source="user", actor=SYSTEM)
    for answer in (
        put(owner, {"devices": ["a", "-b"]}),
        owner.post("apps/shop/user-facts", {"facts": {"-b": {"vip": True}}}),
    ):
        ((_, said),) = problem(answer, 400, "invalid").items()
        assert "not beginning with -" in said
        assert "'-b'" in said
    make_device(shop, "-b")
    assert put(owner, {"devices": ["a", "-b"]}).json()["size"] == 2
    assert owner.post("apps/shop/user-facts", {"facts": {"-b": {"vip": True}}}).status_code < 300


def test_text_that_is_none_and_bodies_that_are_too_long_are_refused(owner):
    problem(text(owner, b"\xff\xfe"), 400, "parse-error")
    problem(text(owner, b"a" * (MAX_BODY + 1)), 413, "body-too-large")
    problem(put(owner, None, data=b"x", content_type="image/png"), 415, "unsupported-media-type")


def test_a_list_of_more_than_an_ordinary_body(owner):
    devices = [f"device-{number:050}" for number in range(45_000)]
    assert put(owner, {"devices": devices}).json()["size"] == 45_000


def test_a_list_that_a_release_asks_for_stays(owner, shop):
    put(owner, {"devices": ["a"]})
    publish(app=shop, entries=[entry(rule={"list": "testers"})], removals=[], now=NOW)
    problem(owner.delete(TESTERS), 409, "in-use")
    publish(app=shop, entries=[], removals=[], now=NOW)
    assert owner.delete(TESTERS).status_code == 204
    problem(owner.get(TESTERS), 404, "not-found")


def declare(api, name, **declaration):
    return api.call("PUT", f"apps/shop/facts/{name}", declaration)


def test_facts_are_declared_under_the_names_that_rules_use(owner):
    assert declare(owner, "user.age_band", type="text", values=["18-29"]).json() == {
        "name": "user.age_band",
        "type": "text",
        "source": "user",
        "values": ["18-29"],
        "description": "",
    }
    assert declare(owner, "memory", type="number").json()["source"] == "device"
    assert [row["name"] for row in owner.results("apps/shop/facts")] == ["memory", "user.age_band"]
    rule = {"all": [{"fact": "user.age_band", "in": ["18-29"]}, {"fact": "memory", "range": {"at_least": 4}}]}
    assert owner.post("apps/shop/targeting/preview", {"rule": rule}).status_code == 200
    assert owner.delete("apps/shop/facts/memory").status_code == 204
    problem(owner.delete("apps/shop/facts/memory"), 404, "not-found")
    assert "rule" in problem(owner.post("apps/shop/targeting/preview", {"rule": rule}), 400, "invalid").popitem()[0]


@pytest.mark.parametrize(
    ("name", "declaration", "field"),
    [
        ("memory", {}, "type"),
        ("memory", {"type": "list"}, "type"),
        ("memory", {"type": "number", "values": ["4"]}, "values"),
        ("memory", {"type": "text", "values": [""]}, "values.0"),
        ("os", {"type": "text"}, "name"),
        ("lists", {"type": "text"}, "name"),
    ],
    ids=str,
)
def test_odd_declarations_are_refused(owner, name, declaration, field):
    assert list(problem(declare(owner, name, **declaration), 400, "invalid")) == [field]


@pytest.fixture
def declared(shop):
    for name, kind in {"age_band": "text", "vip": "boolean"}.items():
        declare_fact(app=shop, name=name, type=kind, source="user", actor=SYSTEM)


def test_facts_about_users_are_held_and_cleared(owner, declared):
    path = "apps/shop/user-facts"
    problem(owner.get(f"{path}/phone"), 404, "not-found")
    assert owner.call("PUT", f"{path}/phone", {"facts": {"age_band": "18-29", "vip": True}}).status_code == 204
    assert owner.get(f"{path}/phone").json()["facts"] == {"age_band": "18-29", "vip": True}
    assert owner.post(path, {"facts": {"tablet": {"vip": False}, "phone": {"vip": True}, "x": None}}).json() == {
        "changed": 2
    }
    assert {row["device"]: row["facts"] for row in owner.results(path)} == {
        "phone": {"vip": True},
        "tablet": {"vip": False},
    }
    assert owner.delete(f"{path}/phone").status_code == 204
    assert owner.delete(f"{path}/phone").status_code == 204
    problem(owner.get(f"{path}/phone"), 404, "not-found")
    assert owner.call("PUT", f"{path}/phone", {"facts": {}}).status_code == 204


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"phone": {"vip": 1}}, "facts.phone.vip"),
        ({"phone": {"shoe_size": 44}}, "facts.phone.shoe_size"),
        ({"phone": {"age_band": "x" * 2000}}, "facts.phone"),
        ({"a b": {}}, "facts"),
        ({"phone": 7}, "facts.phone"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_odd_facts_about_users_are_refused_with_their_place(owner, declared, facts, field):
    assert list(problem(owner.post("apps/shop/user-facts", {"facts": facts}), 400, "invalid")) == [field]
