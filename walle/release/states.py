"""The states of a release and the moves between them; every move is one compare-and-set with a transition row.

    draft -> simulating -> awaiting-approval -> running -> complete
                                                  (beta, then gray steps: a position within its stages)

On the way a release can be paused and resumed where it was, aborted (whoever has the version keeps it), rolled back
(nobody keeps it), rejected before any device had it, or superseded by a newer release of the task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final


class ReleaseState(StrEnum):
    DRAFT = "draft"
    SIMULATING = "simulating"
    AWAITING_APPROVAL = "awaiting-approval"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETE = "complete"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    ABORTED = "aborted"
    ROLLED_BACK = "rolled-back"


class ReleaseAction(StrEnum):
    START = "start"
    PASS = "pass"  # noqa: S105 - no password
    APPROVE = "approve"
    REJECT = "reject"
    PROMOTE = "promote"
    COMPLETE = "complete"
    PAUSE = "pause"
    RESUME = "resume"
    ABORT = "abort"
    ROLL_BACK = "roll-back"
    SUPERSEDE = "supersede"
    RESTORE = "restore"


IN_PROGRESS: Final = frozenset({ReleaseState.SIMULATING, ReleaseState.AWAITING_APPROVAL, ReleaseState.RUNNING})
"""States that proceed automatically or by an approval, and can be paused."""

UNFINISHED: Final = IN_PROGRESS | {ReleaseState.PAUSED}
"""States of a release that was started and is neither complete nor ended."""

IN_FORCE: Final = frozenset({ReleaseState.RUNNING, ReleaseState.PAUSED, ReleaseState.COMPLETE})
"""States in which a release that has reached devices decides about their versions."""

ENDED: Final = frozenset(
    {ReleaseState.REJECTED, ReleaseState.SUPERSEDED, ReleaseState.ABORTED, ReleaseState.ROLLED_BACK}
)
"""Final states; left only for a stricter one, or to restore a superseded release."""

_SOURCES: Final[Mapping[ReleaseAction, frozenset[ReleaseState]]] = {
    ReleaseAction.START: frozenset({ReleaseState.DRAFT}),
    ReleaseAction.PASS: frozenset({ReleaseState.SIMULATING}),
    ReleaseAction.APPROVE: frozenset({ReleaseState.AWAITING_APPROVAL}),
    ReleaseAction.REJECT: frozenset({ReleaseState.SIMULATING, ReleaseState.AWAITING_APPROVAL}),
    ReleaseAction.PROMOTE: frozenset({ReleaseState.RUNNING}),
    ReleaseAction.COMPLETE: frozenset({ReleaseState.RUNNING}),
    ReleaseAction.PAUSE: IN_PROGRESS,
    ReleaseAction.RESUME: frozenset({ReleaseState.PAUSED}),
    ReleaseAction.ABORT: UNFINISHED | {ReleaseState.DRAFT},
    ReleaseAction.ROLL_BACK: UNFINISHED | {ReleaseState.COMPLETE, ReleaseState.ABORTED, ReleaseState.SUPERSEDED},
    ReleaseAction.SUPERSEDE: UNFINISHED | {ReleaseState.COMPLETE, ReleaseState.ABORTED},
    ReleaseAction.RESTORE: frozenset({ReleaseState.SUPERSEDED}),
}


RESTS: Final = frozenset({ReleaseState.COMPLETE, ReleaseState.ABORTED, ReleaseState.SUPERSEDED})
"""States that a release stays in, from which it can be rolled back: nothing is under way that would be halted."""


class MoveRefused(ValueError):
    """The action is not possible in this state."""


@dataclass(frozen=True)
class ReleasePosition:
    """The position of a release: its state, its present or last stage, and the state that a pause resumes.

    `position` counts the stages from 0; None before the first one.
    """

    state: ReleaseState = ReleaseState.DRAFT
    position: int | None = None
    resumes: ReleaseState | None = None


@dataclass(frozen=True)
class StageOutline:
    """The steps of a release that its strategy demands."""

    stages: int
    simulation: bool = True
    approval: bool = False


def move(current: ReleasePosition, action: ReleaseAction, outline: StageOutline) -> ReleasePosition:
    """Return the position after an action; raises MoveRefused, which names the states that allow it."""
    sources = _SOURCES[action]
    if current.state not in sources:
        possible = ", ".join(sorted(sources))
        raise MoveRefused(f"cannot {action} a release that is {current.state}: expected {possible}")
    return _TARGETS[action](current, outline)


def needs_reason(state: ReleaseState, action: ReleaseAction) -> bool:
    """Return whether a person has to say why: to halt what is under way must be quick, to undo what rests must not."""
    if action == ReleaseAction.ROLL_BACK:
        return state in RESTS
    return action == ReleaseAction.RESUME and state == ReleaseState.PAUSED


def _started(_current: ReleasePosition, outline: StageOutline) -> ReleasePosition:
    return ReleasePosition(ReleaseState.SIMULATING) if outline.simulation else _simulated(_current, outline)


def _simulated(_current: ReleasePosition, outline: StageOutline) -> ReleasePosition:
    return (
        ReleasePosition(ReleaseState.AWAITING_APPROVAL)
        if outline.approval
        else ReleasePosition(ReleaseState.RUNNING, 0)
    )


def _approved(_current: ReleasePosition, _outline: StageOutline) -> ReleasePosition:
    return ReleasePosition(ReleaseState.RUNNING, 0)


def _promoted(current: ReleasePosition, outline: StageOutline) -> ReleasePosition:
    """Return the position in the next stage; raises MoveRefused in the last stage."""
    following = (current.position or 0) + 1
    if following >= outline.stages:
        raise MoveRefused("cannot promote a release from its last stage: expected to complete it")
    return ReleasePosition(ReleaseState.RUNNING, following)


def _completed(_current: ReleasePosition, outline: StageOutline) -> ReleasePosition:
    return ReleasePosition(ReleaseState.COMPLETE, outline.stages - 1)


def _paused(current: ReleasePosition, _outline: StageOutline) -> ReleasePosition:
    return replace(current, state=ReleaseState.PAUSED, resumes=current.state)


def _resumed(current: ReleasePosition, _outline: StageOutline) -> ReleasePosition:
    return ReleasePosition(current.resumes or ReleaseState.RUNNING, current.position)


def _ended(state: ReleaseState) -> Callable[[ReleasePosition, StageOutline], ReleasePosition]:
    return lambda current, _outline: ReleasePosition(state, current.position)


_TARGETS: Final[Mapping[ReleaseAction, Callable[[ReleasePosition, StageOutline], ReleasePosition]]] = {
    ReleaseAction.START: _started,
    ReleaseAction.PASS: _simulated,
    ReleaseAction.APPROVE: _approved,
    ReleaseAction.PROMOTE: _promoted,
    ReleaseAction.COMPLETE: _completed,
    ReleaseAction.RESTORE: _completed,
    ReleaseAction.PAUSE: _paused,
    ReleaseAction.RESUME: _resumed,
    ReleaseAction.REJECT: _ended(ReleaseState.REJECTED),
    ReleaseAction.ABORT: _ended(ReleaseState.ABORTED),
    ReleaseAction.ROLL_BACK: _ended(ReleaseState.ROLLED_BACK),
    ReleaseAction.SUPERSEDE: _ended(ReleaseState.SUPERSEDED),
}
