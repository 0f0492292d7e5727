"""The emulator: many devices, their misbehaviour, and their second life."""

from __future__ import annotations

import json
import random
import resource
import sys
from types import SimpleNamespace

import pytest

from tests.device.conftest import TASK
from tests.support.waiting import wait_for
from tests.vectors import keys
from walle.device.emulator.faults import FaultProfile, FaultRates
from walle.device.emulator.light import SharedRoots
from walle.device.emulator.population import Distribution, generate_population, parse_weights
from walle.device.emulator.statistics import Statistics
from walle.protocol.errors import Unsigned, WrongSignature
from walle.protocol.signing import sign

CODE = b"def run(inputs, context):\n    return {'y': inputs['x']}\n"
OFTEN = {"trigger": {"every_s": 0.3}}


@pytest.fixture
def emulator(address, repository, children, tmp_path):
    def start(*more: str):
        arguments = {
            "--server": address,
            "--app": "shop",
            "--app-key": "app-key",
            "--store": str(tmp_path / "fleet"),
            "--interval": "0.3",
            "--spread": "0.2",
            "--stats-every": "0.2",
            "--devices": "3",
        }
        return children.start(sys.executable, "-m", "walle.device.emulator", *sum(arguments.items(), ()), *more)

    return start


def statistics(child) -> list[dict]:
    return [json.loads(line) for line in child.output().splitlines() if line.startswith("{")]


def latest(child) -> dict:
    return (statistics(child) or [{"installed": {}, "events": {}, "runs": {}, "devices": {}}])[-1]


def end(child) -> dict:
    child.process.terminate()
    wait_for(child.ended, describe=child.output)
    assert child.process.returncode == 0, child.output()
    return latest(child)


def ids_of(repository) -> set[str]:
    return {headers["walle-device"].split('"')[1] for headers in repository.seen("/checkin")}


def test_full_and_light_devices_install_run_and_report(emulator, repository):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, **OFTEN)
    child = emulator("--light", "7")
    wait_for(lambda: latest(child)["installed"] == {f"{TASK}@1.0.0": 10}, describe=child.output)
    repository.publish(TASK, "2.0.0", {"main.py": CODE + b"#"}, **OFTEN)
    wait_for(lambda: latest(child)["runs"].get(f"{TASK}@2.0.0 ok", 0) > 20, describe=child.output)
    final = end(child)
    assert final["installed"] == {f"{TASK}@2.0.0": 10}
    assert final["events"]["enrolled"] == len(ids_of(repository)) == 10
    assert final["events"].get("error", 0) == final["events"].get("device-failed", 0) == 0
    kinds = [(r["kind"], r["version"], r["outcome"]) for r in repository.reports]
    assert kinds.count(("install", "2.0.0", "success")) == 10
    assert ("run", "2.0.0", "success") in kinds


def test_testers_have_inputs_of_their_own_and_say_who_they_are(emulator, repository, tmp_path):
    files = {value: tmp_path / f"{value}.jsonl" for value in (1.5, 2.5)}
    for value, file in files.items():
        file.write_text(json.dumps({"inputs": {"x": value}}))
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, **OFTEN)
    everybodys, testers = (f"{TASK}={file}" for file in files.values())
    child = emulator("--testers", "2", "--inputs", everybodys, "--testers-inputs", testers)
    wait_for(lambda: latest(child)["runs"].get(f"{TASK}@1.0.0 ok", 0) > 20, describe=child.output)
    assert end(child)["installed"] == {f"{TASK}@1.0.0": 5}
    outputs = [report["output"]["y"] for report in repository.reports if report["kind"] == "run"]
    assert 0 < outputs.count(2.5) < outputs.count(1.5)
    seen = repository.seen("/checkin")
    internal = [headers for headers in seen if 'channel="internal"' in headers["walle-app"]]
    assert len({headers["walle-device"].split('"')[1] for headers in internal}) == 2


def test_users_browse_on_devices_that_do_everything_and_trigger_tasks(emulator, repository):
    code = b"def run(inputs, context):\n    return {'y': len(inputs['events'])}\n"
    fields = {"inputs": {"events": {"type": "list"}}, "trigger": {"on": ["item_exit"]}}
    repository.publish(TASK, "1.0.0", {"main.py": code}, vm={"keep": True, "idle_s": 60, "held_mb": 64}, **fields)
    child = emulator("--viewers", "1", "--lapse", "50")
    wait_for(lambda: any(r["kind"] == "run" for r in repository.reports), timeout=40, describe=child.output)
    end(child)
    report = next(report for report in repository.reports if report["kind"] == "run")
    assert report["outcome"] == "success"
    assert report["output"]["y"] >= 5
    assert report["runs"]["count"] == 3


def test_started_again_they_are_the_same_devices(emulator, repository):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, **OFTEN)
    first = emulator("--light", "4")
    wait_for(lambda: latest(first)["installed"] == {f"{TASK}@1.0.0": 7}, describe=first.output)
    end(first)
    before = ids_of(repository)
    repository.requests.clear()
    second = emulator("--light", "4")
    wait_for(lambda: ids_of(repository) == before, describe=second.output)
    assert end(second)["installed"] == {f"{TASK}@1.0.0": 7}
    assert repository.seen("/enrol") == []
    assert all(TASK in headers.get("walle-profile", "") for headers in repository.seen("/checkin"))


def test_killed_and_started_again_they_are_the_same_devices(emulator, repository):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, **OFTEN)
    first = emulator("--light", "4")
    wait_for(lambda: latest(first)["installed"] == {f"{TASK}@1.0.0": 7}, describe=first.output)
    first.kill()
    second = emulator("--light", "4")
    wait_for(lambda: latest(second)["runs"], describe=second.output)
    assert end(second)["installed"] == {f"{TASK}@1.0.0": 7}
    assert len(repository.seen("/enrol")) == 7


def test_failures_as_asked_only_with_the_version_asked_for(emulator, repository):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, **OFTEN)
    child = emulator("--fail-rate", "1", "--only", f"{TASK}@2.0.0", "--light", "3")
    wait_for(lambda: latest(child)["runs"].get(f"{TASK}@1.0.0 ok", 0) > 5, describe=child.output)
    repository.publish(TASK, "2.0.0", {"main.py": CODE + b"#"}, **OFTEN)
    wait_for(lambda: latest(child)["events"].get("fell-back", 0) == 3, describe=child.output)
    final = end(child)
    assert f"{TASK}@2.0.0 ok" not in final["runs"]
    assert f"{TASK}@1.0.0 emulated-failure" not in final["runs"]
    assert final["installed"] == {f"{TASK}@1.0.0": 3, f"{TASK}@2.0.0": 3}, "light devices do not fall back"


def test_crashing_apps_come_back_report_it_and_fall_back(emulator, repository):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, **OFTEN)
    child = emulator("--crash-rate", "1", "--only", f"{TASK}@2.0.0")
    wait_for(lambda: latest(child)["runs"].get(f"{TASK}@1.0.0 ok", 0) > 5, describe=child.output)
    repository.publish(TASK, "2.0.0", {"main.py": CODE + b"#"}, **OFTEN)
    wait_for(lambda: latest(child)["installed"] == {f"{TASK}@2.0.0": 3}, describe=child.output)
    wait_for(lambda: latest(child)["installed"] == {f"{TASK}@1.0.0": 3}, timeout=40, describe=child.output)
    end(child)
    crashed = [report for report in repository.reports if report["error_class"] == "crashed"]
    assert {report["version"] for report in crashed} == {"2.0.0"}
    assert len(crashed) >= 6


def test_silent_devices_are_not_heard_of_again(emulator, repository):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, **OFTEN)
    child = emulator("--silent", "1", "--light", "3")
    wait_for(lambda: latest(child)["devices"] == {"silent": 6}, describe=child.output)
    checked_in = len(repository.seen("/checkin"))
    lines = len(statistics(child))
    wait_for(lambda: len(statistics(child)) > lines + 3, describe=child.output)
    assert len(repository.seen("/checkin")) == checked_in
    end(child)


def test_slow_devices_take_their_time(emulator, repository):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, **OFTEN)
    child = emulator("--slow", "1", "--delay", "0.2")
    wait_for(lambda: latest(child)["runs"].get(f"{TASK}@1.0.0 ok", 0) > 5, describe=child.output)
    end(child)
    durations = [report["duration_ms"] for report in repository.reports if report["kind"] == "run"]
    assert max(durations) > 100


def test_a_server_that_is_not_there_is_waited_for(emulator, repository):
    repository.status = 503
    child = emulator("--light", "2")
    wait_for(lambda: latest(child)["events"].get("offline", 0) >= 5, describe=child.output)
    repository.status = None
    wait_for(lambda: latest(child)["events"].get("enrolled", 0) == 5, describe=child.output)
    end(child)


def test_what_keeps_it_from_beginning_is_said_and_is_its_status(emulator):
    child = emulator("--root", "/no/such/root.json")
    wait_for(child.ended, describe=child.output)
    assert child.process.returncode == 2
    assert "/no/such/root.json" in child.output()


# -- who they are


def test_the_same_seed_gives_the_same_devices_and_a_smaller_fleet_is_part_of_a_larger():
    large = generate_population("shop", 100, 7, Distribution(), prefix="full")
    assert generate_population("shop", 30, 7, Distribution(), prefix="full") == large[:30]
    assert generate_population("shop", 100, 8, Distribution(), prefix="full") != large
    assert len({person.name for person in large}) == 100


def test_the_facts_follow_the_weights():
    weights = Distribution(app_versions={"1.0.0": 1, "2.0.0": 9}, systems={"ios": 1}, regions={"eu": 1})
    people = generate_population("shop", 1000, 1, weights, prefix="x")
    new = sum(person.facts.app_version == "2.0.0" for person in people)
    assert 860 < new < 940
    assert {person.facts.os for person in people} == {"ios"}
    assert {person.facts.os_version for person in people} <= {"15", "16", "17", "17.4"}


@pytest.mark.parametrize("text", ["", "a:", ":1", "a:0", "a:-1", "a:x", "a,,b"])
def test_weights_that_make_no_sense_are_refused(text):
    if text == "a:":
        assert parse_weights(text) == {"a": 1.0}
    else:
        with pytest.raises(ValueError, match=r"expected value|could not convert"):
            parse_weights(text)


def test_probabilities_are_kept():
    faults = FaultProfile(FaultRates(fail=0.2, crash=0.1), random.Random(1))
    outcomes = [faults.outcome(TASK, "1.0.0") for _ in range(10_000)]
    assert 900 < outcomes.count("crashed") < 1100
    assert 1850 < outcomes.count("emulated-failure") < 2150


def test_shares_of_devices_are_kept():
    all_faults = [FaultProfile(FaultRates(silent=0.3, slow=0.5), random.Random(seed)) for seed in range(1000)]
    assert 250 < sum(faults.silent for faults in all_faults) < 350
    assert 440 < sum(faults.slow for faults in all_faults) < 560


def test_the_greatest_memory_is_told_in_mebibytes(monkeypatch):
    monkeypatch.setattr(
        resource, "getrusage", lambda _: SimpleNamespace(ru_utime=1.5, ru_stime=0.25, ru_maxrss=2 << 20)
    )
    line = json.loads(Statistics().line(seconds=1.04, devices={}, installed={}, queued=0, features=0))
    assert (line["peak_memory_mb"], line["cpu_s"], line["seconds"]) == (2048, 1.75, 1.0)


def test_what_light_devices_verified_once_is_verified_anew_under_the_next_root():
    roots = SharedRoots(keys.root(1, 1, "root-1"))
    genuine, forged = (sign("assignment", b"{}", [keys.signer(name)]) for name in ("timestamp-1", "timestamp-9"))
    for _ in range(2):
        assert roots.verify("assignment", genuine) == b"{}"
        with pytest.raises(WrongSignature):
            roots.verify("assignment", forged)
    with pytest.raises(Unsigned):
        roots.verify("manifest", genuine)
    roots.update(keys.root(2, 2, "root-1", "root-2"))
    with pytest.raises(WrongSignature):
        roots.verify("assignment", genuine)


def test_devices_without_the_interpreter_refuse_its_bytecode(emulator, repository):
    bytecode = {"interpreter": "cpython-399", "source": "ab" * 32}
    repository.publish(TASK, "1.0.0", {"main.pyc": b"code"}, bytecode=bytecode)
    child = emulator("--light", "3")
    wait_for(lambda: latest(child)["events"].get("refused", 0) >= 6, describe=child.output)
    assert end(child)["installed"] == {}


def test_light_devices_run_kept_tasks_warm_after_a_cold_start_of_each_life(emulator, repository):
    repository.publish(TASK, "1.0.0", {"main.py": CODE}, vm={"keep": True}, **OFTEN)
    arguments = ("--devices", "0", "--light", "2", "--vm-ended", "0")
    for _ in range(2):
        repository.reports.clear()
        child = emulator(*arguments)
        wait_for(lambda: len([r for r in repository.reports if r["kind"] == "run"]) >= 6, describe=child.output)
        end(child)
        runs = [report for report in repository.reports if report["kind"] == "run"]
        assert [run["start"] for run in runs].count("cold") == 2
        assert min(run["duration_ms"] for run in runs if run["start"] == "cold") >= 45
        assert max(run["duration_ms"] for run in runs if run["start"] == "warm") <= 15
