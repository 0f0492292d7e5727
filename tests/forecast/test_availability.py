"""The curve of devices coming and going: its figures are those it documents."""

from __future__ import annotations

import numpy as np
import pytest

from walle.forecast.availability import Availability, Seconds

COUNT = 100_000
LEVEL = Availability(amplitude=0.0)


def sessions(availability: Availability, until: int, seed: int = 1) -> list[tuple[Seconds, Seconds]]:
    """The sessions of a fleet, one round after the other, until everybody is beyond a second."""
    rng = np.random.default_rng(seed)
    rounds = [availability.first(COUNT, rng)]
    while rounds[-1][0].min() <= until:
        rounds.append(availability.after(rounds[-1][1], rng))
    return rounds


def online(rounds: list[tuple[Seconds, Seconds]], second: int) -> float:
    return float(sum(np.count_nonzero((starts <= second) & (second < ends)) for starts, ends in rounds) / COUNT)


def test_six_of_twenty_two_are_online_and_stay_so_many() -> None:
    rounds = sessions(LEVEL, 1200)
    assert online(rounds, 0) == pytest.approx(6 / 22, abs=1e-5)
    for second in range(60, 1201, 60):
        assert online(rounds, second) == pytest.approx(6 / 22, rel=0.02)


def test_everybody_is_met_within_the_longest_time_away() -> None:
    rounds = sessions(Availability(), 1200)
    first = rounds[0][0]
    assert np.count_nonzero(first <= 0) == round(COUNT * 6 / 22)
    assert 0 < np.count_nonzero(first > 800) / COUNT < 0.05
    assert first.max() <= 960
    gaps = rounds[1][0] - rounds[0][1]
    assert gaps.min() >= 1
    assert gaps.max() <= 960


def test_sessions_and_times_away_last_as_long_as_they_say() -> None:
    (starts, ends), (following, _) = (
        sessions(LEVEL, 0)[0],
        LEVEL.after(sessions(LEVEL, 0)[0][1], np.random.default_rng(2)),
    )
    away = following - ends
    assert away.mean() == pytest.approx(LEVEL.gap_s, rel=0.03)
    later = (ends - starts)[starts > 0]
    assert later.mean() == pytest.approx(LEVEL.session_s, rel=0.02)


def test_the_evening_brings_more_devices() -> None:
    curve = Availability(amplitude=0.5, start_hour=17.0)
    assert curve.activity(0) == 1.0
    assert curve.activity(3600) > 1.05
    assert online(sessions(curve, 1200), 1200) > 6 / 22 * 1.015


def test_a_seed_makes_one_curve() -> None:
    first, again, other = (sessions(Availability(), 300, seed) for seed in (5, 5, 6))
    assert all(np.array_equal(one, two) for one, two in zip(first[-1], again[-1], strict=True))
    assert not np.array_equal(first[0][1], other[0][1])
