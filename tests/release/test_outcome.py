"""What reports make of a device on trial: the same, in whatever order and groups they arrive, and however often."""

from __future__ import annotations

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
    told = []
    for number, (kind, outcome) in enumerate(draw(st.lists(st.sampled_from(KINDS), max_size=8))):
        error = FELL_BACK if kind == "remove" else "boom" if outcome == "failure" else ""
        proof = draw(st.booleans())
        told.append(
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
    return told


@given(treated=st.booleans(), offered=st.booleans(), told=reports(), data=st.data())
def test_order_groups_and_repetition_do_not_matter(
    treated: bool, offered: bool, told: list[ReportFact], data: st.DataObject
) -> None:
    standing = ExposureState(RELEASE, treated, after(-1), NOW if offered or not treated else None, 17)
    whole = apply_reports(standing, told)
    arriving = data.draw(st.permutations(told + (data.draw(st.lists(st.sampled_from(told))) if told else [])))
    cut = data.draw(st.integers(0, len(arriving)))
    assert apply_reports(apply_reports(standing, arriving[:cut]), arriving[cut:]) == whole
    assert apply_reports(whole, told) == whole
    step = standing
    for one in arriving:
        step = apply_reports(step, [one])
    assert step == whole


@given(treated=st.booleans(), told=reports())
def test_an_outcome_and_its_time_come_together(treated: bool, told: list[ReportFact]) -> None:
    learnt = apply_reports(ExposureState(RELEASE, treated, after(-1)), told)
    assert (learnt.outcome == "") == (learnt.settled_at is None)
    assert learnt.outcome == "failure" or learnt.error_class == ""
    if any(each.error_class == FELL_BACK and each.release == RELEASE for each in told) and treated:
        assert (learnt.outcome, learnt.error_class) == ("failure", FELL_BACK)


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
    learnt = apply_reports(ExposureState(RELEASE, True, after(-1), NOW, 17), runs)
    assert ((learnt.cold_at, learnt.cold_ms), (learnt.warm_at, learnt.warm_ms)) == (cold, warm)


@given(told=reports())
def test_what_ran_is_installed(told: list[ReportFact]) -> None:
    learnt = apply_reports(ExposureState(RELEASE, True, after(-1), NOW, 17), told)
    assert learnt.installed_at is not None or learnt.outcome != "success"


@given(told=reports())
def test_without_a_proof_nothing_is_said_of_the_version(told: list[ReportFact]) -> None:
    unproved = [each for each in told if each.release != RELEASE]
    standing = ExposureState(RELEASE, True, after(-1), NOW, 17)
    assert apply_reports(standing, unproved) == standing


@given(told=reports())
def test_the_version_says_nothing_of_what_was_there_before(told: list[ReportFact]) -> None:
    proved = [each for each in told if each.release == RELEASE]
    learnt = apply_reports(ExposureState(RELEASE, False, after(-1)), proved)
    assert (learnt.outcome, learnt.installed_at) == ("", None)
    assert (learnt.offered_at is None) == (not proved)
