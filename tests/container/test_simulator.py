"""One cell of a simulation, run for real: what excludes it, what cannot be tested, what fails and how it is said."""

from __future__ import annotations

import itertools
import os

import pytest

from tests.container.hostile import HOSTILE, HOSTILE_LIMITS
from tests.container.support import manifest, own_uids, processes_named, run_source, write_bundle
from tests.support.waiting import wait_for
from walle.container.profile import Cell, Profile
from walle.container.samples import SampleCase, SessionCase
from walle.container.sandbox import Sandbox
from walle.container.simulator import NO_SAMPLES, Interpreter, Simulator, newer_syntax
from walle.container.uids import UidPool

CELL = Cell("1.0.0", "android", "14")
ONE = (SampleCase("one", {}, {"result": {"equals": [1]}}),)
GOOD = "def run(i, c): return {'result': [1]}"
WAITING = "import time\ndef run(i, c): time.sleep(60)"


def profile(**changes):
    return Profile(**{"sdk": "1.0.0", "python": "3.11", "modules": {"numpy": "*"}, **changes})


@pytest.fixture
def simulate(sandbox, tmp_path):
    """Simulates a source in a cell."""
    simulator = Simulator(sandbox)

    def call(source, under=None, samples=ONE, simulator=simulator, files=None, checkpoint=lambda: None, **changes):
        bundle = write_bundle(tmp_path / "bundle", source, files)
        under = under or profile()
        return simulator.simulate(CELL, under, bundle, manifest(**changes), samples, checkpoint=checkpoint)

    return call


def test_a_cell_whose_samples_give_what_is_expected_passes(simulate):
    report = simulate("def run(i, c):\n    print('hello')\n    return {'result': [1]}")
    assert (report.state, report.sentence) == ("passed", "1 sample passed")
    [sample] = report.to_dict()["samples"]
    assert (sample["name"], sample["passed"], sample["error_class"], sample["mismatches"]) == ("one", True, None, [])
    assert sample["duration_ms"] > 0
    assert sample["peak_memory_kb"] > 1000
    assert {"files", "network", "processes", "memory", "time", "profile"} <= set(sample["enforced"])
    assert report.logs() == "-- one\nhello\n"


def test_a_kept_task_has_to_give_the_same_in_a_vm_that_was_used(simulate, sandbox, tmp_path):
    source = (
        "runs = 0\ndef run(i, c):\n    global runs\n    runs += 1\n    return {'result': [min(runs, 1 + i['grows'])]}"
    )
    vm = {"keep": True, "idle_s": 600, "held_mb": 64}
    reports = [
        simulate(
            source,
            samples=[SampleCase("one", {"grows": grows}, {"result": {"equals": [1]}})],
            inputs={"grows": {"type": "boolean"}},
            vm=vm,
        )
        for grows in (False, True)
    ]
    assert [report.sentence for report in reports] == [
        "2 samples passed",
        "sample 'one (again, in the VM that was kept)': result: expected [1], found [2] (1 of 2 samples failed)",
    ]
    declared = manifest(vm=vm, inputs={"grows": {"type": "boolean"}})
    assert sandbox.run(tmp_path / "bundle", declared, {"grows": True}, profile=profile()).start == "cold"


def test_wrong_outputs_and_failures_are_said_by_sample(simulate):
    samples = [SampleCase(str(x), {"x": x}, {"result": {"equals": [5]}}) for x in (2, 3, 0)]
    source = "def run(i, c): return {'result': [10 / i['x']]}"
    report = simulate(source, samples=samples, inputs={"x": {"type": "integer"}})
    assert report.state == "failed"
    assert report.sentence == "sample '3': result: expected [5], found [3.3333333333333335] (2 of 3 samples failed)"
    assert [sample["error_class"] for sample in report.to_dict()["samples"]] == [
        None,
        None,
        "exception:ZeroDivisionError",
    ]
    assert "ZeroDivisionError" in report.logs()


@pytest.mark.parametrize(
    ("requires", "reason"),
    [
        ({"app": ">=2"}, "app: expected >=2, found 1.0.0"),
        ({"runtime": ">=1.1"}, "runtime: expected >=1.1, found 1.0.0"),
        ({"python": ">=3.12"}, "python: expected >=3.12, found 3.11"),
        ({"modules": ["torch"]}, "modules: expected torch, found no such module"),
        ({"os": {"ios": ">=15"}}, "os: expected one of ios, found android"),
        ({"os": {"android": ">=15"}}, "os.android: expected >=15, found 14"),
    ],
)
def test_a_device_that_would_not_install_the_task_is_excluded(simulate, requires, reason):
    report = simulate("raise SystemError", requires=requires)
    assert (report.state, report.sentence) == ("excluded", f"a device like this does not install the task: {reason}")


def test_a_missing_module_a_missing_function_memory_and_python_fail_by_what_they_are(simulate):
    cases = {
        "import-missing": ("import importlib\ndef run(i, c): importlib.import_module('numpy')", profile(modules={})),
        "exception:AttributeError": ("import math\ndef run(i, c): math.comb(3, 2)", profile(without=("math.comb",))),
        "memory-limit": ("def run(i, c): bytearray(60_000_000)", profile(memory_mb=32)),
        "not Python 3.9": ("def run(i, c):\n    match i:\n        case _: pass", profile(python="3.9")),
    }
    for said, (source, under) in cases.items():
        report = simulate(source, under)
        assert report.state == "failed", report
        assert said in report.sentence
    assert report.sentence == "not Python 3.9: main.py:3: Pattern matching is only supported in Python 3.10 and greater"
    assert "(at most 32 MB here)" in simulate(*cases["memory-limit"]).sentence


def test_the_same_sources_pass_where_the_app_has_what_they_need(simulate):
    source = "import math\ndef run(i, c):\n    match i:\n        case _: return {'result': [math.comb(1, 1)]}"
    assert simulate(source, profile(python="3.11")).state == "passed"
    assert simulate(source, profile(python="3.9")).state == "failed"
    assert simulate(source, profile(without=("math.comb",))).state == "failed"


def test_a_task_without_samples_fails_and_says_how_to_add_one(simulate):
    report = simulate(GOOD, samples=[])
    assert (report.state, report.sentence) == ("failed", NO_SAMPLES)


def test_every_source_has_to_be_of_the_apps_python(tmp_path):
    grouped = "try: pass\nexcept* ValueError: pass"
    write_bundle(tmp_path, GOOD, {"new.py": grouped, "pkg/newer.py": "with (a as b, c as d): pass"})
    assert list(newer_syntax(tmp_path, (3, 8))) == [
        "new.py:2: Exception groups are only supported in Python 3.11 and greater",
        "pkg/newer.py:1: Parenthesized context managers are only supported in Python 3.9 and greater",
    ]
    assert list(newer_syntax(tmp_path, (3, 99))) == []


def test_sources_that_cannot_be_read_are_problems_too(tmp_path):
    write_bundle(tmp_path, GOOD, {"nul.py": "\0", "deep.py": "(" * 100_000})
    assert [problem.partition(":")[0] for problem in newer_syntax(tmp_path, (3, 11))] == ["deep.py", "nul.py"]


# -- what cannot be tested -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("under", "requires", "problem"),
    [
        ({"python": "3.12"}, {}, "the app has Python 3.12, the simulator 3.11: run the workers under the newer one"),
        ({"modules": {"numpy": "1.26"}}, {"modules": ["numpy.linalg"]}, "the app has numpy 1.26, the simulator 2.4.6"),
        ({"modules": {"torch": "*"}}, {"modules": ["torch"]}, "the simulator has no module torch: install it"),
    ],
)
def test_another_interpreter_cannot_stand_for_the_apps(sandbox, simulate, under, requires, problem):
    versions = {"numpy": "2.4.6"}
    simulator = Simulator(sandbox, interpreter=Interpreter((3, 11), versions.get))
    report = simulate(GOOD, profile(**under), simulator=simulator, requires=requires)
    assert report.state == "error"
    assert report.sentence.startswith(problem)
    assert not report.passing


def test_only_modules_that_the_task_needs_have_to_be_there(sandbox, simulate):
    simulator = Simulator(sandbox, interpreter=Interpreter((3, 11), {"numpy": "2.4.6"}.get))
    under = profile(modules={"numpy": "2.4", "torch": "2.0"})
    assert simulate(GOOD, under, simulator=simulator, requires={"modules": ["numpy", "json"]}).state == "passed"


def test_the_real_interpreter_knows_its_modules():
    import numpy

    here = Interpreter()
    assert here.version_of("numpy") == numpy.__version__
    assert here.version_of("absent") is None
    assert here.misfit(profile(), {"requires": {"modules": ["numpy"]}}) is None


def test_bytecode_is_tested_by_its_interpreter_alone(sandbox, simulate):
    simulator = Simulator(sandbox, interpreter=Interpreter((3, 12)))
    for_it = {"interpreter": "cpython-311", "source": "ab" * 32}
    report = simulate(GOOD, profile(python="3.11"), simulator=simulator, bytecode=for_it)
    wanted = "the bytecode is for cpython-311, the simulator runs cpython-312: run the workers under cpython-311"
    assert (report.state, report.sentence) == ("error", wanted)


def test_an_app_with_another_python_does_not_install_bytecode(simulate):
    bytecode = {"interpreter": "cpython-311", "source": "ab" * 32}
    report = simulate(GOOD, profile(python="3.10"), bytecode=bytecode)
    assert report.state == "excluded"
    assert "interpreter: expected cpython-311, which the bytecode is for, found cpython-310" in report.sentence


def test_a_machine_without_walls_tests_nothing(simulate):
    with Sandbox(namespaces=False, seccomp=False, landlock=False) as open_sandbox:
        report = simulate("raise SystemError", simulator=Simulator(open_sandbox))
    assert report.state == "error"
    if os.geteuid() == 0:
        # A user of its own still keeps files apart; an interpreter out of that user's reach runs nothing at all.
        assert "nothing protects network, processes" in report.sentence or "no task can be run here" in report.sentence
    else:
        assert "nothing protects files, network, processes" in report.sentence


def test_a_machine_that_cannot_run_tasks_now_may_later(sandbox, simulate, monkeypatch):
    with Sandbox(python="/nowhere/python") as broken:
        report = simulate(GOOD, simulator=Simulator(broken))
    assert (report.state, report.passing) == ("error", True)
    assert "no task can be run here: the worker cannot be started" in report.sentence


def test_a_sandbox_that_breaks_between_samples_is_an_error(simulate, monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    uids = own_uids(1)
    with Sandbox(uids=uids) as small:
        simulator = Simulator(small)
        simulator._is_isolating = True
        with UidPool(uids).lease():
            report = simulate(GOOD, simulator=simulator)
    assert (report.state, report.passing) == ("error", True)
    assert "the sandbox could not run sample 'one': all user ids" in report.sentence


def test_malformed_requirements_are_an_error(simulate):
    assert simulate(GOOD, requires={"app": "newest"}).state == "error"


# -- bounds --------------------------------------------------------------------------------------------------


def test_a_cell_takes_no_longer_than_its_time(sandbox, simulate):
    ticks = itertools.count(step=40)
    simulator = Simulator(sandbox, clock=lambda: next(ticks), seconds=100)
    report = simulate(GOOD, samples=[SampleCase(str(n), {}, {}) for n in range(5)], simulator=simulator)
    assert (report.state, report.sentence) == ("failed", "only 2 of 5 samples ran within 100 s")


def test_a_run_ends_with_its_cell(sandbox, simulate):
    """Of 3.5 s one and a half are left to the second sample, which would take a minute."""
    ticks = itertools.count(step=1)
    simulator = Simulator(sandbox, clock=lambda: next(ticks), seconds=3.5)
    source = "import time\ndef run(i, c):\n    time.sleep(i['x'])\n    return {'result': []}"
    samples = [SampleCase(str(x), {"x": x}, {}) for x in (0, 60)]
    options = {"inputs": {"x": {"type": "integer"}}, "limits": {"time_ms": 60_000}}
    report = simulate(source, samples=samples, simulator=simulator, **options)
    assert (report.state, report.sentence) == ("failed", "only 1 of 2 samples ran within 3.5 s")
    assert [sample.name for sample in report.samples] == ["0"]


class LateOnce:
    """A sandbox in which the first run waits for longer than it may, as on a machine that is busy."""

    def __init__(self, sandbox, waiting):
        self._sandbox, self._waiting, self.runs = sandbox, waiting, 0

    def __getattr__(self, name):
        return getattr(self._sandbox, name)

    def run(self, bundle, manifest, inputs, **others):
        self.runs += 1
        return self._sandbox.run(self._waiting if self.runs == 1 else bundle, manifest, inputs, **others)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [(GOOD, "1 sample passed"), (WAITING, "sample 'one': timeout: the task ran longer than 2000 ms")],
)
def test_a_run_that_only_waited_is_tried_once_more(sandbox, simulate, tmp_path, source, sentence):
    late = LateOnce(sandbox, write_bundle(tmp_path / "waiting", WAITING, None))
    simulator = Simulator(late)
    simulator._is_isolating = True
    report = simulate(source, simulator=simulator, limits={"time_ms": 2000})
    assert (report.sentence, late.runs) == (sentence, 2)


class Firings:
    """A session that triggers so many runs, with their numbers as the input x."""

    def __init__(self, count):
        self._count = count

    def replay(self, run):
        return (run({"x": number}) for number in range(self._count))


def test_a_session_ends_with_its_cell_in_whichever_run(sandbox, simulate):
    ticks = itertools.count(step=40)
    simulator = Simulator(sandbox, clock=lambda: next(ticks), seconds=100)
    source, passed = "def run(i, c): return {'result': [1]}", []
    samples = [SessionCase("a view", Firings(5), {})]
    options = {"inputs": {"x": {"type": "integer"}}, "checkpoint": lambda: passed.append(1)}
    report = simulate(source, samples=samples, simulator=simulator, **options)
    assert (report.state, report.sentence) == ("failed", "only 0 of 1 samples ran within 100 s")
    assert len(passed) == 3


def test_the_checkpoint_is_passed_before_each_sample(simulate):
    class Gone(Exception):
        pass

    passed = []

    def checkpoint():
        passed.append(1)
        if len(passed) == 3:
            raise Gone

    with pytest.raises(Gone):
        simulate(GOOD, samples=[SampleCase(str(n), {}, {}) for n in range(5)], checkpoint=checkpoint)
    assert len(passed) == 3


def test_logs_are_bounded_and_the_failed_samples_come_first(simulate):
    source = "def run(i, c):\n    print(str(i['x']) * 10_000)\n    return {'result': [1 / i['x']]}"
    samples = [SampleCase(f"s{x}\0", {"x": x}, {}) for x in (1, 2, 3, 4, 5, 0)]
    report = simulate(source, samples=samples, inputs={"x": {"type": "integer"}})
    logs = report.logs()
    assert logs.startswith("-- s0\ufffd\n0000")
    assert "ZeroDivisionError" in logs
    assert len(logs) == 16 * 1024
    assert "\0" not in logs + str(report.to_dict())


def test_what_a_task_can_put_into_a_report_is_bounded(simulate):
    outputs = {f"o{number}": {"type": "text"} for number in range(100)}
    source = f"def run(i, c): return dict.fromkeys({list(outputs)}, 'x' * 100)"
    expect = {name: {"equals": "y" * 100} for name in outputs}
    samples = [SampleCase(str(number), {}, expect) for number in range(3)]
    report = simulate(source, samples=samples, outputs=outputs)
    assert report.state == "failed"
    assert len(report.short_sentence) == 2000
    assert len(str(report.to_dict())) < 20_000


# -- hostile tasks -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", HOSTILE, ids=lambda task: task.name)
def test_a_hostile_task_is_contained_and_named(simulate, sandbox, tmp_path, task):
    report = simulate(task.source, limits=HOSTILE_LIMITS)
    assert report.state == "failed", report
    [sample] = report.to_dict()["samples"]
    assert sample["error_class"] in task.ends, report
    assert sample["error_class"] in report.sentence
    assert len(str(report.to_dict())) < 10_000
    wait_for(lambda: processes_named(f"walle-{task.name}") == [])
    assert run_source(sandbox, tmp_path / "after", GOOD).ok
