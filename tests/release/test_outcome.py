"""What reports make of a selected device: the same, in whatever order and groups they arrive, and however often."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.release.outcome import FELL_BACK, ExposureState, ReportFact, apply_reports

NOW = 1_800_000_000.0
RELEASE = 7
KINDS = [("run", "success"), ("run", "failure"), ("install", "success"), ("install", "failure"), ("remove", "failure")]


def after(seconds: float) -> float:
    return NOW + seconds


@st.composite
def reports(draw: st.DrawFn) -> list[ReportFact]:
    """Of one device about one task; each was received at a time of its own."""
    found = []
    for number, (kind, outcome) in enumerate(draw(st.lists(st.sampled_from(KINDS), max_size=8))):
        error = FELL_BACK if kind == "remove" else "boom" if outcome == "failure" else ""
        proof = draw(st.booleans())
        found.append(
            ReportFact(
                kind=kind,
                outcome=outcome,
                error_class=error,
                reported_at=after(draw(st.integers(-3, 3))),
                received_at=after(number - 2),
                duration_ms=draw(st.sampled_from([None, 1.0, 2.0])),
                metrics={"number": number},
                release=RELEASE if proof else draw(st.sampled_from([None, 6])),
                number=17 if proof else None,
                offered_at=NOW if proof else None,
                start=draw(st.sampled_from(["", "cold", "warm"])),
            )
        )
    return found


@given(treated=st.booleans(), offered=st.booleans(), found=reports(), data=st.data())
def test_order_groups_and_repetition_do_not_matter(
    treated: bool, offered: bool, found: list[ReportFact], data: st.DataObject
) -> None:
    state = ExposureState(RELEASE, treated, after(-1), NOW if offered or not treated else None, 17)
    complete = apply_reports(state, found)
    arriving = data.draw(st.permutations(found + (data.draw(st.lists(st.sampled_from(found))) if found else [])))
    cut = data.draw(st.integers(0, len(arriving)))
    assert apply_reports(apply_reports(state, arriving[:cut]), arriving[cut:]) == complete
    assert apply_reports(complete, found) == complete
    step = state
    for report in arriving:
        step = apply_reports(step, [report])
    assert step == complete


@given(treated=st.booleans(), found=reports())
def test_an_outcome_and_its_time_come_together(treated: bool, found: list[ReportFact]) -> None:
    state = apply_reports(ExposureState(RELEASE, treated, after(-1)), found)
    assert (state.outcome == "") == (state.settled_at is None)
    assert state.outcome == "failure" or state.error_class == ""
    if any(each.error_class == FELL_BACK and each.release == RELEASE for each in found) and treated:
        assert (state.outcome, state.error_class) == ("failure", FELL_BACK)


def several(count: int, failed: int, chance: float) -> ReportFact:
    outcome, error = ("failure", "boom") if failed else ("success", "")
    return ReportFact(
        "run", outcome, error, after(1), after(1), release=RELEASE, runs=count, failed_runs=failed, chance=chance
    )


@pytest.mark.parametrize(
    ("count", "failed", "chance", "outcome"),
    [
        (1, 1, 0.0, "failure"),
        (3, 1, 0.0, "failure"),
        (3, 0, 0.99, "success"),
        (300, 1, 0.98, "success"),
        (300, 1, 0.991, "failure"),
        (300, 300, 0.0, "failure"),
        (10, 8, 0.0, "failure"),
        (2**53 - 1, 1, 0.5, "success"),
    ],
)
@pytest.mark.parametrize("treated", [True, False])
def test_of_many_runs_in_one_report_as_many_decide_as_are_in_a_first_report(
    count: int, failed: int, chance: float, outcome: str, treated: bool
) -> None:
    """One failure among 300 runs is among three of them once in a hundred times."""
    report = several(count, failed, chance)
    report = report if treated else replace(report, release=None)
    state = apply_reports(ExposureState(RELEASE, treated, NOW), [report])
    assert (state.outcome, state.error_class) == (outcome, "boom" if outcome == "failure" else "")


def run(at: float, start: str, duration_ms: float | None = 5.0, release: int | None = RELEASE) -> ReportFact:
    return ReportFact("run", "success", "", after(at), after(at), duration_ms=duration_ms, release=release, start=start)


@pytest.mark.parametrize(
    ("runs", "cold", "warm"),
    [
        ([run(1, "cold", 50), run(2, "warm", 5), run(3, "warm", 6), run(4, "cold", 51)], (after(1), 50), (after(2), 5)),
        ([run(1, "warm", 5), run(2, "cold", 50)], (after(2), 50), (after(1), 5)),
        ([run(1, "", 50), run(2, "warm", 5)], (after(1), 50), (after(2), 5)),
        ([run(1, "cold", None), run(2, "cold", 50)], (after(2), 50), (None, None)),
        ([run(1, "cold", 50, release=None)], (None, None), (None, None)),
    ],
    ids=["treatment", "warm first", "one does not say", "one has no duration", "no proof"],
)
def test_the_first_cold_run_and_the_first_warm_one_tell_how_long_runs_take(
    runs: list[ReportFact], cold: tuple[float, float], warm: tuple[float, float]
) -> None:
    state = apply_reports(ExposureState(RELEASE, True, after(-1), NOW, 17), runs)
    assert ((state.cold_at, state.cold_ms), (state.warm_at, state.warm_ms)) == (cold, warm)


@given(found=reports())
def test_what_ran_is_installed(found: list[ReportFact]) -> None:
    state = apply_reports(ExposureState(RELEASE, True, after(-1), NOW, 17), found)
    assert state.installed_at is not None or state.outcome != "success"


@given(found=reports())
def test_without_a_proof_nothing_is_said_of_the_version(found: list[ReportFact]) -> None:
    unproved = [each for each in found if each.release != RELEASE]
    state = ExposureState(RELEASE, True, after(-1), NOW, 17)
    assert apply_reports(state, unproved) == state


@given(found=reports())
def test_the_version_says_nothing_of_what_was_there_before(found: list[ReportFact]) -> None:
    proved = [each for each in found if each.release == RELEASE]
    state = apply_reports(ExposureState(RELEASE, False, after(-1)), proved)
    assert (state.outcome, state.installed_at) == ("", None)
    assert (state.offered_at is None) == (not proved)


def test_the_first_of_two_fall_backs_is_when_it_settled() -> None:
    earlier, later = (
        ReportFact("remove", "failure", FELL_BACK, NOW, after(seconds), release=RELEASE) for seconds in (1, 2)
    )
    selected = ExposureState(RELEASE, True, after(-1), NOW, 17)
    for told in (earlier, later), (later, earlier):
        step = selected
        for one in told:
            step = apply_reports(step, [one])
        assert (step.outcome, step.error_class, step.settled_at) == ("failure", FELL_BACK, after(1))


def report(kind: str, outcome: str, at: float, error: str = "") -> ReportFact:
    return ReportFact(kind, outcome, error, after(at), after(at), duration_ms=at, metrics={"at": at}, release=RELEASE)


def test_the_first_run_or_failed_installation_decides() -> None:
    selected = ExposureState(RELEASE, True, after(-1), NOW, 17)
    good, bad = report("run", "success", 3), report("run", "failure", 4, "boom")
    ran = apply_reports(selected, [bad, good, report("install", "success", 2)])
    assert (ran.outcome, ran.error_class, ran.settled_at, ran.duration_ms) == ("success", "", after(3), 3)
    assert (ran.installed_at, ran.metrics) == (after(2), {"at": 3})
    refused = apply_reports(ran, [report("install", "failure", 1, "storage")])
    assert (refused.outcome, refused.error_class, refused.settled_at) == ("failure", "storage", after(1))
    assert (refused.duration_ms, refused.metrics) == (None, {})


def test_who_ran_the_version_while_held_back_is_no_example_of_the_former_one() -> None:
    held_back = ExposureState(RELEASE, False, after(-1), version="1.1.0")
    former = replace(report("run", "success", 3), release=None, version="1.0.0")
    itself = replace(report("run", "failure", 2, "boom"), release=None, version="1.1.0")
    assert apply_reports(held_back, [former]).crossed is False
    for told in ([former, itself], [itself, former]):
        crossed = apply_reports(held_back, told)
        assert (crossed.crossed, crossed.outcome, crossed.settled_at) == (True, "success", after(3))
    spooled = replace(itself, reported_at=after(-5))
    assert apply_reports(held_back, [spooled]).crossed is False, "it ran before it was held back, and tells late"
    offered = replace(held_back, offered_at=after(1))
    assert apply_reports(offered, [itself]) == offered, "it was offered the version by then"
