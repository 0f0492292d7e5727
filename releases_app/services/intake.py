"""Process what devices send, as far as it concerns releases; walleweb.wiring connects these to devices_app.signals."""

from collections.abc import Sequence
from typing import Any

from releases_app.services.after_complete import count_reports
from releases_app.services.exposures import store_exposures, store_proved_exposures
from releases_app.services.outcomes import apply_earlier_reports, store_outcomes
from releases_app.services.reconciliation import enqueue_reconcile_reported
from walle.gateway.ports import CheckInRecord, ReceivedReport


def take_check_ins(*, records: Sequence[CheckInRecord], **_signal: Any) -> None:
    """Log the exposures of check-ins, in the transaction that stores these.

    Check-ins are stored later than reports, by a second or, where a gateway was cut off, by an hour.
    """
    held_back = store_exposures(records)
    if held_back and (releases := apply_earlier_reports(held_back)):
        enqueue_reconcile_reported(releases)


def take_received(*, received: Sequence[ReceivedReport], **_signal: Any) -> None:
    """Store exposures whose log was lost, before the reports that prove them are stored."""
    store_proved_exposures(received)


def take_reports(*, news: Sequence[tuple[int, ReceivedReport]], **_signal: Any) -> None:
    """Update exposures and enqueue a reconciliation of their releases, in the transaction that stores reports.

    Reports about complete releases are counted, too.
    """
    if releases := store_outcomes(news):
        enqueue_reconcile_reported(releases)
    count_reports(news)
