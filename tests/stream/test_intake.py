"""The clock of a session, whatever is done to the device's clock."""

from hypothesis import given
from hypothesis import strategies as st

from walle.stream.intake import SESSION_IDLE_S, STEP_S, ClockReading, SessionClock

NOW = 1_790_000_000.0


def test_without_steps_the_time_is_the_devices():
    clock = SessionClock()
    assert clock.time_of(NOW - 2, ClockReading(NOW, 50.0)) == NOW - 2
    assert clock.time_of(NOW + 10, ClockReading(NOW + 10 + STEP_S / 2, 60.0)) == NOW + 10
    assert (clock.steps, clock.sessions) == (0, 1)


def test_an_event_has_not_happened_after_it_was_reported():
    assert SessionClock().time_of(NOW + 30, ClockReading(NOW, 50.0)) == NOW


def test_a_step_forward_and_one_back_are_taken_out():
    clock = SessionClock()
    clock.time_of(NOW, ClockReading(NOW, 50.0))
    assert clock.time_of(NOW + 3601, ClockReading(NOW + 3601, 51.0)) == NOW + 1
    assert clock.time_of(NOW + 3601.5, ClockReading(NOW + 3602, 52.0)) == NOW + 1.5
    assert clock.time_of(NOW - 7197, ClockReading(NOW - 7197, 53.0)) == NOW + 3
    assert (clock.steps, clock.sessions) == (2, 1)


def test_after_half_an_hour_without_events_a_session_begins_by_the_devices_clock():
    clock = SessionClock()
    clock.time_of(NOW, ClockReading(NOW, 50.0))
    clock.time_of(NOW + 3601, ClockReading(NOW + 3601, 51.0))
    later = ClockReading(NOW + 9000, 51.0 + SESSION_IDLE_S)
    assert clock.time_of(NOW + 9000, later) == NOW + 9000
    assert (clock.steps, clock.sessions) == (1, 2)


seconds = st.floats(0.0, SESSION_IDLE_S - 1)
# Steps as long as what the clocks may differ unnoticed are a matter of rounding.
steps = st.just(0.0) | st.floats(-1e9, 1e9).filter(lambda step: abs(abs(step) - STEP_S) > 1e-3)


@given(st.lists(st.tuples(seconds, steps), max_size=30))
def test_times_of_a_session_go_on_as_the_monotonic_clock_does(passed):
    """Each step is taken out but for what the clocks may differ unnoticed."""
    clock = SessionClock()
    wall, monotonic = NOW, 7.0
    times = [clock.time_of(wall, ClockReading(wall, monotonic))]
    for elapsed, step in passed:
        wall, monotonic = wall + elapsed + step, monotonic + elapsed
        times.append(clock.time_of(wall, ClockReading(wall, monotonic)))
        assert abs(times[-1] - times[-2] - elapsed) <= STEP_S + 1e-3
    assert clock.steps == sum(abs(step) > STEP_S for _, step in passed)
