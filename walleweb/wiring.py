"""Connect apps that do not know each other: reports of devices reach releases and tasks, callers reach releases."""

from devices_app import signals
from releases_app.services import intake
from serving_app.signals import callers_chosen
from tasks_app.services import run_counts


def connect_apps() -> None:
    """Connect the signals of apps to their receivers; called once, when all apps are loaded."""
    signals.check_ins_stored.connect(intake.take_check_ins)
    signals.reports_received.connect(intake.take_received)
    signals.reports_stored.connect(intake.take_reports)
    signals.reports_stored.connect(run_counts.take_reports)
    callers_chosen.connect(intake.take_check_ins)
