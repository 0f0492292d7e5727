"""/api/v1/apps/{app}/targeting/preview: what a rule matches before it is released; and what rules can say."""

import pytest

from devices_app.models import AppFact, Device, IdList, IdListMember
from tests.api.conftest import NOW
from tests.api.contract import problem
from tests.release import vocabulary_additions
from tests.support.cases import cases
from tests.support.fleet import make_device
from walle.release.rules import BUILT_IN_FACTS, FACT_TYPES, OPERATORS

pytestmark = pytest.mark.django_db

PREVIEW = "apps/shop/targeting/preview"


@pytest.fixture
def fleet(shop):
    """Three phones, one of them revoked; the second is the testers' and its user is young."""
    AppFact.objects.create(app=shop, name="age_band", type="text", source="user", values=["18-29", "30-49"])
    make_device(shop, "first", os_version="12", model="Pixel 8")
    make_device(shop, "second", trusted={"age_band": "18-29"}, os_version="14", model="Pixel 9")
    make_device(shop, "third", os_version="9")
    Device.objects.filter(device="third").update(revoked_at=NOW)
    testers = IdList.objects.create(app=shop, name="testers", updated_at=NOW, updated_by="olga")
    IdListMember.objects.create(id_list=testers, device="second")


@cases(
    ("rule", "found"),
    [
        ({"fact": "app_version", "in": ["1.0.0"]}, ["second", "first"]),
        ({"fact": "os_version", "version": ">=12, <14"}, ["first"]),
        ({"fact": "user.age_band", "equals": "18-29"}, ["second"]),
        ({"not": {"fact": "user.age_band", "equals": "18-29"}}, ["first"]),
        ({"all": [{"list": "testers"}, {"devices": ["first"]}]}, []),
        ({"any": [{"list": "testers"}, {"devices": ["first", "third", "nobody"]}]}, ["second", "first"]),
    ],
)
def test_what_a_rule_matches(viewer, fleet, rule, found):
    expected = {"count": len(found), "exact": True, "margin": 0, "total": 2, "sample": found}
    for exact in (True, False):
        assert viewer.post(PREVIEW, {"rule": rule, "exact": exact}).json() == expected


@cases(
    ("rule", "fault"),
    [
        ({}, 'rule: expected an object with one of "all"'),
        (
            {"any": [{"list": "testers"}, {"fact": "modell", "prefix": "P"}]},
            "rule.any[1].fact: expected a declared fact",
        ),
        ({"fact": "user.age_band", "equals": "18"}, "rule.equals: expected a value of user.age_band: 18-29, 30-49"),
        ({"fact": "os_version", "range": {"above": 12}}, "rule.range: expected version"),
        ({"list": "friends"}, "rule.list: expected an uploaded list: testers"),
    ],
)
def test_a_fault_is_answered_with_its_place(viewer, fleet, rule, fault):
    assert problem(viewer.post(PREVIEW, {"rule": rule}), 400, "invalid")["rule"].startswith(fault)


@cases("body", [{}, {"rule": []}, {"rule": "all"}, {"rule": None}])
def test_what_is_no_rule_is_refused(viewer, shop, body):
    assert set(problem(viewer.post(PREVIEW, body), 400, "invalid")) == {"rule"}


def test_only_for_those_who_may_see_the_app(nobody, developer, shop):
    for api in (nobody, developer):
        problem(api.post(PREVIEW, {"rule": {"devices": ["first"]}}), 404, "not-found")


def again(api, before):
    return api.call("GET", "rules/vocabulary", None, HTTP_IF_NONE_MATCH=before["ETag"])


def test_the_vocabulary_is_what_the_rows_say(nobody, monkeypatch):
    before = nobody.get("rules/vocabulary")
    assert again(nobody, before).status_code == 304
    vocabulary_additions.add_new_words(monkeypatch)
    after = again(nobody, before)
    assert after.status_code == 200
    found = {part: {row["name"]: row for row in rows} for part, rows in after.json().items()}
    assert {part: list(rows) for part, rows in found.items()} == {
        "types": list(FACT_TYPES),
        "operators": list(OPERATORS),
        "facts": list(BUILT_IN_FACTS),
    }
    assert found["types"]["date"]["operators"] == ["since", "in", "equals"]
    assert found["types"]["number"]["operators"] == ["range", "in", "equals", "multiple_of"]
    since = found["operators"]["since"]
    assert (since["operand"]["form"], since["words"], since["example"]) == ("notation", "is not before", "2026-05-01")
    assert [bound["words"] for bound in found["operators"]["range"]["operand"]["bounds"]] == [
        "at least",
        "above",
        "below",
        "at most",
    ]
    assert found["facts"]["performance"]["values"] == ["low", "mid", "high"]
