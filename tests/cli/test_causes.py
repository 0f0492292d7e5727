"""What went wrong in a simulation, once for each cause."""

from __future__ import annotations

import pytest

from walle.cli.causes import causes_of, log_sections, which_cells, which_samples
from walle.cli.commands.release import explaining


def sample(name, error=None, message=None, mismatches=(), *, passed=False):
    return {"name": name, "passed": passed, "error_class": error, "message": message, "mismatches": list(mismatches)}


def cell(app="1.0.0", version="14", state="failed", samples=(), logs="", sentence="", os="android"):
    told = {"state": state, "sentence": sentence, "samples": list(samples), "logs": logs}
    return {"app_version": app, "os": os, "os_version": version, **told}


def traceback(at, line=3):
    return f'Traceback (most recent call last):\n  File "main.py", line {line}\nKeyError: <object at 0x{at:x}>'


def failing(app, version, at):
    """A cell in which two samples fail with the same error, one at an address that differs from process to process."""
    message = f"<object at 0x{at:x}>"
    logs = f"-- dark\n{traceback(at)}\n-- bright\n{traceback(at + 1)}"
    return cell(app, version, samples=[sample(n, "KeyError", message) for n in ("dark", "bright")], logs=logs)


def test_equal_causes_of_samples_app_versions_and_systems_are_one():
    cells = [
        failing(app, os, 65536 * n)
        for n, (app, os) in enumerate([("1.0.0", "13"), ("1.0.0", "14"), ("2.0.0", "14")], 1)
    ]
    (cause,) = causes_of([*cells, cell("2.0.0", "13", state="passed"), cell("3.0.0", "13", state="pending")])
    assert (cause.state, cause.what) == ("failed", "KeyError: <object at 0x10000>")
    assert cause.cells == cells
    assert cause.samples == ["dark", "bright"]
    assert cause.logs == [traceback(65536)]


def test_other_errors_and_states_are_other_causes_and_failures_of_most_cells_come_first():
    late = sample("late", "Timeout", "the task ran longer than 5 ms")
    wrong = sample("wrong", mismatches=["y: expected 1, found 2", "z: expected 0, found 3"])
    cells = [
        *(cell(version=str(n), state="excluded", sentence="no numpy") for n in range(3)),
        cell(version="7", samples=[late, sample("fine", passed=True)]),
        cell(version="8", samples=[late, wrong]),
        cell(version="9", state="error", sentence="the sandbox could not run"),
    ]
    told = [(cause.state, cause.what, len(cause.cells)) for cause in causes_of(cells)]
    assert told == [
        ("failed", "Timeout: the task ran longer than 5 ms", 2),
        ("failed", "y: expected 1, found 2\nz: expected 0, found 3", 1),
        ("error", "the sandbox could not run", 1),
        ("excluded", "no numpy", 3),
    ]


def test_the_same_error_from_other_lines_is_one_cause_with_both_tracebacks():
    cells = [
        cell(version=str(n), samples=[sample("a", "KeyError", "'x'")], logs=f"-- a\n{traceback(65536, n)}")
        for n in (3, 4)
    ]
    (cause,) = causes_of(cells)
    assert cause.logs == [traceback(65536, 3), traceback(65536, 4)]


def test_what_a_cloud_half_wrote_is_told_with_the_sentence():
    (cause,) = causes_of([cell(sentence="the cloud half failed", logs="-- the cloud half\nKeyError")])
    assert (cause.what, cause.samples, cause.logs) == ("the cloud half failed", [], ["KeyError"])


def test_a_line_of_a_task_that_looks_like_a_heading_is_none():
    found = cell(samples=[sample("a"), sample("b")], logs="-- a\n-- other\n-- a\n-- b\nb's\n-- a\nstill b's\n")
    assert log_sections(found) == {"a": "-- other\n-- a", "b": "b's\n-- a\nstill b's"}
    assert log_sections(cell(logs="")) == {}


@pytest.mark.parametrize(
    ("places", "of", "told"),
    [
        ([("1.0.0", "13"), ("1.0.0", "14")], 6, "2 of 6 cells: app 1.0.0 on android 13, 14"),
        ([("1.0.0", "14"), ("2.0.0", "14")], 2, "all 2 cells: app 1.0.0, 2.0.0 on android 14"),
        ([("1.0.0", "14"), ("2.0.0", "9")], 3, "2 of 3 cells: app 1.0.0 on android 14; app 2.0.0 on android 9"),
        ([("1.0.0", "14")], 1, "app 1.0.0 on android 14"),
    ],
)
def test_which_cells_is_said_in_short(places, of, told):
    assert which_cells([cell(*place) for place in places], of) == told


def test_many_samples_are_counted():
    assert which_samples(["a"]) == "sample a"
    assert which_samples(list("abcdefg")) == "7 samples: a, b, c, d, e and 2 more"


def test_a_simulation_shows_each_traceback_once(capsys):
    """120 failures of 60 cells are told in a few lines."""
    cells = [failing(f"{app}.0.0", str(version), 65536 * app + version) for app in range(1, 7) for version in range(10)]
    done = sample("fine", passed=True)
    cells[0]["samples"].append(done)
    cells[0]["logs"] += "\n-- fine\nit prints"
    found = {"cells": cells, "kind": "fail", "sentence": "60 of 60 cells failed"}
    explaining._simulation(found, logs=False)
    told = capsys.readouterr().out
    assert told.count("Traceback") == 1
    assert "all 60 cells: app 1.0.0, 2.0.0, 3.0.0, 4.0.0, 5.0.0, 6.0.0 on android 0, 1, 2, 3" in told
    assert "2 samples: dark, bright" in told
    assert "it prints" not in told
    assert len(told.splitlines()) < 25
    explaining._simulation(found, logs=True)
    told = capsys.readouterr().out
    assert told.count("Traceback") == 1
    assert "log of sample fine\nin 1 of 60 cells: app 1.0.0 on android 0\n  it prints\n" in told
