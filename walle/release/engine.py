"""Decide the next move of a release from its verdict and its clock."""

from __future__ import annotations

from dataclasses import dataclass

from walle.release.evidence import TriggerWait
from walle.release.states import ReleaseAction
from walle.release.strategy import Strategy
from walle.release.subjects import DEVICES, Subjects
from walle.release.verdict import Verdict, VerdictKind, waiting


@dataclass(frozen=True)
class StageProgress:
    """Progress of the present stage: its position, seconds on its clock, and how many of its devices have reported.

    `reported` are established devices, the only ones that a stage can pass on; `new` are the others. `trigger` says
    what the devices of a stream task wait for. `subjects` are what they are called.
    """

    position: int
    seconds: float
    reported: int
    new: int = 0
    trigger: TriggerWait | None = None
    subjects: Subjects = DEVICES


@dataclass(frozen=True)
class Step:
    """The next move and its reason; without an action, the release waits."""

    action: ReleaseAction | None
    reason: str


def next_step(strategy: Strategy, progress: StageProgress, verdict: Verdict) -> Step:
    """Return the next move of a running release.

    A stage passes once its soak time is over, its minimum samples have been reported and all tests pass. Without a
    verdict at the end of the grace period the release pauses: it is never promoted without one (release lesson 4).
    """
    stage = strategy.stages[progress.position]
    if verdict.kind == VerdictKind.FAIL:
        return Step(ReleaseAction.ROLL_BACK, verdict.sentence)
    if verdict.kind == VerdictKind.ERROR:
        return Step(ReleaseAction.PAUSE, verdict.sentence)
    if progress.seconds < stage.dwell_s:
        return Step(None, f"soak time of {stage.dwell_s:g} s, {stage.dwell_s - progress.seconds:.0f} s are left")
    enough = progress.reported >= stage.evidence
    if enough and verdict.kind == VerdictKind.PASS:
        last = progress.position == len(strategy.stages) - 1
        return Step(ReleaseAction.COMPLETE if last else ReleaseAction.PROMOTE, verdict.sentence)
    missing = verdict.kind == VerdictKind.PASS and not enough
    awaited = (progress.reported, stage.evidence, progress.new, progress.trigger, progress.subjects)
    reason = waiting(*awaited) if missing else verdict.sentence
    if progress.seconds < stage.dwell_s + strategy.grace_s:
        return Step(None, reason)
    return Step(ReleaseAction.PAUSE, f"no verdict within {strategy.grace_s:g} s after the soak time: {reason}")
