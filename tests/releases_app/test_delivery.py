"""Which scenarios may deliver to an app, and what follows for releases when that is given, limited and taken back."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import PermissionDenied, ValidationError

from accounts_app.actors import SYSTEM, Actor
from accounts_app.models import AuditEntry
from accounts_app.permissions import NotAllowed
from accounts_app.services.members import grant_role
from accounts_app.services.tokens import authenticate_token
from devices_app.services.apps import add_version, create_app
from devices_app.stores import artifact_store
from releases_app.exceptions import DeliveryNotAllowed
from releases_app.models import DeliveryGrant, Release
from releases_app.services.cloning import clone_release
from releases_app.services.delivery_grants import allow_delivery, withdraw_delivery
from releases_app.services.planning import plan_release
from releases_app.services.reconciliation import reconcile
from releases_app.services.releases import act, create_release
from tasks_app.exclusive_files import _find
from tasks_app.models import VersionFile
from tasks_app.services.retirement import retire_task, unretire_task
from tests.support.cases import cases
from tests.support.people import make_member, make_staff, token_of
from tests.support.releases import make_version
from walle.protocol.keyed import ExclusiveGrant
from walle.release.rules import uniform
from walle.release.states import ReleaseAction
from walle.release.strategy import AT_ONCE

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
CAREFUL = {
    "simulation": False,
    "control_percent": 0,
    "stages": [
        {"kind": "beta", "percent": 1, "dwell_s": 60, "evidence": 5},
        {"kind": "gray", "percent": 10, "dwell_s": 60, "evidence": 5},
        {"kind": "gray", "percent": 100, "dwell_s": 60, "evidence": 5},
    ],
}


@pytest.fixture
def shop(keys):
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)
    add_version(app=app, version="1.0.0", actor=SYSTEM)
    return app


@pytest.fixture
def version(shop, registered):
    return registered("1.0.0")


@pytest.fixture
def registered(db):
    """Makes versions of camera/digits, whose envelopes are of no manifest."""

    def call(number):
        version = make_version("camera", "digits", number)
        version.envelope_digest = artifact_store().put(number.encode()).digest
        version.save(update_fields=["envelope_digest"])
        return version

    return call


@pytest.fixture
def camera(version):
    return version.task.scenario


@pytest.fixture
def mallory(camera, shop):
    """Owns a scenario, and may look at the app."""
    actor = make_member("owner", "scenario:camera", "mallory")
    grant_role(actor=SYSTEM, user=actor.user, scope="app:shop", role="viewer")
    return actor


@pytest.fixture
def olga(shop):
    """Owns the app, and has no role in the scenario."""
    return make_member("owner", "app:shop", "olga")


def release_by(actor, shop, version, strategy=CAREFUL, now=NOW):
    about = {"app": shop, "version": version, "rule": uniform(["1.0.0"]), "strategy": strategy}
    return create_release(**about, actor=actor, now=now)


def do(actor, release, action, reason="", now=NOW):
    return act(release=release, action=ReleaseAction(action), actor=actor, now=now, reason=reason)


def allow(olga, shop, camera, **given):
    return allow_delivery(app=shop, scenario=camera, actor=olga, now=NOW, **given)


def test_nobody_releases_to_an_app_whose_owners_have_not_allowed_it(shop, version, mallory):
    rule = uniform(["1.0.0"])
    about = {"app": shop, "version": version, "rule": rule, "strategy": CAREFUL}
    for actor in (mallory, make_staff(), SYSTEM):
        with pytest.raises(DeliveryNotAllowed, match="owner of app shop can allow it: walle app allow shop camera"):
            release_by(actor, shop, version)
        with pytest.raises(DeliveryNotAllowed):
            plan_release(**about, actor=actor, now=NOW)
    assert not Release.objects.exists()


def test_owners_of_the_app_allow_it_and_nobody_else(shop, camera, version, mallory, olga):
    for actor in (mallory, make_member("releaser", "app:shop", "rita")):
        with pytest.raises(NotAllowed, match="manage members in app:shop"):
            allow(actor, shop, camera)
    allow(olga, shop, camera, note="we know them")
    entry = AuditEntry.objects.get(action="delivery.allow")
    assert (entry.actor_name, entry.scope, entry.object_name) == ("olga", "app:shop", "camera may deliver to shop")
    assert entry.after == {"complete_early": False, "note": "we know them"}
    assert do(mallory, release_by(mallory, shop, version), "start").state == "running"


def test_what_is_allowed_already_changes_nothing(shop, camera, olga):
    allow(olga, shop, camera)
    allow(olga, shop, camera)
    allow(olga, shop, camera, complete_early=True)
    changes = AuditEntry.objects.filter(action__startswith="delivery.").order_by("id")
    assert [entry.action for entry in changes] == ["delivery.allow", "delivery.change"]
    assert changes[1].before == {"complete_early": False, "note": ""}
    assert DeliveryGrant.objects.get().complete_early


def test_the_grant_of_one_app_says_nothing_about_another(shop, camera, version, mallory, olga):
    mall = create_app(slug="mall", name="Mall", actor=SYSTEM, now=NOW)
    add_version(app=mall, version="1.0.0", actor=SYSTEM)
    allow(olga, shop, camera)
    with pytest.raises(DeliveryNotAllowed):
        release_by(SYSTEM, mall, version)


def test_what_is_under_way_pauses_when_it_is_taken_back_and_does_not_go_on(shop, camera, version, mallory, olga):
    allow(olga, shop, camera, complete_early=True)
    draft = release_by(mallory, shop, version)
    release = do(mallory, release_by(mallory, shop, version), "start")
    (paused,) = withdraw_delivery(app=shop, scenario=camera, actor=olga, now=NOW)
    assert (paused.pk, paused.state) == (release.pk, "paused")
    assert "olga took back that camera may deliver to shop" in paused.transitions.last().reason
    release.refresh_from_db()
    for refused in (
        lambda: do(mallory, release, "resume", "allowed again"),
        lambda: do(mallory, draft, "start"),
        lambda: clone_release(release=release, actor=mallory, now=NOW),
    ):
        with pytest.raises(DeliveryNotAllowed):
            refused()
    assert Release.objects.get(pk=release.pk).state == "paused"
    assert Release.objects.get(pk=draft.pk).state == "draft"
    allow(olga, shop, camera)
    assert do(mallory, release, "resume", "allowed again").state == "running"


@cases("move", ["promote", "complete", "approve", "pass"])
def test_no_move_that_widens_is_made_without_it_not_even_by_the_system(shop, camera, version, olga, move):
    allow(olga, shop, camera)
    release = release_by(SYSTEM, shop, version)
    states = {"approve": "awaiting-approval", "pass": "simulating"}
    state = states.get(move, "running")
    Release.objects.filter(pk=release.pk).update(state=state, position=0, created_by="somebody else")
    release.refresh_from_db()
    DeliveryGrant.objects.all().delete()
    with pytest.raises(DeliveryNotAllowed):
        do(SYSTEM, release, move)


@cases("move", ["pause", "abort", "roll-back"])
def test_whoever_could_halt_it_still_can(shop, camera, version, mallory, olga, move):
    allow(olga, shop, camera)
    release = do(mallory, release_by(mallory, shop, version), "start")
    DeliveryGrant.objects.all().delete()
    do(mallory, release, move)
    assert release.state in ("paused", "aborted", "rolled-back")


def test_the_system_pauses_what_may_go_no_further(shop, camera, version, mallory, olga):
    allow(olga, shop, camera, complete_early=True)
    release = do(mallory, release_by(mallory, shop, version, AT_ONCE), "start")
    DeliveryGrant.objects.all().delete()
    assert reconcile(release=release.pk, now=NOW).action == "complete"
    release.refresh_from_db()
    assert release.state == "paused"
    assert "camera may not deliver to app shop" in release.transitions.last().reason


def test_nobody_takes_back_what_is_not_theirs(shop, camera, mallory, olga):
    allow(olga, shop, camera)
    with pytest.raises(NotAllowed):
        withdraw_delivery(app=shop, scenario=camera, actor=mallory, now=NOW)
    withdraw_delivery(app=shop, scenario=camera, actor=olga, now=NOW)
    assert AuditEntry.objects.get(action="delivery.withdraw").before == {"complete_early": False, "note": ""}
    with pytest.raises(DeliveryGrant.DoesNotExist):
        withdraw_delivery(app=shop, scenario=camera, actor=olga, now=NOW)


def test_what_was_complete_before_comes_back_with_a_rollback(shop, camera, registered, mallory, olga):
    allow(olga, shop, camera, complete_early=True)
    good, bad = (release_by(mallory, shop, registered(number), AT_ONCE) for number in ("2.0.0", "2.1.0"))
    for release in (good, bad):
        do(mallory, release, "start")
        do(SYSTEM, release, "complete")
    assert Release.objects.get(pk=good.pk).state == "superseded"
    withdraw_delivery(app=shop, scenario=camera, actor=olga, now=NOW)
    assert Release.objects.get(pk=bad.pk).state == "complete"
    do(olga, Release.objects.get(pk=bad.pk), "roll-back", "too slow")
    assert Release.objects.get(pk=good.pk).state == "complete"


@cases("move", ["promote", "complete"])
def test_leaving_a_stage_early_takes_a_right_apart_a_reason_and_an_entry(shop, camera, version, mallory, olga, move):
    allow(olga, shop, camera)
    release = do(mallory, release_by(mallory, shop, version), "start")
    with pytest.raises(DeliveryNotAllowed, match="walle app allow shop camera --complete-early"):
        do(mallory, release, move, "in a hurry")
    allow(olga, shop, camera, complete_early=True)
    with pytest.raises(ValidationError, match="expected why"):
        do(mallory, release, move, "  ")
    assert Release.objects.get(pk=release.pk).position == 0
    do(mallory, release, move, "closes a leak")
    entry = AuditEntry.objects.get(action=f"release.{move}-early")
    assert entry.after == {"skipped": [0] if move == "promote" else [0, 1, 2], "reason": "closes a leak"}
    assert (entry.actor_name, entry.before) == ("mallory", {"state": "running", "position": 0})


def test_a_stage_that_has_passed_is_left_by_whoever_may_release(shop, camera, version, mallory, olga):
    allow(olga, shop, camera)
    calm = {**CAREFUL, "stages": [{**stage, "dwell_s": 60, "evidence": 0} for stage in CAREFUL["stages"]]}
    calm["stages"][1]["evidence"] = 5
    release = do(mallory, release_by(mallory, shop, version, calm), "start")
    with pytest.raises(DeliveryNotAllowed, match="has not passed yet"):
        do(mallory, release, "promote", now=NOW + timedelta(seconds=59))
    do(mallory, release, "promote", now=NOW + timedelta(seconds=61))
    assert (release.state, release.position) == ("running", 1)
    assert not AuditEntry.objects.filter(action="release.promote-early").exists()


def test_a_strategy_that_asks_no_device_first_takes_the_same_right(shop, camera, version, mallory, olga):
    allow(olga, shop, camera, complete_early=True)
    draft = release_by(mallory, shop, version, AT_ONCE)
    allow(olga, shop, camera)
    with pytest.raises(DeliveryNotAllowed, match="before any has to report"):
        release_by(mallory, shop, version, AT_ONCE)
    with pytest.raises(DeliveryNotAllowed, match="before any has to report"):
        do(mallory, draft, "start")
    careful = {"strategy": CAREFUL}
    clone = clone_release(release=draft, actor=mallory, now=NOW, **careful)
    assert do(mallory, clone, "start").state == "running"


@pytest.mark.parametrize(
    ("shares", "evidence", "careful"),
    [((99.9998, 99.9999), (0, 1), False), ((60,), (5,), False), ((1, 99), (0, 5), False), ((50,), (5,), True)],
    ids=["asked too late", "most at first", "few to many", "half at first"],
)
def test_so_does_one_that_reaches_most_devices_first(shop, camera, version, mallory, olga, shares, evidence, careful):
    allow(olga, shop, camera)
    stages = [
        {"kind": "gray", "percent": share, "dwell_s": 0, "evidence": count}
        for share, count in zip((*shares, 100), (*evidence, 5), strict=True)
    ]
    strategy = {**CAREFUL, "stages": stages}
    if careful:
        assert release_by(mallory, shop, version, strategy).state == "draft"
    else:
        with pytest.raises(DeliveryNotAllowed, match="before any has to report"):
            release_by(mallory, shop, version, strategy)


def test_a_limited_token_has_to_name_that_right(shop, camera, version, mallory, olga):
    allow(olga, shop, camera, complete_early=True)
    release = do(mallory, release_by(mallory, shop, version), "start")

    def limited(*permissions):
        found = authenticate_token(secret=token_of(mallory, permissions=permissions), now=NOW)
        return Actor(user=found.user, token=found.token)

    with pytest.raises(NotAllowed, match="complete early"):
        do(limited("release"), release, "complete", "in a hurry")
    assert do(limited("release", "complete early"), release, "complete", "closes a leak").state == "complete"


def test_a_retired_task_does_not_come_back_to_an_app_that_took_it_back(shop, camera, version, mallory, olga):
    allow(olga, shop, camera, complete_early=True)
    release = do(mallory, release_by(mallory, shop, version), "start")
    do(mallory, release, "complete", "closes a leak")
    retire_task(actor=mallory, task=version.task, now=NOW)
    withdraw_delivery(app=shop, scenario=camera, actor=olga, now=NOW)
    with pytest.raises(DeliveryNotAllowed, match=r"release \d+ of camera/digits 1.0.0 would come back"):
        unretire_task(actor=mallory, task=version.task, now=NOW)
    do(olga, Release.objects.get(pk=release.pk), "roll-back", "too slow")
    assert unretire_task(actor=mallory, task=version.task, now=NOW).retired_at is None


def test_variants_come_to_no_device_of_an_app_that_took_it_back(shop, camera, version, olga):
    file = VersionFile.objects.create(version=version, path="prefs.json", kind="exclusive", template="{age_band}")
    file.variants.create(key="old", digest="0" * 64, size=1, statement=b"{}", signed_by="test", uploaded_at=NOW)
    asked = ExclusiveGrant("shop", "phone", version.manifest_digest, {"age_band": "old"}, 0)
    assert _find(asked, "prefs.json") is None
    allow(olga, shop, camera)
    assert _find(asked, "prefs.json").key == "old"
    assert _find(replace(asked, app="mall"), "prefs.json") is None


def test_denial_is_no_fault_of_the_person(shop, version):
    with pytest.raises(PermissionDenied) as refused:
        release_by(make_staff("sam"), shop, version)
    assert "sam" not in str(refused.value)
