"""What the cloud counts of exposures and reports, by small examples."""

from __future__ import annotations

import numpy as np

from walle.forecast.calendar import Devices
from walle.forecast.exposures import CONTROL, TREATMENT, Exposures
from walle.release.cohort import Cohort
from walle.release.strategy import Strategy
from walle.release.vectorized import Points

STRATEGY = Strategy.from_dict(
    {
        "stages": [
            {"kind": "beta", "percent": 5},
            {"kind": "gray", "percent": 20},
            {"kind": "gray", "percent": 100},
        ],
        "control_percent": 10,
    }
)
SALT = bytes(range(16))
BETA, GRAY, FULL = range(3)


def exposures(devices: int = 10) -> Exposures:
    return Exposures(devices, STRATEGY, SALT, horizon=100)


def some(*devices: int) -> Devices:
    return np.array(devices, np.int32)


def at(devices: Devices) -> Points:
    return devices.astype(np.uint64)


def test_a_draw_counts_once_and_for_ever() -> None:
    found = exposures()
    assert found.select(TREATMENT, some(1, 2), at(some(1, 2)), 0, GRAY).tolist() == [1, 2]
    assert found.select(CONTROL, some(2, 3), at(some(2, 3)), 1, GRAY).tolist() == [3]
    evidence = found.evidence(0)
    assert evidence.control is not None
    assert (evidence.treatment.drawn, evidence.control.drawn) == (2, 1)


def test_a_device_has_one_outcome_in_the_stage_it_was_selected_in() -> None:
    found = exposures()
    found.select(TREATMENT, some(1, 2), at(some(1, 2)), 0, BETA)
    found.select(TREATMENT, some(3), at(some(3)), 5, GRAY)
    found.report(TREATMENT, some(1, 3, 7), np.array([True, False, True]))
    found.report(TREATMENT, some(1, 2), np.array([False, False]))
    counts = found.evidence(0).treatment
    assert (counts.reported, counts.failed) == (3, 1)
    assert [found.reported_in(position) for position in (BETA, GRAY, FULL)] == [2, 1, 0]


def test_silence_begins_with_the_offer_and_ends_with_the_first_word() -> None:
    found = exposures()
    found.select(TREATMENT, some(1, 2, 3), at(some(1, 2, 3)), 0, GRAY)
    found.select(CONTROL, some(4, 5), at(some(4, 5)), 0, GRAY)
    found.record_contacts(some(1, 2, 3, 4), 3)
    found.offer(some(1, 2), 10)
    found.record_contacts(some(1, 2), 10)  # the check-in that was answered with the offer
    found.record_contacts(some(1), 12)
    evidence = found.evidence(11)
    assert evidence.control is not None
    assert (evidence.treatment.offered, evidence.treatment.due, evidence.treatment.silent) == (2, 2, 1)
    assert (evidence.control.due, evidence.control.silent) == (2, 1)


def test_silence_once_known_stays() -> None:
    found = exposures()
    found.select(CONTROL, some(1, 2), at(some(1, 2)), 0, GRAY)
    assert found.evidence(5).control == found.evidence(5).control
    found.record_contacts(some(1), 20)
    control = found.evidence(30).control
    assert control is not None
    assert (control.due, control.silent) == (2, 2)


def test_the_ratio_compares_what_is_drawn_side_by_side() -> None:
    """Of treatment the first gray step without the beta, of control all; and only while both are drawn."""
    devices = np.arange(1000, dtype=np.int32)
    buckets = np.array([Cohort(SALT).bucket(point) for point in devices.tolist()])
    found = exposures(1000)
    for position, low, high in ((BETA, 0, 50_000), (GRAY, 50_000, 120_000), (FULL, 120_000, 1_000_000)):
        selected = devices[(buckets >= low) & (buckets < high)]
        found.select(TREATMENT, selected, at(selected), 0, position)
    held_back = devices[buckets >= 950_000]
    found.select(CONTROL, held_back, at(held_back), 0, GRAY)
    ratio = found.evidence(0).ratio
    assert ratio is not None
    assert ratio.treatment == np.count_nonzero((buckets >= 50_000) & (buckets < 120_000))
    assert (ratio.treatment_share, ratio.control_share) == (150_000, 100_000)
