"""`python -m walle.device`, as a person uses it: a real process, the real sandbox, a simulated cloud."""

from __future__ import annotations

import json
import sys

import pytest

from tests.device.conftest import TASK
from tests.support.waiting import wait_for
from walle.device.__main__ import parser
from walle.device.storage.store import DeviceStore

CODE = b"""
def run(inputs, context):
    context.metric("size", 2.5)
    return {"y": inputs["x"] * 2}
"""


@pytest.fixture
def device(address, repository, children, tmp_path):
    """Starts the command line; more arguments may be given."""
    (tmp_path / "root.json").write_bytes(repository.roots[1])
    (tmp_path / "inputs.jsonl").write_text('{"inputs": {"x": 4}}\n\n{"inputs": {"x": 5}}\n')

    def start(*more: str, store: str = "device"):
        arguments = {
            "--server": address,
            "--app": "shop",
            "--app-key": "app-key",
            "--app-version": "1.2.0",
            "--os": "android",
            "--os-version": "14",
            "--perf": "high",
            "--region": "eu",
            "--store": str(tmp_path / store),
            "--root": str(tmp_path / "root.json"),
            "--inputs": f"{TASK}={tmp_path / 'inputs.jsonl'}",
        }
        return children.start(sys.executable, "-m", "walle.device", *sum(arguments.items(), ()), *more)

    return start


def finished(child, status: int = 0) -> str:
    wait_for(child.ended, describe=child.output)
    assert child.process.returncode == status, child.output()
    return child.output()


def test_once_installs_runs_and_reports_and_says_so(device, repository):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, metrics={"size": {"unit": "x"}})
    output = finished(device("--once", "--fact", "beta=true", "--fact", "level=3"))
    told = [line.split()[1] for line in output.splitlines()]
    assert told == ["enrolled", "checked-in", "installed", "checked-in", "ran", "reported"]
    assert f"{TASK} 1.0.0: {{'y': 8}}" in output
    assert (
        f'perf="high";rg="eu";interpreter="{sys.implementation.cache_tag}";beta;level=3'
        in repository.seen("/checkin")[0]["walle-app"]
    )
    run = next(report for report in repository.reports if report["kind"] == "run")
    assert (run["output"], run["metrics"]) == ({"y": 8}, {"size": 2.5})
    assert run["duration_ms"] > 0
    assert run["peak_memory_kb"] > 1000


def test_the_device_goes_on_where_it_was(device, repository):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, metrics={"size": {"unit": "x"}})
    finished(device("--once"))
    assert "enrolled" not in finished(device("--once"))


def test_it_runs_until_it_is_stopped(device, repository):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, metrics={"size": {"unit": "x"}}, trigger={"every_s": 0.1})
    child = device("--interval", "0.2")

    def runs():
        return [report["output"] for report in repository.reports if report["kind"] == "run"]

    wait_for(lambda: len(runs()) >= 3, describe=child.output)
    assert runs()[:3] == [{"y": 8}, {"y": 10}, {"y": 8}]
    child.process.terminate()
    finished(child)


def test_a_task_that_fails_in_the_sandbox_is_a_failed_run(device, repository):
    repository.publish(TASK, "1.0.0", {"main.py": b"def run(inputs, context):\n    raise KeyError('no')\n"})
    output = finished(device("--once"))
    assert "exception:KeyError" in output
    run = next(report for report in repository.reports if report["kind"] == "run")
    assert (run["outcome"], run["error_class"]) == ("failure", "exception:KeyError")


@pytest.mark.parametrize(
    "requires", [{"modules": ["telepathy"]}, {"app": ">=9"}, {"os": {"ios": "*"}}, {"python": "<3"}]
)
def test_what_the_device_lacks_is_said(device, repository, requires):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, requires=requires)
    output = finished(device("--once"))
    assert "refused (requirement-unmet)" in output
    assert repository.reports[0]["error_class"] == "requirement-unmet"


@pytest.mark.parametrize("requires", [{"app": "nonsense"}, {"modules": 5}, {"os": 7}])
def test_requirements_that_cannot_be_read_are_refused(device, repository, requires):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, requires=requires)
    assert "refused (document-malformed)" in finished(device("--once"))


def test_without_a_server_once_fails(device):
    assert "offline" in finished(device("--once", "--server", "http://127.0.0.1:9"), status=1)


def test_a_directory_in_use_is_refused(device, tmp_path):
    with DeviceStore(tmp_path / "busy"):
        assert "another process works in" in finished(device("--once", store="busy"), status=2)


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--inputs", "nonsense", "task"),
        ("--inputs", "camera/digits", "expected TASK=FILE, found 'camera/digits'"),
        ("--inputs", "camera/digits=", "expected TASK=FILE, found 'camera/digits='"),
        ("--inputs", "camera/digits=/no/such/file", "no such file: /no/such/file"),
        ("--interval", "0", "expected a number above 0, found 0"),
        ("--fact", "x", "expected"),
    ],
)
def test_a_wrong_command_line_is_refused(option, value, told, capsys):
    with pytest.raises(SystemExit, match="2"):
        parser().parse_args(["--server", "x", "--app", "y", "--store", "z", option, value])
    assert told in capsys.readouterr().err


def test_inputs_that_are_no_objects_are_refused(device, tmp_path):
    (tmp_path / "inputs.jsonl").write_text("[1]\n")
    assert "expected a JSON object" in finished(device("--once"), status=2)


def test_a_statement_is_sent_to_enrol(device, repository, tmp_path):
    statement = repository.statement("user-7", {"age_band": "18-25"})
    (tmp_path / "statement.json").write_text(json.dumps(statement))
    assert "enrolled as user-7" in finished(device("--once", "--statement", str(tmp_path / "statement.json")))
