"""What is told of answers: once for a caller, added up for a version, and nothing without bounds."""

from __future__ import annotations

import pytest

from tests.gateway.simulator import Cloud
from tests.whitebox.serving.simulator import SimulatedPorts
from tests.whitebox.serving.test_routing import caller, offer
from walle.whitebox.serving import outcomes
from walle.whitebox.serving.answers import scores_of
from walle.whitebox.serving.engine import RecordAnswer
from walle.whitebox.serving.outcomes import AnsweredRequest, OutcomeLog
from walle.whitebox.serving.routing import Choice, SelectedArm

OBSERVED = offer("2.0.0", 2, observed=True)
CHOICE = Choice(OBSERVED, (SelectedArm(OBSERVED, "treatment"),))
PLAIN = Choice(offer("1.0.0", 1), ())
GOOD = RecordAnswer("good", (0.25, 0.75), None, None)


def answered(count: int = 1, refused: int = 0, failed: int = 0, error_class: str = "") -> AnsweredRequest:
    scores = scores_of([GOOD] * (count - refused - failed))
    return AnsweredRequest(count, refused, failed, error_class, 0.002, False, scores)


def note(log: OutcomeLog, name: str = "user-1", choice: Choice = CHOICE, **how: object) -> None:
    log.answered("shop", caller(name), choice, answered(**how), version="2.0.0", number=17)  # type: ignore[arg-type]


@pytest.fixture
def log() -> OutcomeLog:
    return OutcomeLog(lambda: 1_800_000_000.0)


def test_a_caller_is_told_of_once(log: OutcomeLog) -> None:
    note(log)
    note(log, count=3, failed=1, error_class="plan-failed")
    told = log.drain()
    assert [(each.caller, each.arm, each.release) for each in told.exposures] == [("user-1", "treatment", 2)]
    (outcome,) = told.outcomes
    assert (outcome.records, outcome.failed, outcome.error_class) == (4, 1, "plan-failed")
    assert outcome.arms == ((2, "treatment"),)
    assert outcome.score == pytest.approx(0.75)
    assert outcome.latency_ms == pytest.approx(2.0)
    note(log)
    later = log.drain()
    assert (later.exposures, later.outcomes) == ((), ())
    assert later.figures[0].records == 1, "figures go on"


def test_figures_add_up_what_a_version_did(log: OutcomeLog) -> None:
    for number in range(4):
        note(log, f"user-{number}", count=10, refused=2)
    (figures,) = log.drain().figures
    assert (figures.requests, figures.records, figures.refused, figures.failed) == (4, 40, 8, 0)
    assert sum(figures.latency) == 4
    assert figures.scores[15] == 32


def test_callers_nobody_observes_are_sampled(log: OutcomeLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "SAMPLED_A_MINUTE", 5)
    for number in range(20):
        note(log, f"user-{number}", PLAIN)
    told = log.drain()
    assert len(told.outcomes) == 5
    assert told.exposures == ()


def test_what_waits_is_bounded(log: OutcomeLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "MOST_WAITING", 7)
    for number in range(20):
        note(log, f"user-{number}")
    told = log.drain()
    assert (len(told.exposures), len(told.outcomes)) == (7, 7)


def test_what_is_remembered_is_bounded(log: OutcomeLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "REMEMBERED", 10)
    for number in range(35):
        note(log, f"user-{number}")
        log.drain()
    assert len(log._exposed) <= 10
    assert len(log._heard) <= 10


async def test_what_was_lost_is_told_anew(log: OutcomeLog) -> None:
    ports = SimulatedPorts(Cloud())
    note(log)
    ports.cloud.down = True
    await log.flush(ports)
    ports.cloud.down = False
    note(log)
    await log.flush(ports)
    assert [len(told.exposures) for told in ports.told] == [1]
    assert [len(told.outcomes) for told in ports.told] == [1]


def test_scores_are_those_of_the_second_class_or_the_highest() -> None:
    three = RecordAnswer("c", (0.1, 0.2, 0.7), None, None)
    value = RecordAnswer(None, None, 12.5, None)
    assert scores_of([GOOD, three])[:3] == (2, pytest.approx(1.45), pytest.approx(1.45))
    assert scores_of([value])[:2] == (1, 12.5)
    assert scores_of([RecordAnswer(None, None, float("nan"), None)]).scored == 0
