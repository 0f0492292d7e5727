"""Releases under way, with devices that check in and report: stages, verdicts, rollback, supersession, pauses."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from accounts_app.services.members import grant_role
from devices_app.models import Interruption
from devices_app.services.lists import delete_list, put_list
from releases_app.models import Exposure, Quarantine, Release
from releases_app.selectors.evidence import figures_of
from releases_app.services.quarantine import lift_quarantine
from releases_app.services.releases import act, create_release
from releases_app.services.silence import settle_silence
from tasks_app.services.retirement import retire_task
from tests.releases_app.trials import NOW, STAGED, TASK, Trial, installed_everywhere
from tests.support.people import make_member
from tests.support.releases import draft_of, move_on
from walle.protocol.headers import short_digest
from walle.release.rules import uniform
from walle.release.states import ReleaseAction, ReleaseState
from walle.release.strategy import AT_ONCE

pytestmark = pytest.mark.django_db


def test_a_good_release_goes_through_its_stages_and_no_faster(fleet, versions):
    installed_everywhere(fleet, versions[0])
    trial = Trial(fleet, versions[1]).start()
    seen = []
    while trial.row().state == "running":
        position, had = trial.row().position, len(trial.has_it())
        trial.round()
        assert trial.row().position == position, "it dwells"
        trial.pass_time(61)
        trial.round()
        assert len(trial.has_it()) > had
        seen.append((position, len(trial.has_it())))
    assert trial.row().state == "complete"
    assert [position for position, _ in seen] == [0, 1, 2]
    assert seen[-1][1] == 200
    actions = [row.action for row in trial.row().transitions.all()]
    assert actions == ["start", "promote", "promote", "complete"]
    assert {verdict.kind for verdict in trial.row().verdicts.all()} <= {"pass", "inconclusive"}


def test_the_control_group_is_held_back_until_the_last_stage(fleet, versions):
    installed_everywhere(fleet, versions[0])
    trial = Trial(fleet, versions[1]).start()
    trial.round()
    figures = figures_of(trial.row(), now=trial.now)
    assert 20 <= figures["control"]["drawn"] <= 65
    assert figures["control"]["offered"] == 0
    assert figures["treatment"]["drawn"] == figures["treatment"]["offered"] == len(trial.has_it())
    in_all = {name: figures["treatment"][name] for name in ("drawn", "offered", "installed", "reported", "silent")}
    nothing = dict.fromkeys(("failed", "failed_late", "awaiting_trigger", "deferred"), 0)
    assert figures["stages"] == [{"position": 0, **in_all, **nothing}]
    control = set(Exposure.objects.filter(arm="control").values_list("device", flat=True))
    assert not control & {device.name for device in trial.has_it()}
    trial.round()
    assert figures_of(trial.row(), now=trial.now)["control"]["reported"] == len(control)


def test_a_bad_release_is_rolled_back_by_itself_and_its_version_is_quarantined(fleet, versions):
    installed_everywhere(fleet, versions[0])
    trial = Trial(fleet, versions[1]).start()
    before = fleet.table().table.number
    step = trial.round(fails=lambda number: number % 3 == 0)
    assert step.action == "roll-back"
    row = trial.row()
    assert row.state == "rolled-back"
    assert "failed" in row.transitions.last().reason
    assert row.transitions.last().evidence["counts"]["treatment"]["failed"] > 0
    assert row.verdicts.last().kind == "fail"
    assert Quarantine.objects.get().version == versions[1]
    assert fleet.table().table.number > before
    trial.pass_time(2)
    fleet.check_in(fleet.devices, trial.now)
    assert trial.has_it() == []
    assert len(fleet.having(versions[0].manifest_digest)) == 200


def test_a_first_version_that_is_bad_is_removed(fleet, versions):
    trial = Trial(fleet, versions[0]).start()
    trial.round(fails=lambda number: True)
    assert trial.row().state == "rolled-back"
    fleet.check_in(fleet.devices, trial.now)
    assert not any(device.profile for device in fleet.devices)


def test_a_version_in_quarantine_cannot_be_released_until_that_is_lifted(fleet, versions, shop):
    trial = Trial(fleet, versions[0]).start()
    trial.act("roll-back")
    with pytest.raises(ValidationError, match="is in quarantine"):
        draft_of(shop, versions[0], now=NOW)
    with pytest.raises(ValidationError, match="expected why"):
        lift_quarantine(version=versions[0], actor=SYSTEM, now=NOW, reason=" ")
    lift_quarantine(version=versions[0], actor=SYSTEM, now=NOW, reason="it was the network")
    assert draft_of(shop, versions[0], now=NOW).state == "draft"


def test_a_complete_release_can_be_rolled_back_and_what_it_superseded_comes_back(fleet, versions):
    first = installed_everywhere(fleet, versions[0])
    second = installed_everywhere(fleet, versions[1], now=NOW)
    assert first.row().state == "superseded"
    second.act("roll-back")
    assert (first.row().state, second.row().state) == ("complete", "rolled-back")
    fleet.check_in(fleet.devices, NOW)
    assert len(fleet.having(versions[0].manifest_digest)) == 200


def test_in_place_of_a_version_in_quarantine_comes_back_what_it_had_superseded(fleet, versions):
    first, second, third = (installed_everywhere(fleet, version, now=NOW) for version in versions)
    Trial(fleet, versions[1], strategy=AT_ONCE, app_versions=("2.0.0",)).start().act("roll-back")
    third.act("roll-back")
    assert [trial.row().state for trial in (first, second, third)] == ["complete", "superseded", "rolled-back"]


@pytest.mark.parametrize("fault", ["quarantine", "retired"])
def test_a_version_that_may_not_be_released_any_more_does_not_complete(fleet, versions, fault):
    last = {"kind": "gray", "percent": 100, "dwell_s": 60, "evidence": 10}
    trial = Trial(fleet, versions[0], strategy={**STAGED, "stages": [last]}).start()
    trial.round()
    if fault == "retired":
        retire_task(actor=SYSTEM, task=versions[0].task, now=trial.now)
    else:
        Trial(fleet, versions[0], strategy=AT_ONCE, app_versions=("2.0.0",)).start().act("roll-back")
    trial.pass_time(60)
    trial.look()
    assert trial.row().state == "paused"
    assert fault in trial.row().transitions.last().reason


def test_a_release_does_not_start_once_a_list_that_it_asks_for_is_gone(shop, versions):
    stages = [{"kind": "beta", "list": "friends"}, {"kind": "gray", "percent": 100}]
    asking = [
        ({"not": {"list": "friends"}}, AT_ONCE),
        (uniform(["1.0.0"]), {"simulation": False, "stages": stages}),
        (uniform(["1.0.0"]), {"stages": stages}),
    ]
    friends = put_list(app=shop, name="friends", devices=["device-1"], actor=SYSTEM, now=NOW)
    same = {"app": shop, "version": versions[0], "actor": SYSTEM, "now": NOW}
    drafts = [create_release(rule=rule, strategy=strategy, **same) for rule, strategy in asking]
    delete_list(id_list=friends, actor=SYSTEM)
    for draft in drafts:
        with pytest.raises(ValidationError, match="list"):
            move_on(draft, "start", now=NOW)
    assert {release.state for release in Release.objects.all()} == {"draft"}


def test_without_reports_it_waits_and_then_holds(fleet, versions):
    trial = Trial(fleet, versions[0]).start()
    fleet.check_in(fleet.devices, NOW)
    trial.pass_time(61)
    assert trial.look().action is None
    trial.pass_time(600)
    assert trial.look().action == "pause"
    assert "no verdict within 600 s" in trial.row().transitions.last().reason
    had = len(trial.has_it())
    fleet.check_in(fleet.devices, trial.now)
    assert len(trial.has_it()) == had


def test_a_release_that_held_is_given_another_grace_time_by_whoever_resumes_it(fleet, versions):
    trial = Trial(fleet, versions[0]).start()
    trial.pass_time(700)
    assert trial.look().action == "pause"
    trial.act("resume")
    trial.pass_time(500)
    assert trial.look().action is None
    trial.pass_time(200)
    assert trial.look().action == "pause"


def test_a_release_that_a_newer_one_leaves_no_devices_does_not_start(fleet, versions):
    older = Trial(fleet, versions[1], strategy=AT_ONCE)
    installed_everywhere(fleet, versions[0], now=NOW)
    with pytest.raises(ValidationError, match="is newer and decides"):
        older.start()


def test_what_was_superseded_on_its_way_can_still_be_rolled_back(fleet, versions):
    installed_everywhere(fleet, versions[0])
    older = Trial(fleet, versions[1]).start()
    fleet.check_in(fleet.devices, NOW)
    Trial(fleet, versions[2]).start()
    older.act("roll-back")
    fleet.check_in(fleet.devices, NOW)
    assert older.has_it() == []


def test_a_version_in_quarantine_is_offered_by_no_release_under_way(fleet, versions):
    one = Trial(fleet, versions[0], app_versions=["1.0.0"]).start()
    other = Trial(fleet, versions[0], app_versions=["2.0.0"]).start()
    other.act("roll-back")
    assert one.look().action == "pause"
    lift_quarantine(version=versions[0], actor=SYSTEM, now=NOW, reason="it was the network")
    assert not fleet.table().table.withdrawn


@pytest.mark.parametrize("role", ["developer", "releaser", "owner"])
def test_who_may_change_the_app_halts_and_who_has_no_role_in_it_starts_nothing(fleet, versions, role):
    trial = Trial(fleet, versions[0])
    blind, halting = make_member("releaser", "scenario:camera", "blind"), make_member(role, "app:shop", "olga")
    with pytest.raises(PermissionDenied):
        act(release=trial.row(), action=ReleaseAction.START, actor=blind, now=NOW)
    trial.start()
    act(release=trial.row(), action=ReleaseAction.PAUSE, actor=halting, now=NOW)
    assert trial.row().state == "paused"
    with pytest.raises(PermissionDenied):
        act(release=trial.row(), action=ReleaseAction.RESUME, actor=halting, now=NOW)


def test_a_pause_stops_offers_and_the_clock_and_changes_no_device(fleet, versions):
    installed_everywhere(fleet, versions[0])
    trial = Trial(fleet, versions[1]).start()
    trial.round()
    had = {device.name for device in trial.has_it()}
    trial.pass_time(50)
    trial.act("pause")
    trial.pass_time(10_000)
    fleet.check_in(fleet.devices, trial.now)
    assert {device.name for device in trial.has_it()} == had
    assert trial.look() is None
    trial.act("resume")
    trial.pass_time(8)
    assert trial.look().action is None
    trial.pass_time(2)
    assert trial.look().action == "promote"


def test_an_aborted_release_leaves_devices_as_they_are(fleet, versions):
    installed_everywhere(fleet, versions[0])
    trial = Trial(fleet, versions[1]).start()
    trial.round()
    had = {device.name for device in trial.has_it()}
    trial.act("abort")
    fleet.check_in(fleet.devices, trial.now)
    assert {device.name for device in trial.has_it()} == had
    trial.act("roll-back")
    fleet.check_in(fleet.devices, trial.now)
    assert trial.has_it() == []


def test_a_newer_release_supersedes_one_that_is_on_its_way(fleet, versions):
    installed_everywhere(fleet, versions[0])
    older = Trial(fleet, versions[1]).start()
    older.round()
    had = {device.name for device in older.has_it()}
    newer = Trial(fleet, versions[2]).start()
    assert older.row().state == "superseded"
    assert older.row().superseded_by == newer.release
    fleet.check_in(fleet.devices, NOW)
    took = {device.name for device in newer.has_it()}
    assert {device.name for device in older.has_it()} == had - took
    assert took
    newer.act("roll-back")
    fleet.check_in(fleet.devices, NOW)
    assert older.row().state == "superseded"
    assert {device.name for device in older.has_it()} == had - took


def test_a_complete_release_supersedes_an_aborted_one_whose_version_devices_kept(fleet, versions):
    aborted = Trial(fleet, versions[0]).start()
    fleet.check_in(fleet.devices, NOW)
    aborted.act("abort")
    newer = Trial(fleet, versions[1], strategy=AT_ONCE).start()
    assert aborted.row().state == "aborted", "its devices keep what they have until the newer release is complete"
    newer.act("complete")
    row = aborted.row()
    assert (row.state, row.superseded_by, row.superseded_from) == ("superseded", newer.release, "aborted")
    newer.act("roll-back")
    assert aborted.row().state == "superseded", "what was aborted does not come back"


def test_releases_to_other_app_versions_do_not_touch_each_other(fleet, versions):
    one = Trial(fleet, versions[0], app_versions=["1.0.0"]).start()
    Trial(fleet, versions[1], app_versions=["2.0.0"]).start()
    assert one.row().state == "running"


def test_whoever_made_a_release_does_not_approve_it(fleet, versions, shop):
    rita, ron = (make_member("releaser", "scenario:camera", name) for name in ("rita", "ron"))
    for actor in (rita, ron):
        grant_role(actor=SYSTEM, user=actor.user, scope="app:shop", role="viewer")
    strategy = {**STAGED, "approval": True}
    release = create_release(
        app=shop, version=versions[0], rule=uniform(["1.0.0"]), strategy=strategy, actor=rita, now=NOW
    )
    act(release=release, action=ReleaseAction.START, actor=rita, now=NOW)
    assert release.state == ReleaseState.AWAITING_APPROVAL
    with pytest.raises(ValidationError, match="somebody other than who created"):
        act(release=release, action=ReleaseAction.APPROVE, actor=rita, now=NOW)
    act(release=release, action=ReleaseAction.APPROVE, actor=ron, now=NOW)
    assert (release.state, release.position) == (ReleaseState.RUNNING, 0)


def test_silent_devices_are_counted_apart(fleet, versions):
    installed_everywhere(fleet, versions[0])
    trial = Trial(fleet, versions[1]).start()
    fleet.check_in(fleet.devices, trial.now)
    trial.pass_time(400)
    alive = [device for number, device in enumerate(fleet.devices) if number % 2]
    fleet.check_in(alive, trial.now)
    trial.look()
    figures = figures_of(trial.row(), now=trial.now)
    for arm in ("treatment", "control"):
        assert figures[arm]["due"] == figures[arm]["drawn"]
        assert 0 < figures[arm]["silent"] < figures[arm]["due"]


def test_no_device_counts_as_silent_before_the_registry_can_have_noted_it(fleet, versions):
    """The registry notes a device at most once a minute: one that came in between is not silent."""
    trial = Trial(fleet, versions[0], strategy={**STAGED, "silence_s": 300}).start()
    fleet.check_in(fleet.devices, trial.now)
    assert settle_silence(trial.row(), now=trial.now + timedelta(seconds=359)) == 0
    drawn = Exposure.objects.filter(release=trial.release.pk).count()
    assert settle_silence(trial.row(), now=trial.now + timedelta(seconds=360)) == drawn > 0


def test_a_version_that_bricks_devices_is_found_by_its_silence(fleet, versions):
    installed_everywhere(fleet, versions[0])
    trial = Trial(fleet, versions[1], strategy={**STAGED, "grace_s": 3600}).start()
    fleet.check_in(fleet.devices, trial.now)
    trial.pass_time(400)
    bricked = trial.has_it()
    fleet.check_in([device for device in fleet.devices if device not in bricked], trial.now)
    step = trial.look()
    assert step.action == "roll-back"
    assert "did not check in again" in step.reason


def test_outside_its_window_a_release_makes_no_offers_and_its_clocks_stand_still(fleet, versions):
    window = {"zone": "Asia/Shanghai", "from": "20:00", "to": "20:30"}  # 12:00 to 12:30 UTC
    trial = Trial(fleet, versions[0], strategy={**STAGED, "grace_s": 86_400, "window": window}).start()
    fleet.check_in(fleet.devices, trial.now)
    had = len(trial.has_it())
    assert had
    (entry,) = fleet.table().table.entries
    assert entry.open_until == int((NOW + timedelta(minutes=30)).timestamp())
    trial.pass_time(1800)
    trial.look()
    assert [entry.mode for entry in fleet.table().table.entries] == ["hold"]
    assert trial.row().clock_s == 1800
    trial.pass_time(12 * 3600)
    trial.look()
    assert trial.row().clock_s == 1800
    assert len(trial.has_it()) == had
    trial.pass_time(12 * 3600 - 1800)
    trial.look()
    assert [entry.mode for entry in fleet.table().table.entries] == ["offer"]


def test_time_in_which_no_report_could_be_taken_neither_passes_a_stage_nor_makes_devices_silent(fleet, versions):
    trial = Trial(fleet, versions[0]).start()
    fleet.check_in(fleet.devices, trial.now)
    Interruption.objects.create(began_at=trial.now, ended_at=trial.now + timedelta(hours=2))
    trial.pass_time(7200 + 59)
    step = trial.look()
    assert (step.action, step.reason) == (None, "soak time of 60 s, 1 s are left")
    assert (trial.row().clock_s, trial.row().clock_since) == (59, trial.now)
    assert not Exposure.objects.exclude(silent=None).exists()
    trial.pass_time(301)
    trial.look()
    assert Exposure.objects.exclude(silent=None).exists()


@pytest.mark.parametrize(
    ("start", "end"), [("00:00", "00:00"), ("11:00", "13:00")], ids=["all day", "no worker at night"]
)
def test_offers_go_on_in_an_opening_that_nobody_saw_begin(fleet, versions, start, end):
    window = {"zone": "UTC", "from": start, "to": end}
    trial = Trial(fleet, versions[0], strategy={**STAGED, "grace_s": 30 * 86_400, "window": window}).start()
    trial.pass_time(86_400)
    trial.look()
    (entry,) = fleet.table().table.entries
    assert (entry.mode, entry.open_until > trial.now.timestamp()) == ("offer", True)
    assert trial.row().clock_s == (86_400 if start == end else 7200)
    number = fleet.table().table.number
    trial.pass_time(60)
    trial.look()
    assert fleet.table().table.number == number


def test_a_look_locks_exposures_before_the_publication(fleet, versions):
    window = {"zone": "UTC", "from": "11:00", "to": "13:00"}
    trial = Trial(fleet, versions[0], strategy={**STAGED, "window": window}).start()
    trial.pass_time(2 * 3600)
    with CaptureQueriesContext(connection) as queries:
        trial.look()
    locks = [query["sql"] for query in queries if " FOR UPDATE" in query["sql"] or "FOR NO KEY UPDATE" in query["sql"]]
    of_exposures = ["exposure" in sql for sql in locks]
    assert of_exposures[0]
    assert of_exposures == sorted(of_exposures, reverse=True)
    assert any("gatewayrevision" in sql for sql in locks)


def test_every_move_is_in_the_audit_log(fleet, versions):
    trial = Trial(fleet, versions[0]).start()
    trial.round(fails=lambda number: True)
    moves = [f"release.{row.action}" for row in trial.row().transitions.all()]
    audited = AuditEntry.objects.filter(action__startswith="release.").exclude(action="release.create")
    assert (
        list(audited.order_by("id").values_list("action", flat=True)) == moves == ["release.start", "release.roll-back"]
    )


def test_a_device_that_has_the_version_already_is_offered_nothing(fleet, versions):
    installed_everywhere(fleet, versions[0])
    offers = len(fleet.offered)
    Trial(fleet, versions[0]).start()
    fleet.check_in(fleet.devices, NOW)
    assert len(fleet.offered) == offers
    assert fleet.devices[0].profile == {TASK: short_digest(versions[0].manifest_digest)}
