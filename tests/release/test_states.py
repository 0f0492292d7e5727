"""The states of a release: every action from every state, and any sequence of them."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from walle.release.states import LIVE, OFFERING, MoveRefused, ReleaseAction, ReleaseState, move

A, S = ReleaseAction, ReleaseState
MOVES: dict[tuple[ReleaseState, ReleaseAction], ReleaseState] = {
    (S.DRAFT, A.START): S.RUNNING,
    (S.DRAFT, A.ABORT): S.ABORTED,
    (S.RUNNING, A.PAUSE): S.PAUSED,
    (S.RUNNING, A.COMPLETE): S.COMPLETE,
    (S.RUNNING, A.SUPERSEDE): S.SUPERSEDED,
    (S.RUNNING, A.ABORT): S.ABORTED,
    (S.PAUSED, A.RESUME): S.RUNNING,
    (S.PAUSED, A.SUPERSEDE): S.SUPERSEDED,
    (S.PAUSED, A.ABORT): S.ABORTED,
    (S.COMPLETE, A.SUPERSEDE): S.SUPERSEDED,
}
FINAL = {S.SUPERSEDED, S.ABORTED}


@pytest.mark.parametrize("action", ReleaseAction)
@pytest.mark.parametrize("state", ReleaseState)
def test_every_action_from_every_state(state: ReleaseState, action: ReleaseAction) -> None:
    wanted = MOVES.get((state, action))
    if wanted is not None:
        assert move(state, action) is wanted
        return
    with pytest.raises(MoveRefused, match=f"cannot {action} a release that is {state}: expected "):
        move(state, action)


def test_offering_is_part_of_live() -> None:
    assert OFFERING < LIVE
    assert {S.PAUSED} == LIVE - OFFERING
    assert not LIVE & FINAL


class Machine(RuleBasedStateMachine):
    """One release under any sequence of actions, refused ones included."""

    @initialize()
    def begin(self) -> None:
        self.state = S.DRAFT
        self.path = [S.DRAFT]

    @rule(action=st.sampled_from(ReleaseAction))
    def act(self, action: ReleaseAction) -> None:
        try:
            after = move(self.state, action)
        except MoveRefused:
            return
        assert after is not self.state
        self.state = after
        self.path.append(after)

    @invariant()
    def ends_stay_ended_and_beginnings_do_not_come_back(self) -> None:
        assert not FINAL & set(self.path[:-1])
        assert S.DRAFT not in self.path[1:]

    @invariant()
    def nothing_is_offered_that_was_not_started(self) -> None:
        if self.state in OFFERING:
            assert self.path[1] is S.RUNNING

    @invariant()
    def a_complete_release_only_ever_gives_way_to_a_newer_one(self) -> None:
        if S.COMPLETE in self.path[:-1]:
            assert self.path[self.path.index(S.COMPLETE) :] == [S.COMPLETE, S.SUPERSEDED]


Machine.TestCase.settings = settings(max_examples=60, stateful_step_count=15)
TestMachine = Machine.TestCase
