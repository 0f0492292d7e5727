"""The states of a release: every action from every state, and any sequence of them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from walle.release.states import (
    ENDED,
    IN_PROGRESS,
    UNFINISHED,
    MoveRefused,
    ReleaseAction,
    ReleasePosition,
    ReleaseState,
    StageOutline,
    move,
)

A, S = ReleaseAction, ReleaseState
PLAIN = StageOutline(3, simulation=False)
COMPLETE = StageOutline(3, simulation=True, approval=True)

MOVES: dict[tuple[ReleaseState, ReleaseAction], ReleaseState] = {
    (S.DRAFT, A.START): S.SIMULATING,
    (S.DRAFT, A.ABORT): S.ABORTED,
    (S.SIMULATING, A.PASS): S.AWAITING_APPROVAL,
    (S.SIMULATING, A.REJECT): S.REJECTED,
    (S.AWAITING_APPROVAL, A.APPROVE): S.RUNNING,
    (S.AWAITING_APPROVAL, A.REJECT): S.REJECTED,
    (S.RUNNING, A.PROMOTE): S.RUNNING,
    (S.RUNNING, A.COMPLETE): S.COMPLETE,
    (S.PAUSED, A.RESUME): S.RUNNING,
    (S.SUPERSEDED, A.RESTORE): S.COMPLETE,
    **{(state, A.PAUSE): S.PAUSED for state in IN_PROGRESS},
    **{(state, A.ABORT): S.ABORTED for state in UNFINISHED},
    **{(state, A.ROLL_BACK): S.ROLLED_BACK for state in UNFINISHED | {S.COMPLETE, S.ABORTED, S.SUPERSEDED}},
    **{(state, A.SUPERSEDE): S.SUPERSEDED for state in UNFINISHED | {S.COMPLETE, S.ABORTED}},
}


@pytest.mark.parametrize("action", ReleaseAction)
@pytest.mark.parametrize("state", ReleaseState)
def test_every_action_from_every_state(state: ReleaseState, action: ReleaseAction) -> None:
    current = ReleasePosition(state, 1)
    wanted = MOVES.get((state, action))
    if wanted is not None:
        assert move(current, action, COMPLETE).state is wanted
        return
    with pytest.raises(MoveRefused, match=f"cannot {action} a release that is {state}: expected "):
        move(current, action, COMPLETE)


def test_a_course_leaves_out_what_it_does_not_ask_for() -> None:
    assert move(ReleasePosition(), A.START, PLAIN) == ReleasePosition(S.RUNNING, 0)
    assert (
        move(ReleasePosition(), A.START, StageOutline(3, approval=True, simulation=False)).state is S.AWAITING_APPROVAL
    )
    assert move(ReleasePosition(S.SIMULATING), A.PASS, StageOutline(3)) == ReleasePosition(S.RUNNING, 0)


def test_the_last_stage_is_followed_by_completion_only() -> None:
    with pytest.raises(MoveRefused, match="expected to complete it"):
        move(ReleasePosition(S.RUNNING, 2), A.PROMOTE, PLAIN)
    assert move(ReleasePosition(S.RUNNING, 0), A.COMPLETE, PLAIN) == ReleasePosition(S.COMPLETE, 2)


@pytest.mark.parametrize("state", sorted(IN_PROGRESS))
def test_a_pause_resumes_where_it_began(state: ReleaseState) -> None:
    before = ReleasePosition(state, 1 if state is S.RUNNING else None)
    assert move(move(before, A.PAUSE, COMPLETE), A.RESUME, COMPLETE) == before


class Machine(RuleBasedStateMachine):
    """One release under any sequence of actions, refused ones included."""

    @initialize(course=st.builds(StageOutline, st.integers(1, 4), st.booleans(), st.booleans()))
    def begin(self, course: StageOutline) -> None:
        self.course = course
        self.path = [(A.START, ReleasePosition())]

    @rule(action=st.sampled_from(ReleaseAction))
    def act(self, action: ReleaseAction) -> None:
        try:
            after = move(self.path[-1][1], action, self.course)
        except MoveRefused:
            return
        assert after != self.path[-1][1]
        self.path.append((action, after))

    @invariant()
    def ends_are_left_only_by_a_restoration_or_for_something_stricter(self) -> None:
        for (_, before), (action, _) in pairwise(self.path):
            if before.state in ENDED:
                assert action in {A.RESTORE, A.SUPERSEDE, A.ROLL_BACK}
            assert action is not A.START or before.state is S.DRAFT

    @invariant()
    def stages_come_one_after_the_other(self) -> None:
        positions = [current.position for _, current in self.path]
        for (before, after), (action, _) in zip(pairwise(positions), self.path[1:], strict=True):
            if after != before and action not in (A.COMPLETE, A.RESTORE):
                assert after == (0 if before is None else before + 1)

    @invariant()
    def no_device_is_met_before_simulation_and_approval(self) -> None:
        actions = {action for action, _ in self.path[1:]}
        if any(current.state is S.RUNNING for _, current in self.path):
            assert not self.course.simulation or A.PASS in actions
            assert not self.course.approval or A.APPROVE in actions

    @invariant()
    def a_running_release_is_in_one_of_its_stages(self) -> None:
        current = self.path[-1][1]
        if current.state in (S.RUNNING, S.COMPLETE):
            assert current.position in range(self.course.stages)
        assert (current.resumes is not None) == (current.state is S.PAUSED)


Machine.TestCase.settings = settings(max_examples=100, stateful_step_count=20)
TestMachine = Machine.TestCase


def test_a_simulation_that_passes_is_followed_by_the_approval_that_is_asked_for() -> None:
    simulating = ReleasePosition(ReleaseState.SIMULATING)
    for approval, after in ((True, ReleaseState.AWAITING_APPROVAL), (False, ReleaseState.RUNNING)):
        assert move(simulating, ReleaseAction.PASS, StageOutline(2, simulation=True, approval=approval)).state == after
