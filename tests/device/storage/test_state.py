"""What is remembered and how it changes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.device.storage.state import PROVEN_AFTER, QUARANTINE_LIMIT, Credential, DeviceState, Installation, TaskState


def version(number: int) -> Installation:
    return Installation("camera/digits", f"{number}.0.0", f"{number:064x}", f"folder{number}", number, "token", 1.5)


def after(*runs: bool, task: TaskState) -> TaskState:
    for success in runs:
        task = task.ran(task.current.folder, success=success)
    return task


ONE, TWO, THREE = version(1), version(2), version(3)
RUNS_ONE = TaskState(current=ONE)


def test_the_version_that_worked_becomes_the_fallback():
    assert after(True, task=RUNS_ONE).installed(TWO).last_good == ONE


def test_a_version_that_was_never_run_is_a_better_fallback_than_none():
    assert RUNS_ONE.installed(TWO).last_good == ONE


def test_a_failing_version_does_not_become_the_fallback():
    task = after(False, task=after(True, task=RUNS_ONE).installed(TWO))
    assert task.installed(THREE).last_good == ONE
    worked_once = after(True, False, task=after(True, task=RUNS_ONE).installed(TWO))
    assert worked_once.installed(THREE).last_good == ONE


def test_a_version_the_cloud_takes_back_is_nothing_to_fall_back_to():
    task = after(True, True, task=after(True, task=RUNS_ONE).installed(TWO))
    rolled_back = task.installed(ONE)
    assert (rolled_back.current, rolled_back.last_good) == (ONE, ONE)
    assert not rolled_back.fallback_differs


def test_the_same_version_again_keeps_its_record():
    task = after(True, task=RUNS_ONE)
    assert task.installed(ONE).successes == 1


def test_failures_count_only_in_a_row():
    task = after(False, False, True, False, task=RUNS_ONE.installed(TWO))
    assert (task.failures, task.should_fall_back(3)) == (1, False)
    assert not after(False, task=task).should_fall_back(3)
    assert after(False, False, task=task).should_fall_back(3)


def test_without_another_version_there_is_no_falling_back():
    assert not after(*[False] * 9, task=RUNS_ONE).should_fall_back(3)


def test_a_proven_version_is_its_own_fallback():
    task = after(*[True] * PROVEN_AFTER, task=RUNS_ONE.installed(TWO))
    assert task.last_good == TWO
    assert not after(*[False] * 9, task=task).should_fall_back(3)


def test_a_late_outcome_of_another_version_changes_nothing():
    task = RUNS_ONE.installed(TWO)
    assert task.ran(ONE.folder, success=False) == task


def test_falling_back_quarantines_for_this_app_version_only():
    task = after(False, task=RUNS_ONE.installed(TWO)).fell_back("1.2.0")
    assert (task.current, task.failures) == (ONE, 0)
    assert task.is_quarantined(TWO.manifest, "1.2.0")
    assert not task.is_quarantined(TWO.manifest, "1.3.0")


def test_the_quarantine_is_bounded():
    task = TaskState(current=ONE)
    for number in range(2, 30):
        task = task.installed(version(number)).fell_back("1.0.0")
    assert len(task.quarantine) == QUARANTINE_LIMIT


def test_a_removed_task_keeps_its_quarantine():
    task = RUNS_ONE.installed(TWO).fell_back("1.2.0")
    state = DeviceState(tasks={"camera/digits": task, "shop/x": TaskState(current=THREE)})
    gone = state.without_task("camera/digits")
    assert gone.task("camera/digits").current is None
    assert gone.task("camera/digits").is_quarantined(TWO.manifest, "1.2.0")
    assert "shop/x" not in state.without_task("shop/x").tasks


def test_numbers_only_grow():
    state = DeviceState().with_number("shop", 7).with_number("shop", 3).with_number("cam", 1)
    assert state.highest == {"shop": 7, "cam": 1}


versions = st.builds(version, st.integers(1, 9))
tasks = st.builds(
    TaskState,
    current=st.none() | versions,
    last_good=st.none() | versions,
    failures=st.integers(0, 5),
    successes=st.integers(0, 10),
    quarantine=st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), max_size=3).map(tuple),
)
states = st.builds(
    DeviceState,
    highest=st.dictionaries(st.text(max_size=5), st.integers(0, 2**50)),
    tasks=st.dictionaries(st.text(max_size=5), tasks),
    credential=st.none() | st.builds(Credential, st.text(), st.text()),
    pending=st.lists(st.dictionaries(st.text(max_size=3), st.integers())).map(tuple),
)


@given(states)
def test_a_state_survives_being_written_and_read(state):
    assert DeviceState.from_dict(json.loads(json.dumps(state.to_dict()))) == state


def test_another_format_is_refused():
    with pytest.raises(ValueError, match="expected format 1, found 2"):
        DeviceState.from_dict({**DeviceState().to_dict(), "format": 2})
