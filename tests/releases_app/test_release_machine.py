"""Releases under arbitrary orders of events: check-ins, reports late, twice and out of order, looks, people, time.

Everything goes through the services down to PostgreSQL; each example is rolled back.
"""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from devices_app.models import Report
from releases_app.models import Exposure, Quarantine, Release
from releases_app.services.moves import ReleaseConflict
from releases_app.services.quarantine import lift_quarantine
from releases_app.services.reconciliation import publish_missing_tables, reconcile
from releases_app.services.releases import BY_HAND, act
from tests.releases_app.trials import NOW
from tests.support.releases import draft_of
from tests.support.trial_fleet import TrialFleet
from tests.tiers.examples import multiplied
from walle.release.cohort import BUCKETS, Cohort, device_point
from walle.release.rules import compile_rule
from walle.release.states import MoveRefused, ReleaseState
from walle.release.table import Mode

pytestmark = pytest.mark.django_db

TASK = "camera/digits"
DEVICES = 24
STRATEGY = {
    "simulation": False,
    "control_percent": 20,
    "grace_s": 300,
    "silence_s": 120,
    "stages": [
        {"kind": "gray", "percent": 30, "dwell_s": 20, "evidence": 1},
        {"kind": "gray", "percent": 70, "dwell_s": 20, "evidence": 2},
        {"kind": "gray", "percent": 100, "dwell_s": 20, "evidence": 1},
    ],
}
devices = st.sets(st.integers(0, DEVICES - 1), min_size=1)


class Releases(RuleBasedStateMachine):
    """One app, three versions of one task, any number of releases."""

    in_flight = Bundle("in_flight")
    stale = Bundle("stale")

    def __init__(self, shop, versions):
        super().__init__()
        self.shop, self.versions, self.now = shop, versions, NOW
        self.fleet = TrialFleet(shop, DEVICES, [{"app_version": "1.0.0"}, {"app_version": "2.0.0"}])
        self.delivered = set()
        self.example = transaction.atomic()
        self.example.__enter__()

    def teardown(self):
        self.everybody_comes_to_rest()
        transaction.set_rollback(True)
        self.example.__exit__(None, None, None)

    @initialize()
    def begin(self):
        publish_missing_tables(now=self.now)
        self.fleet.come(self.now - timedelta(days=1))

    @rule(seconds=st.sampled_from([1, 10, 25, 200, 400]))
    def time_passes(self, seconds):
        self.now += timedelta(seconds=seconds)

    @rule(version=st.integers(0, 2), app_versions=st.sampled_from([["1.0.0"], ["2.0.0"], ["1.0.0", "2.0.0"]]))
    def somebody_releases(self, version, app_versions):
        try:
            release = draft_of(
                self.shop, self.versions[version], app_versions=app_versions, strategy=STRATEGY, now=self.now
            )
        except ValidationError:
            assert Quarantine.objects.filter(version=self.versions[version]).exists()
            return
        act(release=release, action="start", actor=SYSTEM, now=self.now)

    @rule(target=stale, place=st.integers(0, 9))
    def somebody_opens_a_release(self, place):
        found = list(Release.objects.select_related("app", "version__task__scenario"))
        return multiple(found[place % len(found)]) if found else multiple()

    @rule(release=consumes(stale), action=st.sampled_from(sorted(BY_HAND)))
    def somebody_acts_on_what_they_saw(self, release, action):
        seen, standing = release.current, Release.objects.get(pk=release.pk).current
        try:
            with transaction.atomic():
                act(release=release, action=action, actor=SYSTEM, now=self.now)
        except (MoveRefused, ReleaseConflict, ValidationError):
            assert Release.objects.get(pk=release.pk).current == standing
        else:
            assert (seen.state, seen.position) == (standing.state, standing.position)

    @rule(who=devices)
    def devices_check_in(self, who):
        shares = {entry.release: entry for entry in self.fleet.table().table.entries}
        before = len(self.fleet.offered)
        self.fleet.check_in([self.fleet.devices[number] for number in who], self.now)
        for device, entry in self.fleet.offered[before:]:
            release = Release.objects.get(pk=entry.release)
            assert release.state in (ReleaseState.RUNNING, ReleaseState.COMPLETE)
            assert compile_rule(release.rule)(device.facts)
            bucket = Cohort(bytes(release.salt)).bucket(device_point(device.name))
            assert (
                bucket < shares[entry.release].share <= STRATEGY["stages"][release.position]["percent"] * BUCKETS // 100
            )

    @rule(target=in_flight, who=devices, fails=st.booleans())
    def devices_run_what_they_have(self, who, fails):
        names = {version.manifest_digest: version.version for version in self.versions}
        bad = {"outcome": "failure", "error_class": "exception:ValueError"}
        found = [device for number, device in enumerate(self.fleet.devices) if number in who and TASK in device.got]
        runs = [
            self.fleet.run(device, TASK, names[device.got[TASK][0].manifest], self.now, **(bad if fails else {}))
            for device in found
        ]
        return multiple(*runs)

    @rule(reports=st.lists(in_flight, min_size=1, max_size=12), twice=st.booleans())
    def reports_arrive(self, reports, twice):
        self.fleet.send(reports)
        if twice:
            self.fleet.send(reversed(reports))
        self.delivered |= {received.report.id for received in reports}

    @rule()
    def the_worker_looks(self):
        for release in Release.objects.values_list("pk", flat=True):
            reconcile(release=release, now=self.now)

    @rule(version=st.integers(0, 2))
    def somebody_lifts_a_quarantine(self, version):
        if Quarantine.objects.filter(version=self.versions[version]).exists():
            lift_quarantine(version=self.versions[version], actor=SYSTEM, now=self.now, reason="tried again")

    @invariant()
    def every_move_is_explained_and_follows_the_one_before(self):
        for release in Release.objects.prefetch_related("transitions"):
            moves = list(release.transitions.all())
            for one, following in pairwise(moves):
                assert (one.after, one.position_after) == (following.before, following.position_before)
                if following.action == "promote":
                    assert following.position_after == following.position_before + 1
            if moves:
                assert (moves[0].before, moves[0].position_before) == ("draft", None)
                assert (moves[-1].after, moves[-1].position_after) == (release.state, release.position)
            audited = AuditEntry.objects.filter(object_id=str(release.pk), action__startswith="release.")
            assert audited.exclude(action="release.create").count() == len(moves)

    @invariant()
    def the_table_is_what_the_releases_say(self):
        table = self.fleet.table().table
        states = dict(Release.objects.values_list("pk", "state"))
        for entry in table.entries:
            wanted = {Mode.OFFER: {"running", "complete"}, Mode.HOLD: {"paused"}, Mode.KEEP: {"aborted", "superseded"}}
            assert states[entry.release] in wanted[entry.mode]
        offering = {release for release, state in states.items() if state in ("running", "complete", "paused")}
        assert {entry.release for entry in table.entries if entry.mode != Mode.KEEP} == offering

    @invariant()
    def no_report_is_lost_or_counted_twice(self):
        assert Report.objects.count() == len(self.delivered)
        pairs = list(Exposure.objects.values_list("release", "device"))
        assert len(pairs) == len(set(pairs))
        for exposure in Exposure.objects.exclude(outcome=""):
            assert Report.objects.filter(device=exposure.device, task=exposure.task).exists()

    def everybody_comes_to_rest(self):
        """Once nothing moves any more, one check-in brings every device where it stays."""
        self.fleet.check_in(self.fleet.devices, self.now)
        offers = len(self.fleet.offered)
        had = [dict(device.profile) for device in self.fleet.devices]
        self.fleet.check_in(self.fleet.devices, self.now)
        assert len(self.fleet.offered) == offers
        assert [device.profile for device in self.fleet.devices] == had


def test_releases_under_any_order_of_events(shop, versions):
    run_state_machine_as_test(
        lambda: Releases(shop, versions),
        settings=settings(
            max_examples=multiplied(30),
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
