"""The database matches the devices that a gateway would: rules against compiled predicates, on arbitrary facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts_app.actors import SYSTEM
from devices_app.models import App, Device, IdList, IdListMember, UserFacts
from devices_app.selectors.counting import SAMPLE, CountedDevices, preview
from devices_app.selectors.search import matching_rule
from devices_app.selectors.targeting import matching
from devices_app.services.apps import create_app
from tests.devices_app.conftest import NOW
from tests.release import rules as some
from tests.release import vocabulary_additions
from walle.release.rules import OPERATORS, Facts, Operator, RuleMalformed, compile_rule, inline_lists, seen_facts
from walle.release.rules.versions import version_key

pytestmark = pytest.mark.django_db
many = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

phones = st.fixed_dictionaries(
    {"claims": some.claims, "signed": some.user_facts, "held": st.none() | some.user_facts, "lists": some.lists}
)
Phone = dict[str, Any]
BOUNDS = ("at_least", "at_most", "above", "below")
SIGNS = (">=", "<=", ">", "<", "==", "!=")


def store(app: App, fleet: dict[str, Phone]) -> None:
    seen = {"app": app, "first_seen": NOW, "last_seen": NOW}
    Device.objects.bulk_create(
        Device(device=name, facts=phone["claims"], trusted=phone["signed"], **seen) for name, phone in fleet.items()
    )
    held = {name: phone["held"] for name, phone in fleet.items() if phone["held"] is not None}
    UserFacts.objects.bulk_create(
        UserFacts(app=app, device=name, facts=facts, updated_at=NOW) for name, facts in held.items()
    )
    for name in some.LISTS:
        id_list = IdList.objects.create(app=app, name=name, updated_at=NOW)
        members = [device for device, phone in fleet.items() if name in phone["lists"]]
        IdListMember.objects.bulk_create(IdListMember(id_list=id_list, device=device) for device in members)


@contextmanager
def stored(app: App, fleet: dict[str, Phone]) -> Iterator[None]:
    """The devices and what is known of them, for as long as the block lasts."""
    with transaction.atomic():
        store(app, fleet)
        yield
        transaction.set_rollback(True)


def facts_of(device: str, phone: Phone, rule: object) -> Facts:
    """A device's facts as a gateway has them."""
    inline = {name for name, ids in inline_lists(rule).items() if device in ids}
    return seen_facts(phone["claims"], {**phone["signed"], **(phone["held"] or {})}, phone["lists"] | inline)


def found(app: App, rule: object) -> set[str]:
    return set(matching(app, rule).values_list("device", flat=True))


@many
@given(st.lists(phones, min_size=8, max_size=8), st.lists(some.rules, min_size=5, max_size=5))
def test_the_database_and_gateways_agree(shop: App, phones: list[Phone], rules: list[object]) -> None:
    fleet = dict(zip(some.DEVICES, phones, strict=True))
    with stored(shop, fleet):
        for rule in rules:
            matches = compile_rule(rule)
            assert found(shop, rule) == {name for name, phone in fleet.items() if matches(facts_of(name, phone, rule))}


NOTHING: Phone = {"claims": {}, "signed": {}, "held": None, "lists": frozenset()}
GRID = [*some.ODD_SCALARS, *some.GREAT_NUMBERS, None, [], [1], ["a"], {}, {"a": 1}]


def assert_agreement(app: App, test: dict[str, Any], values: list[Any]) -> None:
    """On one stored device for each value of the fact n, d0 upwards."""
    matches = compile_rule({"fact": "n", **test})
    wanted = {f"d{place}" for place, value in enumerate(values) if matches({"n": value})}
    assert found(app, {"fact": "n", **test}) == wanted, test
    assert len(found(app, {"not": {"fact": "n", **test}})) == len(values) - len(wanted), test


def assert_settled_agreement(app: App, test: dict[str, Any]) -> None:
    """What is looked up in indexes, and what is settled beforehand, changes nothing."""
    sought = matching_rule(app, {"fact": "n", **test})
    settled_ones = set(sought.chosen(sought.among).values_list("device", flat=True))
    assert settled_ones == set(sought.all.values_list("device", flat=True)) == found(app, {"fact": "n", **test}), test


def fleet_of(values: list[Any]) -> dict[str, Phone]:
    return {f"d{place}": {**NOTHING, "claims": {"n": value}} for place, value in enumerate(values)}


@pytest.fixture(params=[*OPERATORS, *(operator.name for operator in vocabulary_additions.NEW)])
def operator(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Operator:
    """Each row of the vocabulary in turn, and some that might be there one day."""
    vocabulary_additions.add_new_words(monkeypatch)
    return OPERATORS[request.param]


@settings(many, max_examples=settings().max_examples // 10)
@given(st.data(), st.lists(some.values, min_size=20, max_size=20))
def test_they_agree_on_each_operator(shop: App, operator: Operator, data: st.DataObject, values: list[Any]) -> None:
    tests = data.draw(st.lists(some.tests_of(operator), min_size=3, max_size=3))
    values = [*GRID, *vocabulary_additions.DATE.examples, *values]
    with stored(shop, fleet_of(values)):
        for test in tests:
            assert_agreement(shop, test, values)
            assert_settled_agreement(shop, test)


def test_they_agree_on_every_odd_value_under_every_test(shop: App) -> None:
    tests = [{"equals": value} for value in some.ODD_SCALARS]
    tests += [{"range": {bound: end}} for bound in BOUNDS for end in some.ODD_NUMBERS]
    tests += [{"version": f"{sign}{version}"} for sign in SIGNS for version in some.ODD_VERSIONS]
    tests += [{kind: text} for kind in ("prefix", "glob") for text in some.ODD_TEXTS if text]
    with stored(shop, fleet_of(GRID)):
        for test in tests:
            assert_agreement(shop, test, GRID)


@many
@given(st.lists(st.one_of(some.loose_versions, some.texts), min_size=30, max_size=30))
def test_the_keys_of_versions_are_the_same(db: None, texts: list[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT walle_version_key(to_jsonb(text)) FROM unnest(%s::text[]) AS text", [texts])
        assert [key for (key,) in cursor.fetchall()] == [version_key(text) for text in texts]


@many
@given(st.lists(some.versions, min_size=30, max_size=30))
def test_keys_are_in_order_there_too(db: None, texts: list[str]) -> None:
    query = 'SELECT key FROM (SELECT walle_version_key(to_jsonb(v)) COLLATE "C" FROM unnest(%s::text[]) v) AS k(key)'
    with connection.cursor() as cursor:
        cursor.execute(f"{query} ORDER BY key", [texts])
        assert [key for (key,) in cursor.fetchall()] == sorted(filter(None, map(version_key, texts)))


def phone(**changes: Any) -> Phone:
    return {**NOTHING, **changes}


def test_what_the_cloud_holds_of_a_user_wins(shop: App) -> None:
    young, old = {"age": "18-29"}, {"age": "30-49"}
    fleet = {
        "signed": phone(signed=young),
        "held": phone(held=young),
        "both": phone(signed=old, held=young),
        "forgotten": phone(signed=young, held={"age": None}),
        "changed": phone(signed=young, held=old),
        "otherwise": phone(signed=young, held={"vip": True}),
        "claimed": phone(claims={**young, "user.age": "18-29"}),
    }
    with stored(shop, fleet):
        rule = {"fact": "user.age", "equals": "18-29"}
        assert found(shop, rule) == {"signed", "held", "both", "otherwise"}
        assert found(shop, {"not": rule}) == {"forgotten", "changed", "claimed"}


def test_apps_do_not_mix(shop: App) -> None:
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    everything = phone(signed={"age": 1}, held={"age": 2}, lists=frozenset(["testers"]))
    with stored(bank, {"d0": everything}), stored(shop, {"d0": phone(), "d1": phone()}):
        assert found(shop, {"list": "testers"}) == found(shop, {"fact": "user.age", "in": [1, 2]}) == set()
        assert found(bank, {"list": "testers"}) == found(bank, {"devices": ["d0", "d1"]}) == {"d0"}
        assert found(bank, {"list": "strangers"}) == set()


def test_a_revoked_device_is_matched_by_nothing(shop: App) -> None:
    with stored(shop, {"d0": phone(), "d1": phone()}):
        Device.objects.filter(device="d0").update(revoked_at=NOW)
        assert found(shop, {"devices": ["d0", "d1"]}) == found(shop, {"not": {"devices": ["x"]}}) == {"d1"}
        assert preview(shop, {"devices": ["d0"]}, exact=True).total.count == 1


def test_a_preview_counts_and_names_the_last_registered(shop: App) -> None:
    fleet = {f"d{place}": phone(claims={"os": "ios" if place % 2 else "android"}) for place in range(2 * SAMPLE + 10)}
    with stored(shop, fleet):
        for exact in (True, False):
            found = preview(shop, {"fact": "os", "equals": "ios"}, exact=exact)
            assert (found.counted, found.total.count) == (CountedDevices(SAMPLE + 5, exact=True), 2 * SAMPLE + 10)
            assert found.sample == [f"d{place}" for place in range(2 * SAMPLE + 9, 9, -2)]
        assert preview(shop, {"devices": ["d3"]}, exact=False).sample == ["d3"]


def test_a_preview_is_refused_what_a_release_would_be(shop: App) -> None:
    for rule, path in (
        ({"fact": "n", "equals": 1}, "rule.fact"),
        ({"any": [{"list": "testers"}]}, "rule.any[0].list"),
        ({"fact": "performance", "equals": "slow"}, "rule.equals"),
    ):
        with pytest.raises(ValidationError, match=re.escape(f"{path}: expected")):
            preview(shop, rule, exact=False)


def test_nobody_waits_for_a_preview_for_ever(shop: App) -> None:
    heavy = {"any": [{"fact": "os_version", "version": f">={number}"} for number in range(1, 200)]}
    with stored(shop, {f"d{place}": phone(claims={"os_version": "0.1"}) for place in range(100)}):
        assert preview(shop, heavy, exact=True).counted == CountedDevices(0, exact=True)
        with pytest.raises(ValidationError, match="counted in"):
            preview(shop, heavy, exact=True, timeout_s=0.001)


def test_a_rule_of_every_size_is_answered(shop: App) -> None:
    ids = [f"device-{number}" for number in range(10_000)]
    deep: dict[str, Any] = {"fact": "n", "equals": 1}
    for _ in range(15):
        deep = {"not": deep}
    wide = {"any": [{"fact": f"n{number}", "equals": number} for number in range(999)]}
    with stored(shop, {"device-7": phone(claims={"n7": 7})}):
        assert found(shop, {"devices": ids}) == found(shop, wide) == found(shop, deep) == {"device-7"}


def test_what_is_in_a_rule_is_never_sql(shop: App) -> None:
    for text in ("'); DROP TABLE x; --", "%s %(a)s {0} %", "\\", '"', "{a,b}", "NULL", "a\\'b"):
        with stored(shop, {"d0": phone(claims={"n": text}), "d1": phone(claims={"n": text + "x"})}):
            assert found(shop, {"fact": "n", "equals": text}) == {"d0"}
            assert found(shop, {"fact": "n", "prefix": text}) == {"d0", "d1"}
            assert found(shop, {"fact": "n", "glob": text + "?"}) == {"d1"}


def test_a_malformed_rule_is_refused(shop: App) -> None:
    with pytest.raises(RuleMalformed):
        matching(shop, {"fact": "n"})
