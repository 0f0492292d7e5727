"""A release and the fleet that it is on its way to, by the services and without sockets."""

from datetime import UTC, datetime, timedelta

from accounts_app.actors import SYSTEM
from releases_app.models import Release
from releases_app.services.reconciliation import reconcile
from releases_app.services.releases import act
from tests.support.releases import draft_of, move_on
from walle.release.states import ReleaseAction
from walle.release.strategy import AT_ONCE

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
TASK = "camera/digits"
STAGED = {
    "simulation": False,
    "control_percent": 20,
    "grace_s": 600,
    "silence_s": 300,
    "stages": [
        {"kind": "gray", "percent": 20, "dwell_s": 60, "evidence": 10},
        {"kind": "gray", "percent": 50, "dwell_s": 60, "evidence": 10},
        {"kind": "gray", "percent": 100, "dwell_s": 60, "evidence": 10},
    ],
}


class Trial:
    """One release and the fleet it is on its way to."""

    def __init__(self, fleet, version, strategy=STAGED, app_versions=("1.0.0",), now=NOW):
        self.fleet, self.version, self.now = fleet, version, now
        self.release = draft_of(fleet.app, version, app_versions=app_versions, strategy=strategy, now=now)

    def start(self):
        move_on(self.release, "start", now=self.now)
        return self

    def act(self, action):
        act(release=self.row(), action=ReleaseAction(action), actor=SYSTEM, now=self.now)

    def row(self):
        return Release.objects.get(pk=self.release.pk)

    def pass_time(self, seconds):
        self.now += timedelta(seconds=seconds)

    def round(self, fails=lambda number: False, breaks=lambda number: False):
        """Every device checks in and runs what it has.

        Of each run, by its number, `fails` says whether the version fails, `breaks` whether anything else does.
        """
        self.fleet.check_in(self.fleet.devices, self.now)
        self.pass_time(1)
        on_trial = {device.name for device in self.has_it()}
        reports = []
        for number, device in enumerate(one for one in self.fleet.devices if TASK in one.got):
            version = self.version.version if device.name in on_trial else "1.0.0"
            bad = breaks(number) or (device.name in on_trial and fails(number))
            outcome = {"outcome": "failure", "error_class": "exception:ValueError"} if bad else {}
            reports.append(self.fleet.run(device, TASK, version, self.now, **outcome))
        self.fleet.send(reports)
        return self.look()

    def look(self):
        return reconcile(release=self.release.pk, now=self.now)

    def has_it(self):
        return self.fleet.having(self.version.manifest_digest)


def installed_everywhere(fleet, version, now=NOW - timedelta(hours=1)):
    """A complete release of a version that every device has."""
    good = Trial(fleet, version, strategy=AT_ONCE, now=now).start()
    fleet.check_in(fleet.devices, now)
    good.act("complete")
    return good
