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
    what the devices of a stream task wait for. `subjects` are what they are called. `put_off` are the established
    devices of the stage that have put the version off for now.
    """

    position: int
    seconds: float
    reported: int
    new: int = 0
    trigger: TriggerWait | None = None
    subjects: Subjects = DEVICES
    put_off: int = 0


@dataclass(frozen=True)
class NextMove:
    """The next move and its reason; without an action, the release waits."""

    action: ReleaseAction | None
    reason: str


def next_move(strategy: Strategy, progress: StageProgress, verdict: Verdict) -> NextMove:
    """Return the next move of a running release.

    A stage passes once its soak time is over, its minimum samples have been reported and all tests pass. Without a
    verdict at the end of the grace period the release pauses: it is never promoted without one (release lesson 4). It
    does not pause while it only lacks reports of devices that put the version off, for as long as they may.
    """
    stage = strategy.stages[progress.position]
    if verdict.kind == VerdictKind.FAIL:
        return NextMove(ReleaseAction.ROLL_BACK, verdict.sentence)
    if verdict.kind == VerdictKind.ERROR:
        return NextMove(ReleaseAction.PAUSE, verdict.sentence)
    if progress.seconds < stage.dwell_s:
        return NextMove(None, f"soak time of {stage.dwell_s:g} s, {stage.dwell_s - progress.seconds:.0f} s are left")
    enough = progress.reported >= stage.evidence
    if enough and verdict.kind == VerdictKind.PASS:
        last = progress.position == len(strategy.stages) - 1
        return NextMove(ReleaseAction.COMPLETE if last else ReleaseAction.PROMOTE, verdict.sentence)
    missing = verdict.kind == VerdictKind.PASS and not enough
    awaited = (progress.reported, stage.evidence, progress.new, progress.trigger, progress.subjects)
    reason = waiting(*awaited) if missing else verdict.sentence
    if not enough and progress.put_off:
        reason = f"{reason}; {put_off_text(progress.put_off, progress.subjects)}"
    deferral = deferral_wait_s(strategy, progress.position, reported=progress.reported, put_off=progress.put_off)
    if any(finding.suspicious for finding in verdict.findings):
        deferral = 0.0
    if progress.seconds < stage.dwell_s + strategy.grace_s + deferral:
        return NextMove(None, reason)
    return NextMove(ReleaseAction.PAUSE, f"no verdict within {strategy.grace_s:g} s after the soak time: {reason}")


def deferral_wait_s(strategy: Strategy, position: int, *, reported: int, put_off: int) -> float:
    """Return for how many seconds beyond the grace period a stage waits for devices that put the version off; 0 if even
    their reports would not reach the minimum samples.
    """
    needed = strategy.stages[position].evidence
    return strategy.defer_s if reported < needed <= reported + put_off else 0.0


def put_off_text(count: int, subjects: Subjects = DEVICES) -> str:
    """Say how many devices put the version off."""
    whom = f"1 {subjects.one} puts" if count == 1 else f"{count} {subjects.many} put"
    return f"{whom} it off for now"
