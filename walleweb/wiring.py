"""Connect apps that do not know each other: reports of devices reach releases and tasks."""

from devices_app import signals
from releases_app.services import intake
from tasks_app.services import run_counts


def connect_apps() -> None:
    """Connect the signals of devices_app to their receivers; called once, when all apps are loaded."""
    signals.check_ins_stored.connect(intake.take_check_ins)
    signals.reports_received.connect(intake.take_received)
    signals.reports_stored.connect(intake.take_reports)
    signals.reports_stored.connect(run_counts.take_reports)
