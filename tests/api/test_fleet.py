"""/api/v1/fleet and /api/v1/fleet/pulse: what people see who watch the fleet."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from accounts_app.services.members import grant_role
from devices_app.models import ActivityCount, Device, PublishedTable
from devices_app.services.apps import create_app
from jobs_app.models import Worker
from jobs_app.services import enqueue
from releases_app.models import CompletionWatch, Release
from releases_app.selectors.simulation import SIMULATE
from releases_app.services.after_complete import follow_complete
from tests.api.conftest import NOW
from tests.api.contract import problem
from tests.support.cases import cases
from tests.support.fleet import make_device
from tests.support.releases import draft_of, move_on
from walle.release.strategy import AT_ONCE
from webhooks_app.models import Webhook
from webhooks_app.services.webhooks import create_webhook, disable

pytestmark = pytest.mark.django_db


@pytest.fixture
def bank(keys):
    """An app that only site staff sees."""
    return create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)


def count_activity(app, **counts):
    ActivityCount.objects.create(app=app, at=timezone.now() - timedelta(seconds=100), **counts)


def total(api, **query):
    found = api.get("fleet/pulse", **query).json()
    return {name: found["step_s"] * sum(found[name]) for name in ("check_ins", "installs") if any(found[name])}


def test_the_pulse_of_an_app_or_of_all_one_may_see(viewer, staff, shop, bank):
    count_activity(shop, check_ins=600, installs=5)
    count_activity(bank, check_ins=900)
    assert total(viewer) == total(staff, app="shop") == {"check_ins": 600, "installs": 5}
    assert total(staff) == {"check_ins": 1500, "installs": 5}
    assert total(staff, app="bank") == {"check_ins": 900}


def test_who_sees_no_app_sees_no_pulse(nobody, developer, shop):
    count_activity(shop, check_ins=600)
    assert total(nobody) == total(developer) == {}


def test_an_hour_unless_asked_otherwise(viewer, shop):
    hour, minute = (viewer.get("fleet/pulse", **query).json() for query in ({}, {"minutes": 1}))
    assert (hour["step_s"], len(hour["at"])) == (15, 240)
    assert (minute["step_s"], len(minute["at"])) == (5, 12)


@cases("query", [{"minutes": 0}, {"minutes": 2881}, {"minutes": "x"}, {"app": "B"}, {"days": 1}])
def test_what_cannot_be_asked(viewer, shop, query):
    assert set(problem(viewer.get("fleet/pulse", **query), 400, "invalid")) == set(query)


def test_an_app_that_is_not_yours_is_as_unknown_as_one_that_is_not(viewer, shop, bank):
    for slug in ("bank", "nothing"):
        found = problem(viewer.get("fleet/pulse", app=slug), 400, "invalid")
        assert found == {
            "app": f"Expected the name of a known app, found '{slug}': it does not exist, or is not yours to see."
        }


@pytest.fixture
def worker(shop):
    """A worker that has just given a sign, and a table that it has just renewed: all is well."""
    moment = timezone.now()
    PublishedTable.objects.update(published_at=moment)
    return Worker.objects.create(host="here", pid=1, queue="celery", started_at=moment, seen_at=moment)


def concerns(api, **query):
    return [(each["kind"], each["urgency"]) for each in api.get("fleet", **query).json()["attention"]]


def test_new_devices_over_time_and_how_they_came(viewer, shop):
    count_activity(shop, registered=60, enrolled_by_key=45, enrolled_by_statement=15, enrolments_refused=30)
    found = viewer.get("fleet/pulse").json()
    told = {name: found["step_s"] * sum(found[name]) for name in found if name not in ("at", "step_s")}
    assert {name: count for name, count in told.items() if count} == {
        "registered": 60, "enrolled_by_key": 45, "enrolled_by_statement": 15, "enrolments_refused": 30,
    }  # fmt: skip


def test_devices_that_a_limit_keeps_out_need_somebody(viewer, staff, shop, bank, worker):
    count_activity(bank, enrolments_refused=3)
    assert concerns(viewer) == []
    count_activity(shop, enrolments_refused=20)
    (concern,) = viewer.get("fleet").json()["attention"]
    assert (concern["kind"], concern["urgency"], concern["target"]) == ("enrolments-limited", "soon", "apps/shop")
    assert "20 times in the last 15 min" in concern["reason"]
    ActivityCount.objects.update(at=timezone.now() - timedelta(minutes=16))
    assert concerns(viewer) == []


def test_a_surge_of_new_devices_needs_somebody_unless_they_are_the_first_or_usual(viewer, shop, worker):
    count_activity(shop, registered=150)
    assert concerns(viewer) == []
    phone = make_device(shop, "phone")
    (concern,) = viewer.get("fleet").json()["attention"]
    assert (concern["kind"], concern["urgency"]) == ("device-surge", "soon")
    assert "150 devices registered in the last 15 min" in concern["reason"]
    hours = [timezone.now() - timedelta(hours=hours) for hours in range(1, 47)]
    ActivityCount.objects.bulk_create(ActivityCount(app=shop, at=at, registered=200) for at in hours)
    assert concerns(viewer) == []
    ActivityCount.objects.filter(registered=200).update(registered=2)
    assert concerns(viewer) == [("device-surge", "soon")]
    Device.objects.filter(pk=phone.pk).update(first_seen=timezone.now())
    assert concerns(viewer) == []


def test_the_fleet_at_one_glance(viewer, shop, digits, worker):
    make_device(shop, "phone", "camera/digits", os_version="14")
    Device.objects.update(last_seen=timezone.now())
    release = move_on(draft_of(shop, digits, now=timezone.now()), "start", now=timezone.now())
    found = viewer.get("fleet").json()
    counts = {"known": 1, "online": 1, "with_tasks": 1}
    assert found["apps"] == ["shop"]
    assert found["devices"] == {
        **counts,
        "app_versions": [{**counts, "app": "shop", "app_version": "1.0.0"}],
        "systems": [{**counts, "os": "android", "os_version": "14"}],
        "counted_at": None,
    }
    (shown,) = found["releases"]
    assert (shown["id"], shown["state"], shown["stages"], shown["stage"]["position"]) == (release.pk, "running", 1, 0)
    assert shown["reached"] == {
        **dict.fromkeys(("drawn", "offered", "installed", "reported", "failed"), 0),
        "counted_at": None,
    }
    assert found["attention"] == []


def test_of_one_app_only(staff, shop, bank, digits, worker):
    now = timezone.now()
    for app in (shop, bank):
        make_device(app, "phone")
    move_on(draft_of(shop, digits, now=now), "start", now=now)
    assert (staff.get("fleet").json()["devices"]["known"], len(staff.get("fleet").json()["releases"])) == (2, 1)
    only = staff.get("fleet", app="bank").json()
    assert (only["apps"], only["devices"]["known"], only["releases"]) == (["bank"], 1, [])


def test_who_may_see_the_scenario_only_sees_its_releases_and_no_devices(developer, shop, digits, worker):
    make_device(shop, "phone")
    move_on(draft_of(shop, digits, now=timezone.now()), "start", now=timezone.now())
    found = developer.get("fleet").json()
    assert (found["apps"], found["devices"]["known"], len(found["releases"])) == ([], 0, 1)


def test_releases_that_need_somebody(viewer, shop, register, worker):
    first, second, third = register("1.0.0", "1.1.0", "1.2.0")
    now = timezone.now()
    stuck = {**AT_ONCE, "stages": [{"kind": "gray", "percent": 100, "dwell_s": 0, "evidence": 5}]}
    move_on(draft_of(shop, first, strategy=stuck, now=now), "start", now=now - timedelta(minutes=5))
    approval = {**AT_ONCE, "approval": True}
    move_on(draft_of(shop, second, strategy=approval, app_versions=["1.1.0"], now=now), "start", now=now)
    assert concerns(viewer) == [("approval", "soon"), ("gate-blocked", "soon")]
    move_on(draft_of(shop, third, app_versions=["1.1.0"], now=now), "start", "roll-back", now=now)
    found = viewer.get("fleet").json()["attention"]
    assert (found[0]["kind"], found[0]["urgency"], found[0]["title"]) == ("rolled-back", "now", "camera/digits 1.2.0")
    assert "0 of the 5 devices needed have reported" in found[-1]["reason"]


@cases(("by", "kind"), [("system", "held"), ("rita", "paused")])
def test_who_paused_a_release_makes_a_difference(releaser, shop, digits, worker, by, kind):
    release = move_on(draft_of(shop, digits, now=timezone.now()), "start", now=timezone.now())
    if by == "system":
        move_on(release, "pause", now=timezone.now())
    else:
        releaser.post(f"releases/{release.pk}/pause", {"reason": "looking"})
    assert [each for each, _ in concerns(releaser)] == [kind]
    assert releaser.get("fleet").json()["attention"][0]["target"] == f"releases/{release.pk}"


def test_a_complete_release_that_exceeds_its_limit(viewer, shop, digits, worker):
    now = timezone.now()
    release = move_on(draft_of(shop, digits, now=now), "start", "complete", now=now)
    follow_complete(now)
    assert concerns(viewer) == []
    CompletionWatch.objects.update(exceeded_at=now, sentence="37 of 412 devices failed since the period began")
    (found,) = viewer.get("fleet").json()["attention"]
    assert (found["kind"], found["urgency"]) == ("failing-after-complete", "now")
    assert found["reason"].startswith("fails after its release was complete: 37 of 412 devices failed")
    shown = viewer.get(f"releases/{release.pk}").json()["completion_watch"]
    assert (shown["period"], shown["reported"], bool(shown["exceeded_at"])) == (1, 0, True)
    move_on(release, "roll-back", now=now)
    assert viewer.get(f"releases/{release.pk}").json()["completion_watch"] is None
    assert concerns(viewer) == [("rolled-back", "now")]


def test_a_failure_is_forgotten_when_the_task_is_released_again(viewer, shop, register, worker):
    first, second = register("1.0.0", "1.1.0")
    now = timezone.now()
    move_on(draft_of(shop, first, now=now), "start", "roll-back", now=now)
    assert concerns(viewer) == [("rolled-back", "now")]
    again = draft_of(shop, second, now=now)
    assert concerns(viewer) == [("rolled-back", "now")]
    move_on(again, "start", now=now)
    assert "rolled-back" not in dict(concerns(viewer))


def test_a_complete_release_that_is_rolled_back_after_a_newer_one_had_ended(viewer, shop, register, worker):
    good, bad = register("1.0.0", "1.1.0")
    now = timezone.now()
    complete = move_on(draft_of(shop, good, now=now), "start", "complete", now=now - timedelta(hours=3))
    move_on(draft_of(shop, bad, now=now), "start", "roll-back", now=now - timedelta(hours=2))
    move_on(complete, "roll-back", now=now - timedelta(hours=1))
    found = viewer.get("fleet").json()["attention"]
    assert [(each["kind"], each["title"]) for each in found] == [
        ("rolled-back", "camera/digits 1.0.0"), ("rolled-back", "camera/digits 1.1.0"),
    ]  # fmt: skip
    assert found[0]["reason"].startswith("rolled back after it was complete")


def test_a_failure_of_yesterday_is_less_urgent(viewer, shop, digits, worker):
    move_on(draft_of(shop, digits, now=NOW), "start", "roll-back", now=timezone.now() - timedelta(days=2))
    assert concerns(viewer) == [("rolled-back", "later")]


def test_devices_that_stay_away_and_tables_that_grow_old(viewer, shop, worker):
    ActivityCount.objects.create(app=shop, at=timezone.now() - timedelta(minutes=4), check_ins=9)
    assert concerns(viewer) == []
    ActivityCount.objects.update(at=timezone.now() - timedelta(minutes=6))
    assert concerns(viewer) == [("silent", "now")]
    PublishedTable.objects.update(published_at=timezone.now() - timedelta(days=4))
    assert set(concerns(viewer)) == {("silent", "now"), ("table-old", "now")}


def test_nobody_works(viewer, shop, worker):
    Worker.objects.update(seen_at=timezone.now() - timedelta(minutes=1))
    assert concerns(viewer) == [("no-worker", "now")]
    Worker.objects.all().delete()
    assert viewer.get("fleet").json()["attention"][0]["since"] is None


def test_simulations_wait_for_a_worker_that_is_not_there(viewer, shop, worker):
    waits = timezone.now() - timedelta(minutes=3)
    enqueue(kind=SIMULATE, arguments={"cell": 1}, account="camera", run_at=waits)
    assert concerns(viewer) == [("no-simulation-worker", "now")]
    simulates = {"started_at": timezone.now(), "seen_at": timezone.now()}
    Worker.objects.create(host="here", pid=999, queue="simulations", **simulates)
    # It waits for its turn, which is nobody's fault.
    assert concerns(viewer) == []


def test_webhooks_that_nobody_answers_concern_who_manages_them(owner, viewer, shop, worker):
    hook, _ = create_webhook(
        scope="app:shop", url="https://example.com/hook", events=["*"], actor=SYSTEM, now=timezone.now()
    )
    Webhook.objects.update(failing_since=timezone.now() - timedelta(hours=1))
    assert (concerns(owner), concerns(viewer)) == ([("webhook-failing", "later")], [])
    disable(webhook=hook, reason="nothing was taken", now=timezone.now())
    assert concerns(owner) == [("webhook-off", "soon")]


def named(concern):
    return {name: concern[name] for name in ("kind", "target", "title")}


def test_what_somebody_acknowledged_comes_last_until_it_begins_again(viewer, developer, shop, register, worker):
    first, second = register("1.0.0", "1.1.0")
    now = timezone.now()
    release = move_on(draft_of(shop, first, now=now), "start", "roll-back", now=now - timedelta(minutes=3))
    held = move_on(draft_of(shop, second, app_versions=["1.1.0"], now=now), "start", "pause", now=now)
    failed = viewer.get("fleet").json()["attention"][0]
    assert (failed["kind"], failed["scope"], failed["acknowledged"]) == ("held", "scenario:camera", None)

    problem(viewer.post("fleet/attention/acknowledge", {**named(failed), "note": "seen"}), 403, "not-allowed")
    told = developer.post("fleet/attention/acknowledge", {**named(failed), "note": "I ask the network team"})
    known = told.json()["acknowledged"]
    assert (known["by"], known["note"]) == (developer.actor.name, "I ask the network team")
    assert viewer.get("fleet").json()["attention"][-1] == told.json()
    entry = AuditEntry.objects.filter(action="concern.acknowledge").get()
    assert (entry.actor_name, entry.scope) == (developer.actor.name, "scenario:camera")
    assert entry.after["note"] == "I ask the network team"

    move_on(held, "resume", "pause", now=timezone.now())
    assert [each["acknowledged"] for each in viewer.get("fleet").json()["attention"]] == [None] * len(concerns(viewer))
    assert release.pk


def test_an_acknowledgement_is_replaced_and_taken_back(releaser, shop, digits, worker):
    move_on(draft_of(shop, digits, now=NOW), "start", "roll-back", now=timezone.now())
    (concern,) = releaser.get("fleet").json()["attention"]
    for note in ("seen", "mended in 1.0.1"):
        releaser.post("fleet/attention/acknowledge", {**named(concern), "note": note})
    assert releaser.get("fleet").json()["attention"][0]["acknowledged"]["note"] == "mended in 1.0.1"
    for _ in range(2):
        assert releaser.post("fleet/attention/reopen", named(concern)).json() == concern
    assert releaser.get("fleet").json()["attention"] == [concern]
    assert AuditEntry.objects.filter(action="concern.reopen").count() == 1


def test_only_what_one_sees_and_what_lasts_can_be_acknowledged(releaser, viewer, staff, shop, bank, worker):
    count_activity(bank, enrolments_refused=3)
    (concern,) = staff.get("fleet").json()["attention"]
    asked = {**named(concern), "note": "seen"}
    assert set(problem(releaser.post("fleet/attention/acknowledge", asked), 400, "invalid")) == {"kind"}
    assert set(problem(staff.post("fleet/attention/acknowledge", {**asked, "note": " "}), 400, "invalid")) == {"note"}
    ActivityCount.objects.all().delete()
    assert set(problem(staff.post("fleet/attention/acknowledge", asked), 400, "invalid")) == {"kind"}


def test_what_concerns_no_scope_takes_site_staff(viewer, releaser, staff, shop, worker):
    Worker.objects.all().delete()
    (concern,) = releaser.get("fleet").json()["attention"]
    asked = {**named(concern), "note": "it is being started"}
    problem(releaser.post("fleet/attention/acknowledge", asked), 403, "not-allowed")
    assert staff.post("fleet/attention/acknowledge", asked).status_code == 200
    assert viewer.get("fleet").json()["attention"][0]["acknowledged"]["note"] == "it is being started"


def test_it_asks_as_often_for_many_releases_as_for_few(viewer, shop, digits, worker):
    counts = []
    for _ in range(2):
        for number in range(3, 9):
            draft = draft_of(shop, digits, app_versions=["1.0.0"], now=timezone.now())
            Release.objects.filter(pk=draft.pk).update(state="paused" if number % 2 else "awaiting-approval")
        make_device(shop, f"phone-{len(counts)}")
        with CaptureQueriesContext(connection) as captured:
            viewer.get("fleet")
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 28


def test_the_glance_asks_as_often_whatever_roles_somebody_has(viewer, shop, worker, django_assert_num_queries):
    def become_owner(*scenarios):
        for scenario in scenarios:
            grant_role(actor=SYSTEM, user=viewer.actor.user, scope=f"scenario:{scenario}", role="owner")

    become_owner("one")
    with CaptureQueriesContext(connection) as asked:
        viewer.get("fleet")
    become_owner("two", "three", "four")
    with django_assert_num_queries(len(asked)):
        viewer.get("fleet")
