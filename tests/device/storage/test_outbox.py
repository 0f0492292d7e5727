"""The outbox: nothing is lost that was put, nothing sent twice as two, and it stays within its bound."""

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from walle.device.storage.disk import Disk
from walle.device.storage.outbox import ReportOutbox

LIMIT = 6


def report(number: int, kind: str = "run", outcome: str = "failure") -> dict[str, str]:
    return {"id": f"id-{number}", "kind": kind, "outcome": outcome}


def open_outbox(folder: Path, limit: int = LIMIT) -> ReportOutbox:
    return ReportOutbox(folder, Disk(sync=False), limit=limit)


class OutboxMachine(RuleBasedStateMachine):
    """Compares the outbox with a list, over putting, acknowledging and restarting."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.outbox = open_outbox(self.folder)
        self.model: list[dict[str, str]] = []
        self.put_total = self.acknowledged = 0

    @rule(number=st.integers(0, 40), kind=st.sampled_from(["run", "install"]), ok=st.booleans())
    def put(self, number, kind, ok):
        item = report(number, kind, "success" if ok else "failure")
        self.outbox.put(item)
        if item["id"] in [known["id"] for known in self.model]:
            return
        self.put_total += 1
        if len(self.model) == LIMIT:
            successes = [r for r in self.model if (r["kind"], r["outcome"]) == ("run", "success")]
            self.model.remove((successes or self.model)[0])
        self.model.append(item)

    @precondition(lambda self: self.model)
    @rule(count=st.integers(1, 3))
    def acknowledge(self, count):
        batch = self.outbox.batch(count)
        assert batch == self.model[:count]
        self.outbox.acknowledge([item["id"] for item in batch])
        self.acknowledged += len(batch)
        self.model = self.model[count:]

    @rule()
    def restart(self):
        self.outbox = open_outbox(self.folder)

    @invariant()
    def the_same_reports_in_the_same_order(self):
        assert self.outbox.batch(100) == self.model
        assert len(self.outbox) == len(self.model) <= LIMIT

    @invariant()
    def what_is_missing_was_counted(self):
        assert self.outbox.dropped == self.put_total - self.acknowledged - len(self.model)

    def teardown(self):
        shutil.rmtree(self.folder)


OutboxMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestOutbox = OutboxMachine.TestCase


def test_a_report_that_cannot_be_read_does_not_stop_the_others(tmp_path):
    outbox = open_outbox(tmp_path)
    for number in range(3):
        outbox.put(report(number))
    next(tmp_path.glob("*-id-1.json")).write_text("{")
    assert [item["id"] for item in outbox.batch(10)] == ["id-0", "id-2"]
    assert len(outbox) == 2
    assert len(open_outbox(tmp_path)) == 2


def test_an_unreadable_report_is_given_up_at_opening(tmp_path):
    open_outbox(tmp_path).put(report(1))
    next(tmp_path.glob("*.json")).write_bytes(b"\xff")
    assert len(open_outbox(tmp_path)) == 0


def test_the_limit_is_the_number_of_reports_that_it_holds(tmp_path: Path) -> None:
    outbox = open_outbox(tmp_path, limit=3)
    for number in range(4):
        outbox.put(report(number))
    assert [item["id"] for item in outbox.batch(10)] == ["id-1", "id-2", "id-3"]
    assert outbox.dropped == 1
