"""Verdicts: one table of cases, what objections are blamed on the version, and JSON both ways."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.release.cohort import BUCKETS
from walle.release.evidence import (
    ArmCounts,
    Baseline,
    CloudFailures,
    Evidence,
    NewDevices,
    SampleRatio,
    TriggerWait,
    condition_text,
)
from walle.release.finding import ALPHA, ALPHAS, Finding
from walle.release.findings import CLOUD, NEW_FAILURES, RATIO, SURGE, failure_bounds
from walle.release.limits import Limits, LimitsMalformed
from walle.release.verdict import Verdict, VerdictKind, judge

PASS, FAIL, ERROR, INCONCLUSIVE = VerdictKind.PASS, VerdictKind.FAIL, VerdictKind.ERROR, VerdictKind.INCONCLUSIVE
BASELINE = Baseline(latency_ms=120.0, metric="confidence", median=0.93)
HEALTHY = ArmCounts(
    drawn=1100,
    offered=1100,
    reported=1000,
    failed=8,
    due=1000,
    silent=30,
    timed=1000,
    slow=70,
    slower=100,
    measured=900,
    low=450,
)
HELD_BACK = replace(HEALTHY, offered=0)
PLANNED = SampleRatio(treatment=1000, control=1000, treatment_share=50_000, control_share=50_000)
LIMITS = Limits(latency_ms=200.0)


def evidence(control: ArmCounts | None = HELD_BACK, ratio: SampleRatio | None = PLANNED, **counts: int) -> Evidence:
    """A healthy release but for what is said."""
    return Evidence(replace(HEALTHY, **counts), control, ratio if control else None, BASELINE)


def warm(control: ArmCounts = HELD_BACK, **counts: int) -> Evidence:
    """A healthy release of a task whose warm runs took up to 10 ms before it."""
    return replace(evidence(control, **counts), baseline=replace(BASELINE, warm_latency_ms=10.0))


def test_what_a_stream_task_waits_for_is_told() -> None:
    trigger = TriggerWait(("page_exit:item",), installed=412, awaiting=180, quiet=7)
    verdict = judge(replace(evidence(reported=12, failed=0), trigger=trigger), LIMITS, 20)
    assert verdict.kind == INCONCLUSIVE
    assert verdict.sentence == (
        "12 of the 20 devices needed have reported; 412 devices have installed it; the condition page_exit:item has "
        "not occurred on 180 of them yet, and 7 have not checked in lately"
    )


@pytest.mark.parametrize(
    ("trigger", "text"),
    [
        (TriggerWait(("a",), 5), ""),
        (
            TriggerWait(("a", "b"), 5, 2),
            "5 devices have installed it; the condition a, then b has not occurred on 2 of them yet",
        ),
        (TriggerWait(("a",), 5, 0, 3), "5 devices have installed it; 3 of them have not checked in lately"),
        (TriggerWait(("a",), 1, 1), "1 device has installed it; the condition a has not occurred on it yet"),
    ],
)
def test_who_is_waited_for(trigger: TriggerWait, text: str) -> None:
    assert trigger.text == text


def test_many_ids_of_a_condition_are_shortened() -> None:
    assert condition_text(["a", "b", "c", "d"]) == "a, then b, then c, then d"
    assert condition_text([str(number) for number in range(10)]) == "0, then 1, then 2, then 3, then 6 more"


def with_new(reported: int, failed: int, of: Evidence | None = None, **rest: Any) -> Evidence:
    """A healthy release, or another, to which so many new devices came that nobody vouches for."""
    counts = ArmCounts(drawn=reported, offered=reported, reported=reported, failed=failed)
    return replace(of or evidence(), new=NewDevices(counts, **rest))


CASES: Mapping[str, tuple[Evidence, VerdictKind, set[str]]] = {
    "healthy": (evidence(), PASS, set()),
    "healthy without control": (evidence(None), PASS, set()),
    "nothing seen": (Evidence(ArmCounts()), INCONCLUSIVE, set()),
    "a fifth fails": (evidence(None, reported=30, failed=6), FAIL, {"limit"}),
    "one failure proves nothing": (evidence(None, reported=101, failed=1), PASS, set()),
    "more than the limit, but not surely": (evidence(None, reported=800, failed=20), INCONCLUSIVE, set()),
    "half of eight": (evidence(None, reported=8, failed=4), FAIL, {"stop", "limit"}),
    "worse than control though within the limit": (
        Evidence(replace(HEALTHY, reported=9_000, failed=85), replace(HELD_BACK, reported=9_000, failed=10)),
        FAIL,
        {"control"},
    ),
    "devices fall silent": (evidence(silent=120), FAIL, {"silence"}),
    "as silent as control": (evidence(replace(HELD_BACK, silent=700), silent=700), PASS, set()),
    "silent beyond the limit without control": (evidence(None, silent=600), FAIL, {"silence"}),
    "slower than the limit": (evidence(slow=160), FAIL, {"latency"}),
    "slower than before": (evidence(slower=300), FAIL, {"slowdown"}),
    "warm runs slower than before": (
        warm(replace(HELD_BACK, warm_timed=900, warm_slower=90), warm_timed=800, warm_slower=300),
        FAIL,
        {"slowdown"},
    ),
    "all first runs cold and slow, where control has none that is cold": (
        warm(replace(HELD_BACK, timed=0, slow=0, slower=0, warm_timed=900, warm_slower=90), slower=1000),
        PASS,
        set(),
    ),
    "cold runs beyond the limit of a kept task": (
        replace(warm(warm_timed=900, warm_slow=9, slow=1000), kept=True),
        PASS,
        set(),
    ),
    "warm runs beyond the limit of a kept task": (
        replace(warm(warm_timed=900, warm_slow=200), kept=True),
        FAIL,
        {"latency"},
    ),
    "metrics drift down": (evidence(low=850), FAIL, {"drift"}),
    "metrics drift up": (evidence(low=50), FAIL, {"drift"}),
    "an outage elsewhere": (evidence(replace(HELD_BACK, failed=250), failed=250), ERROR, {"limit"}),
    "an outage elsewhere, and treatment still worse": (
        evidence(replace(HELD_BACK, failed=100), failed=300),
        FAIL,
        {"limit", "control"},
    ),
    "slow everywhere": (evidence(replace(HELD_BACK, slow=200), slow=200), ERROR, {"latency"}),
    "arms as uneven as one selection in ten": (evidence(ratio=replace(PLANNED, treatment=45, control=31)), PASS, set()),
    "arms suspiciously uneven": (evidence(ratio=replace(PLANNED, treatment=56, control=24)), INCONCLUSIVE, set()),
    "control is lost": (evidence(ratio=replace(PLANNED, control=700)), ERROR, {RATIO}),
    "control is lost, and compared with all the same": (
        evidence(ratio=replace(PLANNED, control=700), silent=120),
        ERROR,
        {RATIO, "silence"},
    ),
    "control is lost, and the limit exceeded": (
        evidence(ratio=replace(PLANNED, control=700), failed=200),
        FAIL,
        {RATIO, "limit", "control"},
    ),
    "invented devices fail": (with_new(60, 60), ERROR, {NEW_FAILURES}),
    "invented devices fail, and it was accepted": (with_new(60, 60, accepted=True), PASS, set()),
    "invented devices dilute failures": (with_new(100_000, 0, evidence(None, reported=30, failed=6)), FAIL, {"limit"}),
    "new devices fail as rarely as they may": (with_new(1000, 9), PASS, set()),
    "new devices fail more often than they may, but not surely": (with_new(800, 20), PASS, set()),
    "new devices alone do not pass": (with_new(1000, 0, Evidence(ArmCounts())), INCONCLUSIVE, set()),
    "a surge of new devices": (with_new(0, 0, registered=100, usual=9.9), ERROR, {SURGE}),
    "a surge that was accepted": (with_new(0, 0, registered=100, usual=0.0, accepted=True), PASS, set()),
    "nearly a surge": (with_new(0, 0, registered=99, usual=0.0), PASS, set()),
    "many new devices, as usual": (with_new(0, 0, registered=100, usual=10.1), PASS, set()),
    "the cloud half fails": (replace(evidence(), cloud=CloudFailures(3)), ERROR, {CLOUD}),
    "the cloud half failed, which may pass": (replace(evidence(), cloud=CloudFailures(2)), PASS, set()),
    "the cloud half fails, and devices do": (
        replace(evidence(None, reported=30, failed=6), cloud=CloudFailures(9)),
        FAIL,
        {"limit", CLOUD},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    given_, kind, objecting = CASES[case]
    verdict = judge(given_, LIMITS, minimum_evidence=8)
    assert (verdict.kind, {finding.test for finding in verdict.findings if finding.objects}) == (kind, objecting)
    assert verdict.decisive == (kind in (FAIL, ERROR))


def test_a_pass_needs_enough_devices_that_reported_and_a_fail_does_not() -> None:
    assert judge(evidence(), LIMITS, 1000).kind is PASS
    few = judge(evidence(), LIMITS, 1001)
    assert (few.kind, few.sentence) == (INCONCLUSIVE, "1000 of the 1001 devices needed have reported")
    assert judge(evidence(reported=8, failed=8), LIMITS, 1001).kind is FAIL


def test_the_denominator_is_the_devices_that_reported() -> None:
    """With most of the fleet offline, a version that fails everywhere is found out by the few that are not."""
    assert judge(Evidence(ArmCounts(drawn=1000, offered=1000, reported=10, failed=10)), LIMITS, 100).kind is FAIL


def test_sentences_are_for_people() -> None:
    assert judge(evidence(None, reported=30, failed=6), LIMITS, 8).sentence == (
        "6 of 30 devices failed (20 %); the limit is 1 %"
    )
    assert judge(evidence(None, reported=84, failed=28), LIMITS, 8).sentence == (
        "28 of 84 devices failed (33 %); the limit is 1 %"
    )
    assert judge(evidence(silent=120), LIMITS, 8).sentence == (
        "120 of 1000 devices did not check in again (12 %), against 30 of 1000 (3 %) in the control group"
    )
    assert judge(evidence(replace(HELD_BACK, failed=250), failed=250), LIMITS, 8).sentence == (
        "250 of 1000 devices failed (25 %); the limit is 1 %, but so did 250 of 1000 (25 %) in the control group"
    )
    assert judge(evidence(ratio=replace(PLANNED, control=700)), LIMITS, 8).sentence == (
        "1000 of 1700 selected devices get the new version; 50 % were planned"
    )
    assert judge(evidence(), LIMITS, 8).sentence == "1000 devices reported, 8 failed; all checks pass"


def test_the_verdict_says_which_runs_were_compared() -> None:
    def slowdown(of: Evidence) -> str:
        return next(finding.sentence for finding in judge(of, LIMITS, 8).findings if finding.test == "slowdown")

    cold = "300 of 1000 devices took longer than 120 ms (30 %), against 100 of 1000 (10 %) in the control group"
    both = warm(replace(HELD_BACK, warm_timed=900, warm_slower=90), slower=300, warm_timed=800, warm_slower=80)
    assert slowdown(evidence(slower=300)) == cold
    assert slowdown(both) == (
        f"cold runs: {cold}; "
        "warm runs: 80 of 800 devices took longer than 10 ms (10 %), against 90 of 900 (10 %) in the control group"
    )
    unknown = replace(both, baseline=BASELINE)
    assert slowdown(unknown) == f"cold runs: {cold}; warm runs: not compared, there were too few before the release"
    kept = judge(replace(warm(warm_timed=900, warm_slow=200), kept=True), LIMITS, 8)
    assert kept.sentence.startswith("200 of 900 devices took longer than 200 ms in a warm run (22.2 %)")


def test_what_is_missing_is_said() -> None:
    few = Evidence(ArmCounts(drawn=3, offered=3, reported=2))
    assert judge(few, LIMITS, 3).sentence == "2 of the 3 devices needed have reported"
    assert judge(with_new(4, 0, few), LIMITS, 3).sentence == (
        "2 of the 3 devices needed have reported; 4 more are new, and nobody vouches for them"
    )
    assert judge(with_new(4, 0, Evidence(ArmCounts())), LIMITS, 3).sentence == (
        "all 4 devices selected so far are new, and nobody vouches for them: promote the release manually, which takes "
        "the right to complete early, or have the app's backend vouch for devices (docs/guides/app-keys.md)"
    )


@pytest.mark.parametrize("case", CASES)
def test_a_release_to_callers_speaks_of_callers_and_one_to_devices_of_devices(case: str) -> None:
    of = CASES[case][0]
    for minimum in (8, 100_000):
        to_devices, to_callers = judge(of, LIMITS, minimum), judge(replace(of, callers=True), LIMITS, minimum)
        assert "caller" not in str(to_devices)
        # A surge is one of devices in both: those that register.
        told = [finding.text for finding in to_callers.findings if finding.test != SURGE]
        assert "device" not in "".join(told)
        assert "device" not in to_callers.sentence or SURGE in CASES[case][2]
        assert [each.objects for each in to_devices.findings] == [each.objects for each in to_callers.findings]


def test_callers_do_other_things_than_devices() -> None:
    silent = replace(evidence(silent=120), callers=True)
    assert judge(silent, LIMITS, 8).sentence.startswith("120 of 1000 callers did not call again (12 %)")
    alone = replace(with_new(4, 0, Evidence(ArmCounts())), callers=True)
    assert judge(alone, LIMITS, 3).sentence.endswith(
        "or have a service with an API token ask for them (docs/guides/pipeline-releases.md)"
    )


def test_what_new_devices_do_is_said() -> None:
    assert judge(with_new(60, 60), LIMITS, 8).sentence == (
        "60 of 60 new devices, which nobody vouches for, failed (100 %); the limit is 1 %"
    )
    assert judge(with_new(0, 0, registered=14_000, usual=3.21), LIMITS, 8).sentence == (
        "14000 new devices, which nobody vouches for, registered within 10 minutes; 3.21 are usual"
    )


@given(
    st.integers(0, 2000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    st.integers(0, 2000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))),
    st.integers(0, 100_000),
    st.floats(0, 1e6),
    st.booleans(),
)
def test_new_devices_never_decide(
    known: tuple[int, int], new: tuple[int, int], registered: int, usual: float, accepted: bool
) -> None:
    """Whatever they do, they neither fail a release nor pass it, nor save it: they can only make it pause."""
    alone = Evidence(ArmCounts(drawn=2000, offered=2000, reported=known[0], failed=known[1]))
    joined = with_new(*new, alone, registered=registered, usual=usual, accepted=accepted)
    before, after = (judge(each, Limits(), 8).kind for each in (alone, joined))
    assert after == before or (after is ERROR and before in (PASS, INCONCLUSIVE) and not accepted)


def test_which_tests_there_are_depends_on_what_there_is_to_compare_with() -> None:
    def tests(of: Evidence, limits: Limits = LIMITS) -> list[str]:
        return [finding.test for finding in judge(of, limits, 1).findings]

    assert tests(Evidence(HEALTHY), Limits()) == ["stop", "limit", "silence"]
    assert tests(Evidence(HEALTHY, HELD_BACK, baseline=Baseline(metric="new")), Limits())[2:] == ["control", "silence"]
    assert tests(Evidence(HEALTHY, HELD_BACK), Limits()) == ["stop", "limit", "control", "silence"]
    assert tests(evidence()) == ["stop", "limit", "latency", RATIO, "control", "silence", "slowdown", "drift"]
    assert set(ALPHAS) | {RATIO} == set(tests(evidence()))


@pytest.mark.parametrize(
    ("reported", "failed", "enough"),
    [(11, 1, 67), (19, 2, 167), (66, 1, 67), (67, 1, 67), (166, 2, 167), (167, 2, 167), (20, 0, 0)],
)
def test_no_stage_passes_while_failures_are_more_likely_than_not_above_their_limit(
    reported: int, failed: int, enough: int
) -> None:
    verdict = judge(evidence(None, reported=reported, failed=failed), LIMITS, 8)
    assert verdict.kind is (PASS if reported >= enough else INCONCLUSIVE)
    said = verdict.sentence.endswith(f"the limit is 1 %, which {failed} of {enough} would be within")
    assert said is (reported < enough)


def test_a_stage_that_needs_no_reports_passes_without_any() -> None:
    assert judge(Evidence(ArmCounts()), LIMITS, 0).kind is PASS


@pytest.mark.parametrize("test", ["control", "silence", "slowdown", "drift"])
def test_what_is_likelier_worse_than_control_does_not_pass(test: str) -> None:
    """The counts at which a comparison begins to favour harm, well before it fails a release."""
    count = {"control": "failed", "silence": "silent", "slowdown": "slower", "drift": "low"}[test]
    start = getattr(HEALTHY, count)
    for more in range(500):
        verdict = judge(evidence(**{count: start + more}), Limits(latency_ms=200.0, failure_rate=0.4), 8)
        found = next(finding for finding in verdict.findings if finding.test == test)
        if verdict.kind is not PASS:
            break
    assert verdict.kind is INCONCLUSIVE
    assert found.suspicious
    assert 0 < found.log_evidence < found.threshold


def test_the_tests_share_out_the_whole_alpha() -> None:
    assert sum(ALPHAS.values()) == pytest.approx(ALPHA)


@given(st.integers(8, 5000), st.data())
def test_the_default_stop_is_its_rule_and_nothing_more(reported: int, data: st.DataObject) -> None:
    failed = data.draw(st.integers(0, reported))
    stop, *_ = judge(Evidence(ArmCounts(reported=reported, failed=failed)), Limits(), 0).findings
    assert stop.objects == (2 * failed >= reported)


@pytest.mark.parametrize("limits", [Limits(), Limits(failure_rate=0.1), Limits(failure_rate=0.4)])
def test_a_release_within_its_limit_hardly_ever_meets_the_stop(limits: Limits) -> None:
    """Exact for 300 reports, the limit's close neighbourhood to the stop's rate included."""
    alive, stopped, rate = {0: 1.0}, 0.0, limits.failure_rate
    for reported in range(1, 301):
        after: dict[int, float] = {}
        for failed, chance in alive.items():
            for hit, part in ((0, 1 - rate), (1, rate)):
                after[failed + hit] = after.get(failed + hit, 0.0) + chance * part
        objections = {failed for failed in after if stops(failed, reported, limits)}
        stopped += sum(after.pop(failed) for failed in objections)
        alive = after
    assert 0 < stopped <= ALPHAS["stop"]


def stops(failed: int, reported: int, limits: Limits) -> bool:
    if failed < limits.stop_rate * reported:
        return False
    stop, *_ = judge(Evidence(ArmCounts(reported=reported, failed=failed)), limits, 0).findings
    return stop.objects


# Data.

shares = st.floats(0.001, 0.999)


@st.composite
def arm_counts(draw: st.DrawFn) -> ArmCounts:
    names = ("drawn", "offered", "reported", "due", "timed", "warm_timed", "measured")
    whole = {name: draw(st.integers(0, 10_000)) for name in names}
    parts = {"failed": "reported", "silent": "due", "slow": "timed", "slower": "timed", "low": "measured"}
    parts |= {"warm_slow": "warm_timed", "warm_slower": "warm_timed"}
    return ArmCounts(**whole, **{part: draw(st.integers(0, whole[name])) for part, name in parts.items()})


def test_few_releases_of_a_sound_version_are_held_up() -> None:
    """The arms of 60 devices as they are drawn, which behave alike."""
    rng = random.Random(8)

    def count(of: int, share: float) -> int:
        return sum(rng.random() < share for _ in range(of))

    def arm(size: int) -> ArmCounts:
        sizes = dict.fromkeys(("drawn", "offered", "reported", "due", "timed", "measured"), size)
        rates = {"failed": 0.002, "silent": 0.03, "slow": 0.07, "slower": 0.1, "low": 0.5}
        return ArmCounts(**sizes, **{name: count(size, rate) for name, rate in rates.items()})

    held_up = 0
    for _ in range(100):
        first = count(60, 0.5)
        ratio = SampleRatio(first, 60 - first, 50_000, 50_000)
        held_up += judge(Evidence(arm(first), arm(60 - first), ratio, BASELINE), LIMITS, 10).kind != PASS
    assert held_up <= 20


ratios = st.builds(
    SampleRatio,
    treatment=st.integers(0, 10_000),
    control=st.integers(0, 10_000),
    treatment_share=st.integers(1, 900_000),
    control_share=st.integers(1, 100_000),
)
durations = st.none() | st.floats(1, 1e6)
baselines = st.just(Baseline()) | st.builds(Baseline, durations, durations, metric=st.text(), median=shares)
trigger_waits = st.builds(
    TriggerWait,
    st.lists(st.text(min_size=1, max_size=3), min_size=1).map(tuple),
    st.integers(0, 99),
    st.integers(0, 99),
    st.integers(0, 99),
)
evidences = st.builds(
    Evidence,
    arm_counts(),
    st.none() | arm_counts(),
    st.none() | ratios,
    baselines,
    kept=st.booleans(),
    trigger=st.none() | trigger_waits,
)
limits_ = st.builds(
    Limits,
    failure_rate=st.floats(0.001, 0.49),
    stop_rate=st.floats(0.5, 0.99),
    stop_after=st.integers(1, 1000),
    silent_share=shares,
    latency_ms=st.none() | st.floats(0.1, 1e6),
    latency_quantile=shares,
    failure_margin=st.floats(0, 0.999),
    silence_margin=st.floats(0, 0.999),
    slowdown_margin=st.floats(0, 0.999),
    drift_margin=st.floats(0, 0.999),
)


@given(evidences, limits_, st.integers(0, 1000))
def test_every_evidence_has_a_verdict_and_all_of_it_is_json(given_: Evidence, limits: Limits, minimum: int) -> None:
    verdict = judge(given_, limits, minimum)
    assert Evidence.from_dict(through_json(given_.to_dict())) == given_
    assert Limits.from_dict(through_json(limits.to_dict())) == limits
    assert Verdict.from_dict(through_json(verdict.to_dict())) == verdict


def through_json(value: dict[str, Any]) -> Any:
    return json.loads(json.dumps(value, allow_nan=False))


def test_a_stored_verdict_says_all_of_a_finding() -> None:
    stored = judge(evidence(None, reported=30, failed=6), LIMITS, 8).to_dict()
    assert stored["kind"] == "fail"
    assert Finding(**stored["findings"][1]).objects


def test_what_is_not_said_about_limits_is_filled_in() -> None:
    assert Limits.from_dict({}) == Limits()
    assert Limits.from_dict({"failure_rate": 0.05}) == Limits(failure_rate=0.05)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([], "limits: expected an object, found []"),
        ({"failure": 0.1}, "limits.failure: expected one of the keys failure_rate, stop_rate, "),
        ({"failure_rate": 0}, "limits.failure_rate: expected a number from 0.000001 to 0.999999, found 0"),
        ({"failure_rate": 1e-7}, "limits.failure_rate: expected a number from 0.000001 to 0.999999, found 1e-07"),
        ({"failure_rate": True}, "limits.failure_rate: expected a number from 0.000001 to 0.999999, found True"),
        ({"failure_rate": float("nan")}, "limits.failure_rate: expected a number from 0.000001 to 0.999999, found nan"),
        ({"silent_share": "0.5"}, "limits.silent_share: expected a number from 0.000001 to 0.999999, found '0.5'"),
        ({"silence_margin": -0.1}, "limits.silence_margin: expected a number of at least 0 and below 1, found -0.1"),
        ({"drift_margin": 1.0}, "limits.drift_margin: expected a number of at least 0 and below 1, found 1.0"),
        ({"stop_after": 2.5}, "limits.stop_after: expected a whole number of at least 1, found 2.5"),
        ({"stop_after": 0}, "limits.stop_after: expected a whole number of at least 1, found 0"),
        ({"failure_rate": 0.5}, "limits.stop_rate: expected more than the failure_rate 0.5, found 0.5"),
        ({"latency_ms": 0}, "limits.latency_ms: expected a number above 0 and of at most 86400000, found 0"),
        ({"latency_quantile": 1}, "limits.latency_quantile: expected a number from 0.000001 to 0.999999, found 1"),
    ],
)
def test_limits_that_mean_nothing_are_refused(value: object, text: str) -> None:
    with pytest.raises(LimitsMalformed) as refused:
        Limits.from_dict(value)
    [found] = refused.value.texts
    assert found.startswith(text)


def test_limits_say_all_that_is_wrong_with_them_and_cannot_be_made_otherwise() -> None:
    wrong = {"failure_rate": 2, "stop_after": 0, "drift_margin": -1}
    with pytest.raises(LimitsMalformed) as refused:
        Limits.from_dict({**wrong, "odd": 1})
    assert {one.field for one in refused.value.problems} == {f"limits.{name}" for name in (*wrong, "odd")}
    with pytest.raises(
        LimitsMalformed, match=r"limits\.failure_rate: .*; limits\.stop_after: .*; limits\.drift_margin: "
    ):
        Limits(failure_rate=2, stop_after=0, drift_margin=-1)
    assert Limits.from_dict({"stop_after": 8.0, "latency_ms": None}) == Limits()


@pytest.mark.parametrize("counts", [{"failed": 1}, {"silent": -1}, {"timed": 1, "slower": 2}, {"low": 1}])
def test_counts_that_cannot_be_are_refused(counts: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"expected .* between 0 and "):
        ArmCounts(**counts)


@pytest.mark.parametrize("given_", [(-1, 0, 1, 1), (0, 0, 0, 1), (0, 0, BUCKETS, 1)])
def test_counts_and_shares_that_cannot_be_are_refused(given_: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="expected "):
        SampleRatio(*given_)


@pytest.mark.parametrize(
    ("failed", "reported"), [(0, 0), (3, 20), (5, 100), (9, 100), (10, 1000), (19, 1000), (26, 1000)]
)
def test_the_lower_bound_of_failures_reaches_the_limit_when_its_test_objects(failed: int, reported: int) -> None:
    arm = ArmCounts(drawn=reported, offered=reported, reported=reported, failed=failed)
    verdict = judge(Evidence(arm), LIMITS, 0)
    objects = next(finding.objects for finding in verdict.findings if finding.test == "limit")
    assert (failure_bounds(arm, LIMITS)[0] >= LIMITS.failure_rate) == objects
