"""Id lists, declared facts and facts about users: who may change them, what is refused, what gateways read of them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts_app.actors import SYSTEM, Actor
from accounts_app.models import AuditEntry
from accounts_app.services.members import grant_role
from devices_app.exceptions import InUse
from devices_app.models import App, AppFact, IdList, UserFacts
from devices_app.selectors.state import StateReader, gateway_revision
from devices_app.services import lists
from devices_app.services.apps import create_app
from devices_app.services.facts import declare_fact, set_user_facts, withdraw_fact
from devices_app.services.lists import add_to_list, delete_list, put_list, remove_from_list
from devices_app.services.tables import publish
from tests.devices_app.conftest import NOW
from tests.release.tables import entry
from tests.support.cases import cases
from tests.support.people import make_user

FACT = {"name": "age_band", "type": "text", "source": "user", "actor": SYSTEM}


def put(app: App, *devices: str, name: str = "testers", **options: Any) -> IdList:
    return put_list(app=app, name=name, devices=devices, actor=SYSTEM, now=NOW, **options)


def hold(app: App, **facts: dict[str, Any] | None) -> int:
    named = {device.replace("_", "-"): held for device, held in facts.items()}
    return set_user_facts(app=app, facts=named, actor=SYSTEM, now=NOW)


def members(id_list: IdList) -> set[str]:
    return set(id_list.members.values_list("device", flat=True))


def publish_rules(app: App, *rules: dict[str, Any]) -> None:
    """Publishes releases with these rules."""
    entries = [entry(f"camera/task{place}", release=place + 1, rule=rule) for place, rule in enumerate(rules)]
    publish(app=app, entries=entries, removals=[], now=NOW)


class Watch:
    """What a piece of work told gateways and the audit log."""

    def __init__(self) -> None:
        self.revision, self.entries = gateway_revision(), AuditEntry.objects.count()

    def __call__(self, work: Callable[[], object]) -> tuple[bool, list[str]]:
        work()
        told = gateway_revision() > self.revision
        actions = list(AuditEntry.objects.order_by("id").values_list("action", flat=True))[self.entries :]
        self.revision, self.entries = gateway_revision(), AuditEntry.objects.count()
        return told, actions


# Lists.


def test_a_list_is_made_replaced_extended_and_shortened(shop: App) -> None:
    watch = Watch()
    assert watch(lambda: put(shop, "a", "b", "b", description="ours")) == (True, ["list.create", "list.put"])
    testers = IdList.objects.get()
    assert (members(testers), testers.description, testers.updated_by) == ({"a", "b"}, "ours", "system")
    assert watch(lambda: put(shop, "b", "c")) == (True, ["list.put"])
    assert AuditEntry.objects.latest("id").after == {"name": "testers", "added": 1, "removed": 1, "size": 2}
    change = {"id_list": testers, "actor": SYSTEM, "now": NOW}
    assert watch(lambda: add_to_list(devices=["c", "d"], **change)) == (True, ["list.add"])
    assert watch(lambda: remove_from_list(devices=["b", "x"], **change)) == (True, ["list.remove"])
    assert members(testers) == {"c", "d"}
    assert IdList.objects.get().description == "ours"


def test_what_changes_nothing_tells_nobody(shop: App) -> None:
    testers = put(shop, "a", "b")
    watch = Watch()
    change = {"id_list": testers, "actor": SYSTEM, "now": NOW}
    assert watch(lambda: put(shop, "b", "a")) == (False, [])
    assert watch(lambda: add_to_list(devices=["a"], **change)) == (False, [])
    assert watch(lambda: remove_from_list(devices=["x"], **change)) == (False, [])
    assert IdList.objects.get().updated_at == testers.updated_at


def test_an_empty_list_is_a_list(shop: App) -> None:
    assert members(put(shop)) == set()


@cases("odd", ["", "a b", "x" * 65, "é", "a\n"])
def test_an_id_that_is_none_is_refused_with_its_place(shop: App, odd: str) -> None:
    put(shop, "a")
    with pytest.raises(ValidationError, match="place 2"):
        put(shop, "b", "c", odd)
    assert members(IdList.objects.get()) == {"a"}


@cases("name", ["", "Testers", "a b", "x" * 41, "#0123"])
def test_names_of_lists(shop: App, name: str) -> None:
    with pytest.raises(ValidationError):
        put(shop, "a", name=name)


def test_a_list_holds_only_so_many(shop: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MAX_IDS", 3)
    testers = put(shop, "a", "b", "c")
    with pytest.raises(ValidationError, match="at most 3"):
        put(shop, "a", "b", "c", "d")
    with pytest.raises(ValidationError, match="at most 3"):
        add_to_list(id_list=testers, devices=["d"], actor=SYSTEM, now=NOW)


def test_a_hundred_thousand_ids(shop: App) -> None:
    ids = [f"device-{number:06}" for number in range(lists.MAX_IDS)]
    put(shop, *ids)
    with CaptureQueriesContext(connection) as queries:
        put(shop, *ids[1:], "new")
    assert len(queries) < 20
    assert members(IdList.objects.get()) == {*ids[1:], "new"}


def test_a_list_that_a_release_asks_for_is_not_deleted(shop: App) -> None:
    testers = put(shop, "a")
    publish_rules(shop, {"not": {"list": "testers"}})
    with pytest.raises(InUse, match="Release 1"):
        delete_list(id_list=testers, actor=SYSTEM)
    publish_rules(shop)
    assert Watch()(lambda: delete_list(id_list=testers, actor=SYSTEM)) == (True, ["list.delete"])
    assert not IdList.objects.exists()


# Declared facts.


def test_a_fact_is_declared_changed_and_withdrawn(shop: App) -> None:
    watch = Watch()
    declare = {"app": shop, **FACT}
    assert watch(lambda: declare_fact(**declare)) == (False, ["fact.declare"])
    assert watch(lambda: declare_fact(**declare)) == (False, [])
    assert watch(lambda: declare_fact(**declare, values=["18-29"], description="in years")) == (False, ["fact.declare"])
    (fact,) = AppFact.objects.all()
    assert (fact.full_name, fact.values, fact.description) == ("user.age_band", ["18-29"], "in years")
    assert watch(lambda: withdraw_fact(fact=fact, actor=SYSTEM)) == (False, ["fact.withdraw"])


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Age"},
        {"name": "user.age"},
        {"name": "os", "source": "device"},
        {"name": "lists", "source": "device"},
        {"type": "list"},
        {"source": "cloud"},
        {"type": "number", "values": ["1"]},
        {"values": [1]},
        {"values": [""]},
        {"description": "x" * 201},
    ],
    ids=str,
)
def test_odd_declarations_are_refused(shop: App, change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        declare_fact(**{"app": shop, **FACT, **change})


def test_what_a_release_asks_for_keeps_its_type_and_its_declaration(shop: App) -> None:
    fact = declare_fact(app=shop, **FACT)
    publish_rules(shop, {"fact": "user.age_band", "prefix": "18"})
    with pytest.raises(InUse, match="Release 1"):
        declare_fact(**{"app": shop, **FACT, "type": "number"})
    with pytest.raises(InUse, match="Release 1"):
        withdraw_fact(fact=fact, actor=SYSTEM)
    declare_fact(app=shop, **FACT, values=["18-29"])


# Facts about users.


@pytest.fixture
def declared(shop: App) -> App:
    """An app that knows of users how old they are, whether they pay, what they scored, and their client's version."""
    types = {"age_band": "text", "vip": "boolean", "score": "number", "client": "version"}
    for name, kind in types.items():
        values = ["18-29", "30-49"] if name == "age_band" else None
        declare_fact(app=shop, name=name, type=kind, source="user", values=values, actor=SYSTEM)
    return shop


def held() -> dict[str, dict[str, Any]]:
    return dict(UserFacts.objects.values_list("device", "facts"))


def test_user_facts_are_held_replaced_and_cleared(declared: App) -> None:
    watch = Watch()
    first = {"age_band": "18-29", "vip": True, "score": 0.5, "client": "1.2.0"}
    assert watch(lambda: hold(declared, a=first, b={"vip": False}, c=None)) == (True, ["user_facts.set"])
    assert held() == {"a": first, "b": {"vip": False}}
    assert watch(lambda: hold(declared, a=first)) == (False, [])
    assert hold(declared, a={"vip": True}, b=None, c={"score": 1}) == 3
    assert held() == {"a": {"vip": True}, "c": {"score": 1}}
    assert hold(declared, a={}) == 1
    assert held() == {"c": {"score": 1}}


def test_the_audit_log_names_facts_without_their_values(declared: App) -> None:
    hold(declared, a={"age_band": "18-29"})
    assert AuditEntry.objects.latest("id").after == {"devices": 1, "some": ["a"], "facts": ["age_band"]}


@pytest.mark.parametrize(
    ("facts", "place"),
    [
        ({"unknown": 1}, "facts.a.unknown"),
        ({"age_band": "50"}, "facts.a.age_band"),
        ({"age_band": 18}, "facts.a.age_band"),
        ({"vip": 1}, "facts.a.vip"),
        ({"score": True}, "facts.a.score"),
        ({"score": float("nan")}, "facts.a"),
        ({"client": "new"}, "facts.a.client"),
        ({"vip": None}, "facts.a.vip"),
        ({"vip": [True]}, "facts.a.vip"),
        ({"client": "1.0.0", "score": 10**1100}, "facts.a"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_odd_user_facts_are_refused_with_their_place(declared: App, facts: dict[str, Any], place: str) -> None:
    with pytest.raises(ValidationError) as refused:
        hold(declared, b={"vip": True}, a=facts)
    assert list(refused.value.message_dict) == [place]
    assert not held()


def test_a_device_id_that_is_none(declared: App) -> None:
    with pytest.raises(ValidationError, match="device ids"):
        set_user_facts(app=declared, facts={"a b": {}}, actor=SYSTEM, now=NOW)


# Who may.


@cases("role", ["viewer", "developer", "releaser", "owner"])
def test_who_may_change_what(declared: App, role: str) -> None:
    user = make_user(role)
    grant_role(actor=SYSTEM, user=user, scope="app:shop", role=role)
    actor = Actor(user)
    testers = put(declared, "a")
    works: dict[str, Callable[[], object]] = {
        "list": lambda: put_list(app=declared, name="x", devices=[], actor=actor, now=NOW),
        "add": lambda: add_to_list(id_list=testers, devices=["b"], actor=actor, now=NOW),
        "remove": lambda: remove_from_list(id_list=testers, devices=["b"], actor=actor, now=NOW),
        "delete": lambda: delete_list(id_list=testers, actor=actor),
        "declare": lambda: declare_fact(**{"app": declared, **FACT, "actor": actor}),
        "hold": lambda: set_user_facts(app=declared, facts={"a": {"vip": True}}, actor=actor, now=NOW),
    }
    may = set()
    for name, work in works.items():
        try:
            work()
        except PermissionDenied:
            continue
        may.add(name)
    expected = {
        "viewer": set(),
        "developer": {"hold"},
        "releaser": {"list", "add", "remove", "delete"},
        "owner": set(works),
    }
    assert may == expected[role]


# What gateways read.


@pytest.fixture
def reader(declared: App, monkeypatch: pytest.MonkeyPatch) -> StateReader:
    """Reads in the test's own transaction."""
    reader = StateReader()
    monkeypatch.setattr(reader, "read", reader._read)
    return reader


def test_gateways_have_the_lists_that_rules_ask_for(declared: App, reader: StateReader) -> None:
    put(declared, "a", "b")
    put(declared, "x", name="others")
    publish_rules(declared, {"any": [{"list": "testers"}, {"list": "missing"}]})
    shop = reader.read().apps["shop"]
    assert shop.lists == {"testers": frozenset({"a", "b"})}
    assert shop.table.lists_of("a") == frozenset({"testers"})
    assert shop.table.lists_of("x") is None


def test_a_table_is_compiled_again_when_one_of_its_lists_changed(declared: App, reader: StateReader) -> None:
    testers = put(declared, "a")
    publish_rules(declared, {"list": "testers"})
    first = reader.read().apps["shop"]
    put(declared, "x", name="others")
    hold(declared, a={"vip": True})
    assert reader.read().apps["shop"].table is first.table
    for work in (
        lambda: put(declared, "b"),
        lambda: add_to_list(id_list=testers, devices=["c"], actor=SYSTEM, now=NOW - timedelta(days=9)),
        lambda: remove_from_list(id_list=testers, devices=["c"], actor=SYSTEM, now=NOW),
    ):
        before = reader.read().apps["shop"]
        work()
        after = reader.read().apps["shop"]
        assert after.table is not before.table
        assert after.lists == {"testers": frozenset(members(testers))}
        assert after.envelope == first.envelope


def test_a_list_that_was_deleted_and_made_again_is_another(declared: App, reader: StateReader) -> None:
    testers = put(declared, "a")
    publish_rules(declared, {"list": "testers"})
    reader.read()
    testers.delete()
    assert reader.read().apps["shop"].lists == {}
    put(declared, "b")
    assert reader.read().apps["shop"].lists == {"testers": frozenset({"b"})}


def test_the_members_of_an_unchanged_list_are_not_read_again(declared: App, reader: StateReader) -> None:
    put(declared, "a")
    publish_rules(declared, {"list": "testers"})
    reader.read()
    publish_rules(declared, {"list": "testers"}, {"list": "testers"})
    with CaptureQueriesContext(connection) as queries:
        reader.read()
    assert not [query for query in queries if "idlistmember" in query["sql"]]


def test_gateways_have_the_facts_that_the_cloud_holds(declared: App, reader: StateReader) -> None:
    assert reader.read().apps["shop"].held == {}
    steps: list[dict[str, dict[str, Any] | None]] = [
        {"a": {"vip": True}, "b": {"vip": True}},
        {"a": {"vip": False}},
        {"c": {"score": 1}},
        {"a": None},
        {"b": None, "d": {"score": 2}},
        {"d": None},
        {"c": None},
    ]
    for step in steps:
        hold(declared, **step)
        assert reader.read().apps["shop"].held == held()


def test_several_changes_between_two_readings(declared: App, reader: StateReader) -> None:
    hold(declared, a={"vip": True}, b={"vip": True})
    reader.read()
    hold(declared, b=None)
    hold(declared, c={"vip": True})
    assert reader.read().apps["shop"].held == held()
    hold(declared, a=None)
    hold(declared, a={"score": 1})
    assert reader.read().apps["shop"].held == held()


def test_only_changed_facts_are_read_again(declared: App, reader: StateReader) -> None:
    hold(declared, **{f"d{number}": {"score": number} for number in range(50)})
    before = reader.read().apps["shop"].held
    assert reader.read().apps["shop"].held is before
    hold(declared, d7={"score": -1})
    after = reader.read().apps["shop"].held
    assert after == held()
    assert after["d8"] is before["d8"]


def test_facts_of_another_app_are_its_own(declared: App, reader: StateReader) -> None:
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    declare_fact(app=bank, name="vip", type="boolean", source="user", actor=SYSTEM)
    hold(declared, a={"vip": True})
    hold(bank, a={"vip": False})
    apps = reader.read().apps
    assert (apps["shop"].held["a"], apps["bank"].held["a"]) == ({"vip": True}, {"vip": False})
