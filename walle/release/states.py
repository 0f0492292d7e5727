"""The states of a release and the moves between them; every move is one compare-and-set with a transition row.

Stages of the whole engine (simulation, beta, gray steps) slot in between draft and complete; the uniform policy
has a single one, `full`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class ReleaseState(StrEnum):
    DRAFT = "draft"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETE = "complete"
    SUPERSEDED = "superseded"
    ABORTED = "aborted"


class ReleaseAction(StrEnum):
    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    COMPLETE = "complete"
    SUPERSEDE = "supersede"
    ABORT = "abort"


_MOVES: Final[Mapping[ReleaseAction, tuple[frozenset[ReleaseState], ReleaseState]]] = {
    ReleaseAction.START: (frozenset({ReleaseState.DRAFT}), ReleaseState.RUNNING),
    ReleaseAction.PAUSE: (frozenset({ReleaseState.RUNNING}), ReleaseState.PAUSED),
    ReleaseAction.RESUME: (frozenset({ReleaseState.PAUSED}), ReleaseState.RUNNING),
    ReleaseAction.COMPLETE: (frozenset({ReleaseState.RUNNING}), ReleaseState.COMPLETE),
    ReleaseAction.SUPERSEDE: (
        frozenset({ReleaseState.RUNNING, ReleaseState.PAUSED, ReleaseState.COMPLETE}),
        ReleaseState.SUPERSEDED,
    ),
    ReleaseAction.ABORT: (
        frozenset({ReleaseState.DRAFT, ReleaseState.RUNNING, ReleaseState.PAUSED}),
        ReleaseState.ABORTED,
    ),
}

OFFERING: Final = frozenset({ReleaseState.RUNNING, ReleaseState.COMPLETE})
"""States in which eligible devices are offered the version; a complete release still serves latecomers."""

LIVE: Final = OFFERING | {ReleaseState.PAUSED}
"""States that hold a task's place: at most one release of a task and app is live, and a newer one supersedes it."""


class MoveRefused(ValueError):
    """The action is not possible from this state."""


def move(state: ReleaseState, action: ReleaseAction) -> ReleaseState:
    """The state that an action leads to; raises MoveRefused saying from where it would be possible."""
    sources, target = _MOVES[action]
    if state not in sources:
        possible = ", ".join(sorted(sources))
        raise MoveRefused(f"cannot {action} a release that is {state}: expected {possible}")
    return target
