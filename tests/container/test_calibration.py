"""What is known of a machine: measured once, kept for that machine alone, and never in the way of a task."""

from __future__ import annotations

import json

import pytest

from walle.container.calibration import FILE, Calibration, digest_of_machine
from walle.container.result import RunResult, failure

RATES = {"walle": {"per_run": 1.0}}


class Measuring:
    """Counts how often a machine was measured."""

    def __init__(self, result: RunResult | None = None) -> None:
        self.result = result or RunResult("success", output={"rates": RATES})
        self.times = 0

    def __call__(self) -> RunResult:
        self.times += 1
        return self.result


def known(folder, measure, machine="this"):
    return Calibration(folder, lambda: machine).known(measure)


def test_a_machine_is_measured_once(tmp_path):
    measure = Measuring()
    calibration = Calibration(tmp_path / "new", lambda: "this")
    assert calibration.known(measure) == calibration.known(measure) == {"rates": RATES}
    assert known(tmp_path / "new", measure) == {"rates": RATES}
    assert measure.times == 1
    assert [path.name for path in (tmp_path / "new").iterdir()] == [FILE]


def test_another_machine_is_measured_anew(tmp_path):
    measure = Measuring()
    known(tmp_path, measure, "this")
    known(tmp_path, measure, "that")
    known(tmp_path, measure, "that")
    assert measure.times == 2


@pytest.mark.parametrize(
    "content", ["", "[]", "[" * 100_000, "\0", '{"machine": "this"}', '{"machine": "this", "rates": 1}']
)
def test_a_damaged_file_is_as_if_it_were_not_there(tmp_path, content):
    (tmp_path / FILE).write_text(content)
    measure = Measuring()
    assert known(tmp_path, measure) == {"rates": RATES}
    assert json.loads((tmp_path / FILE).read_text()) == {"machine": "this", "rates": RATES}


def test_where_it_fails_the_reason_is_known_and_nothing_is_kept(tmp_path):
    measure = Measuring(failure("memory-limit", "the task ran out of memory"))
    calibration = Calibration(tmp_path, lambda: "this")
    found = calibration.known(measure)
    assert found == calibration.known(measure)
    assert found == {"reason": "the calibration of this device failed (memory-limit: the task ran out of memory)"}
    assert measure.times == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path):
    (tmp_path / "file").write_text("")
    assert known(tmp_path / "file" / "below", Measuring()) == {"rates": RATES}
    assert known(None, Measuring()) == {"rates": RATES}


def test_other_processors_and_libraries_are_another_machine(tmp_path):
    found = digest_of_machine([], ())
    assert found == digest_of_machine([], ())
    assert found != digest_of_machine([], (0,))
    (tmp_path / "onnxruntime-1.2.dist-info").mkdir()
    (tmp_path / "onnxruntime-1.2.dist-info" / "METADATA").write_text("Name: onnxruntime\nVersion: 1.2\n")
    assert found != digest_of_machine([str(tmp_path)], ())
