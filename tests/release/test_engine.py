"""What a release does next: every kind of verdict at every moment of a stage."""

from __future__ import annotations

from dataclasses import replace

import pytest

from walle.release.engine import StageProgress, next_move
from walle.release.evidence import TriggerWait
from walle.release.findings import Finding
from walle.release.states import ReleaseAction
from walle.release.strategy import Strategy
from walle.release.subjects import CALLERS
from walle.release.verdict import Verdict, VerdictKind

K, A = VerdictKind, ReleaseAction
STRATEGY = Strategy.from_dict(
    {
        "grace_s": 60,
        "stages": [
            {"kind": "gray", "percent": 10, "dwell_s": 30, "evidence": 20},
            {"kind": "gray", "percent": 100, "dwell_s": 30, "evidence": 20},
        ],
    }
)


@pytest.mark.parametrize(
    ("kind", "position", "seconds", "reported", "action"),
    [
        (K.FAIL, 0, 0, 0, A.ROLL_BACK),
        (K.FAIL, 1, 1000, 1000, A.ROLL_BACK),
        (K.ERROR, 0, 0, 1000, A.PAUSE),
        (K.PASS, 0, 29.9, 1000, None),
        (K.PASS, 0, 30, 20, A.PROMOTE),
        (K.PASS, 0, 30, 19, None),
        (K.PASS, 0, 90, 19, A.PAUSE),
        (K.PASS, 1, 30, 20, A.COMPLETE),
        (K.INCONCLUSIVE, 0, 30, 1000, None),
        (K.INCONCLUSIVE, 0, 89.9, 1000, None),
        (K.INCONCLUSIVE, 0, 90, 1000, A.PAUSE),
        (K.INCONCLUSIVE, 1, 90, 0, A.PAUSE),
    ],
)
def test_the_next_step(
    kind: VerdictKind, position: int, seconds: float, reported: int, action: ReleaseAction | None
) -> None:
    step = next_move(STRATEGY, StageProgress(position, seconds, reported), Verdict(kind, "because", ()))
    assert step.action == action
    assert step.reason


def test_new_devices_do_not_make_up_for_established_ones() -> None:
    step = next_move(STRATEGY, StageProgress(0, 40, 3, new=60), Verdict(K.PASS, "fine", ()))
    assert (step.action, step.reason) == (
        None, "3 of the 20 devices needed have reported; 60 more are new, and nobody vouches for them"
    )  # fmt: skip


def test_callers_of_a_pipeline_are_waited_for_as_such() -> None:
    step = next_move(STRATEGY, StageProgress(0, 40, 3, subjects=CALLERS), Verdict(K.PASS, "fine", ()))
    assert step.reason == "3 of the 20 callers needed have reported"


def test_a_stage_says_that_the_condition_has_not_occurred() -> None:
    progress = StageProgress(0, 90, 3, trigger=TriggerWait(("login",), installed=30, awaiting=25))
    step = next_move(STRATEGY, progress, Verdict(K.PASS, "fine", ()))
    assert (step.action, step.reason) == (
        A.PAUSE,
        "no verdict within 60 s after the soak time: 3 of the 20 devices needed have reported; 30 devices have "
        "installed it; the condition login has not occurred on 25 of them yet",
    )


def test_too_little_evidence_is_told_as_such() -> None:
    step = next_move(STRATEGY, StageProgress(0, 40, 3), Verdict(K.PASS, "fine", ()))
    assert step.reason == "3 of the 20 devices needed have reported"


@pytest.mark.parametrize(
    ("reported", "put_off", "seconds", "findings", "action"),
    [
        (16, 7, 91, (), None),
        (16, 7, 30 + 60 + 3599, (), None),
        (16, 7, 30 + 60 + 3600, (), A.PAUSE),
        (16, 3, 91, (), A.PAUSE),
        (16, 7, 91, (Finding("limit", 3.0, 5.0, False, "3 failed", leans=True),), A.PAUSE),
    ],
    ids=["they would do", "as long as they may", "no longer", "too few of them", "a test is suspicious"],
)
def test_a_stage_waits_for_devices_that_put_the_version_off(
    reported: int, put_off: int, seconds: float, findings: tuple[Finding, ...], action: ReleaseAction | None
) -> None:
    strategy = replace(STRATEGY, defer_s=3600.0)
    kind = K.INCONCLUSIVE if findings else K.PASS
    step = next_move(strategy, StageProgress(0, seconds, reported, put_off=put_off), Verdict(kind, "why", findings))
    assert step.action == action
    assert f"{put_off} devices put it off for now" in step.reason
