"""What is kept of tables, claims and facts about users, and what it explains of earlier moments."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts_app.actors import SYSTEM
from devices_app.models import App, AppFact, Device, IdList, IdListMember, PastClaims, PastTable, PastUserFacts
from devices_app.selectors.explanation import ExplainedMoment, past_explanations
from devices_app.services.facts import declare_fact, set_user_facts
from devices_app.services.intake import PAST_AN_HOUR, store_check_ins
from devices_app.services.retention import delete_history
from devices_app.services.tables import publish, refresh
from tests.devices_app.conftest import NOW
from tests.devices_app.records import AT, check_in
from tests.release.tables import entry
from walle.protocol.deferrals import Deferral
from walle.protocol.headers import short_digest

pytestmark = pytest.mark.django_db
TASK = "camera/digits"


def after(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def says(minutes: float, **said: Any) -> None:
    store_check_ins([check_in(at=AT + 60 * minutes, **said)])


def device() -> Device:
    return Device.objects.select_related("app").get()


def told(minutes: float) -> ExplainedMoment:
    return past_explanations(device(), TASK, at=after(minutes))


def reason(minutes: float) -> tuple[str, str]:
    (found,) = told(minutes).results
    return found.change, found.considered[0].reason


def test_what_was_released_and_said_then_explains_what_was_offered_then(shop: App) -> None:
    released = entry(rule={"fact": "os", "equals": "ios"})
    publish(app=shop, entries=[released], removals=[], now=after(10))
    says(0, facts={"os": "android"})
    says(20, facts={"os": "ios"})
    says(30, facts={"os": "ios"}, profile={TASK: short_digest(released.manifest)})
    says(40, facts={"os": "android"})
    publish(app=shop, entries=[], removals=[], now=after(50))
    assert told(5).results[0].considered == ()
    assert reason(15) == ("none", "the device does not match its rule")
    assert reason(25) == ("install", "the device is selected")
    assert reason(35) == ("none", "the device has its version")
    assert reason(39.99) == ("none", "the device has its version")
    assert reason(40) == ("none", "the device does not match its rule")
    assert told(50).results[0].considered == ()
    assert (told(25).released_since, told(25).said_since) == (after(10), after(20))
    assert told(25).claims is not None
    assert told(25).claims.facts == {"app_version": "1.0.0", "os": "ios"}  # type: ignore[union-attr]
    assert told(25).caveats == []


def test_why_it_put_the_version_off_then(shop: App) -> None:
    publish(app=shop, entries=[entry(defer_s=3600)], removals=[], now=NOW)
    says(0)
    says(1, deferral=Deferral("in-call", 600))
    says(2, deferral=Deferral("in-call", 540))
    says(3)
    assert reason(2.5) == ("install", "the device is selected, and puts it off (in-call)")
    assert reason(3) == ("install", "the device is selected")


def test_it_says_where_knowledge_ends(shop: App) -> None:
    publish(app=shop, entries=[entry()], removals=[], now=after(10))
    says(20)
    says(30, facts={"os": "ios"})
    says(40, facts={"os": "android"})
    assert told(19).unexplained == (
        "The device first checked in at 2027-01-15 08:20:00 UTC: before that it was offered nothing."
    )
    delete_history(before=after(35), check=lambda: None)
    assert told(25).unexplained.startswith("What the device said of itself is kept from 2027-01-15 08:30:00 UTC on")
    assert reason(35) == ("install", "the device is selected")
    PastTable.objects.all().delete()
    assert told(35).unexplained.startswith("No table of that time is kept")
    assert told(45).caveats == []


def test_who_had_not_checked_in_since_is_said_to(shop: App) -> None:
    publish(app=shop, entries=[entry()], removals=[], now=NOW)
    says(0)
    assert told(2).caveats == [], "it may have checked in since: the registry need not say so"
    assert told(3).caveats == [
        "The device has not checked in since 2027-01-15 08:00:00 UTC: after that nothing could be offered to it."
    ]


def test_check_ins_that_change_nothing_write_nothing(shop: App) -> None:
    for minute in range(0, 30, 2):
        says(minute, facts={"os": "ios"})
    assert not PastClaims.objects.exists()
    assert device().changed_at == NOW


def test_a_device_that_changes_all_the_time_fills_nothing_and_is_said_to_be_blurred(shop: App) -> None:
    publish(app=shop, entries=[entry()], removals=[], now=NOW)
    for minute in range(30):
        says(minute, facts={"battery": minute})
    assert PastClaims.objects.count() == PAST_AN_HOUR
    exact, blurred = told(PAST_AN_HOUR - 0.5), told(PAST_AN_HOUR + 0.5)
    assert exact.claims is not None
    assert blurred.claims is not None
    assert (exact.claims.facts["battery"], exact.caveats) == (PAST_AN_HOUR - 1, [])
    assert (blurred.claims.facts["battery"], len(blurred.caveats)) == (PAST_AN_HOUR - 1, 1)
    assert "changed more often than is kept" in blurred.caveats[0]
    newest = told(29)
    assert newest.claims is not None
    assert (newest.claims.facts["battery"], newest.caveats) == (29, [])
    says(90, facts={"battery": 90})
    assert PastClaims.objects.count() == PAST_AN_HOUR + 1


def test_tables_are_kept_once_for_what_they_release(shop: App) -> None:
    before = PastTable.objects.count()
    publish(app=shop, entries=[entry()], removals=[], now=after(1))
    refresh(app=shop, now=after(2))
    publish(app=shop, entries=[entry()], removals=[], now=after(3))
    assert PastTable.objects.count() == before + 1
    publish(app=shop, entries=[entry(share=7)], removals=[], now=after(4))
    assert PastTable.objects.count() == before + 2


def test_of_old_tables_the_one_in_force_when_retention_ends_stays(shop: App) -> None:
    for minute in range(1, 5):
        publish(app=shop, entries=[entry(share=minute)], removals=[], now=after(minute))
    delete_history(before=after(3.5), check=lambda: None)
    assert list(PastTable.objects.order_by("id").values_list("published_at", flat=True)) == [after(3), after(4)]


def test_what_was_held_about_its_user_then(shop: App) -> None:
    declare_fact(app=shop, name="vip", type="boolean", source=AppFact.Source.USER, actor=SYSTEM)
    publish(app=shop, entries=[entry(rule={"fact": "user.vip", "equals": True})], removals=[], now=NOW)
    says(0)
    says(60)

    def hold(minutes: float, facts: dict[str, Any] | None) -> None:
        set_user_facts(app=shop, facts={"device-1": facts}, actor=SYSTEM, now=after(minutes))

    hold(10, {"vip": True})
    hold(20, {"vip": False})
    hold(30, None)
    selected = [reason(minutes)[0] == "install" for minutes in (5, 15, 25, 35)]
    assert selected == [False, True, False, False]
    assert PastUserFacts.objects.count() == 3
    delete_history(before=after(20), check=lambda: None)
    assert PastUserFacts.objects.count() == 1
    assert told(15).caveats == [
        "What the cloud held about the device's user then is not known: shown is what it holds now."
    ]
    assert told(25).caveats == []


def test_lists_that_have_changed_since_are_named(shop: App) -> None:
    publish(app=shop, entries=[entry(rule={"list": "testers"})], removals=[], now=NOW)
    says(0)
    says(60)
    testers = IdList.objects.create(app=shop, name="testers", updated_at=after(10), updated_by="ada")
    IdListMember.objects.create(id_list=testers, device="device-1")
    assert (reason(11)[0], told(11).caveats) == ("install", [])
    assert told(9).caveats == [
        "Who was in these id lists then is not known, they have changed since (testers): shown is who is now."
    ]
