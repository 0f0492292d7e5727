"""Comparing the arms: stage by stage, at several points of a distribution, and rarely wrong."""

from __future__ import annotations

import random
from dataclasses import replace
from math import log

import pytest

from walle.release.comparison import compare
from walle.release.evidence import ArmCounts, Baseline, Evidence, StageArms
from walle.release.finding import ALPHAS
from walle.release.grid import RUN_TIMES, VALUES
from walle.release.limits import Limits
from walle.release.verdict import VerdictKind, judge

LIMITS = Limits()
BASELINE = Baseline(100.0, None, "confidence", 0.5, (60, 75, 85, 150, 200), (), (0.1, 0.3, 0.7, 0.9))
STAGES = 3


def arm(
    devices: int, failed: int = 0, *, slower: dict[str, int] | None = None, low: dict[str, int] | None = None
) -> ArmCounts:
    """An arm whose devices did as before: with a distribution of run times and of the metric as it was."""
    beyond = {f"slower{point.suffix}": round(point.share * devices) for point in RUN_TIMES}
    below = {f"low{point.suffix}": round(point.share * devices) for point in VALUES}
    counts = {"drawn": devices, "reported": devices, "timed": devices, "measured": devices, "failed": failed}
    return ArmCounts(**{**counts, **beyond, **below, **(slower or {}), **(low or {})})


def evidence(*stages: tuple[ArmCounts, ArmCounts], patient: bool = False) -> Evidence:
    """Stages of a release; of control, the first outcome of each device counts in the release as a whole."""
    treatment = {name: sum(vars(new)[name] for new, _ in stages) for name in vars(stages[0][0])}
    pairs = tuple(StageArms(*pair) for pair in stages)
    whole = ArmCounts(**treatment), stages[0][1]
    return Evidence(*whole, baseline=BASELINE, stages=pairs, compared=STAGES, patient=patient)


def objections(found: Evidence) -> set[str]:
    return {finding.test for finding in compare(found, LIMITS) if finding.objects}


@pytest.mark.parametrize(
    ("slower", "low"),
    [
        ({"slower_99": 140}, {}),  # the tail alone
        ({"slower_50": 1400}, {}),  # the middle alone
        ({"slower": 330, "slower_95": 230, "slower_99": 210}, {}),  # a tenth of the devices is slow
        ({}, {"low_5": 500}),
        ({}, {"low_95": 1500}),
    ],
)
def test_a_shift_of_any_part_of_a_distribution_is_found(slower: dict[str, int], low: dict[str, int]) -> None:
    shifted = arm(2000, slower=slower, low=low)
    assert objections(evidence((shifted, arm(2000)))) == ({"slowdown"} if slower else {"drift"})
    single = replace(evidence((shifted, arm(2000))), baseline=Baseline(100.0, None, "confidence", 0.5))
    if "slower" not in slower:
        assert objections(single) == set()
    assert objections(evidence((arm(2000), arm(2000)))) == set()


def test_the_sentence_is_about_the_point_where_the_arms_are_furthest_apart() -> None:
    found = {
        each.test: each.sentence
        for each in compare(evidence((arm(2000, slower={"slower_99": 140}), arm(2000))), LIMITS)
    }
    assert found["slowdown"] == (
        "140 of 2000 devices took longer than 200 ms (7 %), against 20 of 2000 (1 %) in the control group"
    )
    assert found["drift"].startswith("1000 of 2000 devices had a confidence below 0.5")


def test_an_outage_that_harms_both_arms_of_a_later_stage_is_not_blamed_on_the_version() -> None:
    found = evidence((arm(200, 1), arm(100, 1)), (arm(300, 90), arm(100, 30)), patient=True)
    verdict = judge(found, LIMITS, 10)
    assert verdict.kind is VerdictKind.ERROR
    assert "so did 30 of 100 (30 %) in the control group" in verdict.sentence
    assert objections(found) == set()
    assert judge(replace(found, stages=()), LIMITS, 10).kind is VerdictKind.FAIL, (
        "by the first outcomes of control alone"
    )


def test_who_fails_only_lately_waits_for_control_and_is_told_apart() -> None:
    before = arm(200, 1), arm(100, 1)

    def verdict(control: ArmCounts, *, patient: bool = True) -> tuple[VerdictKind, str]:
        found = judge(evidence(before, (arm(300, 90), control), patient=patient), LIMITS, 10)
        return found.kind, found.sentence

    kind, sentence = verdict(arm(3))
    assert kind is VerdictKind.ERROR
    assert "in this stage alone, and the control group has not reported enough there to tell an outage" in sentence
    assert verdict(arm(8, 1))[0] is VerdictKind.ERROR
    assert verdict(arm(13))[0] is VerdictKind.FAIL, "none of thirteen is twenty times as likely without an outage"
    kind, sentence = verdict(arm(12, 3))
    assert kind is VerdictKind.ERROR
    assert "so did 3 of 12 (25 %) in the control group" in sentence
    assert verdict(arm(3), patient=False)[0] is VerdictKind.FAIL, "it does not wait for ever"
    at_once = evidence((arm(300, 90), arm(3)), patient=True)
    assert judge(at_once, LIMITS, 10).kind is VerdictKind.FAIL, "both arms report from the first stage on"
    known = evidence((arm(200, 30), arm(100, 1)), (arm(300, 90), arm(3)), patient=True)
    assert judge(known, LIMITS, 10).kind is VerdictKind.FAIL, "it failed before"


def test_stages_together_are_hardly_ever_wrong_even_if_the_same_devices_of_control_fail_in_each() -> None:
    """Sound releases, judged after every ten reports: control fails as often as treatment, but always the same."""
    draw, wrong, releases = random.Random(2022), 0, 120
    for _ in range(releases):
        pairs: list[tuple[ArmCounts, ArmCounts]] = []
        fails = [draw.random() < 0.05 for _ in range(60)]
        bad = False
        for _stage in range(STAGES):
            for size in range(10, 310, 60):
                treatment = sum(draw.random() < 0.05 for _ in range(size))
                heard = min(60, size)
                pair = arm(size, treatment), arm(heard, sum(fails[:heard]))
                bad |= "control" in objections(evidence(*pairs, pair))
            pairs.append(pair)
        wrong += bad
    assert wrong <= releases * 2 * ALPHAS["control"]


def test_stages_that_have_not_begun_are_neither_for_nor_against_the_version() -> None:
    one = evidence((arm(500, 30), arm(500, 2)))
    (alone, *_), (with_others, *_) = compare(replace(one, compared=1), LIMITS), compare(one, LIMITS)
    assert alone.log_evidence - log(STAGES) == pytest.approx(with_others.log_evidence, abs=1e-3)
