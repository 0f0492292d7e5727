"""What tasks can do: inputs and outputs, the context, errors by class, measurements, concurrency."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psutil
import pytest

from tests.container.support import manifest, run_source, write_bundle
from tests.support.waiting import ANSWER_S
from walle.container.sandbox import Sandbox
from walle.container.staging import staged

pytestmark = pytest.mark.processes

INTEGER = {"type": "integer"}


def test_a_task_gets_inputs_and_gives_outputs_metrics_and_logs(any_sandbox, tmp_path):
    source = """
        import sys
        from helper import double

        def run(inputs, context):
            print("printed")
            context.log("logged")
            print("to stderr", file=sys.stderr)
            context.metric("confidence", 1)
            context.metric("confidence", 0.5)
            return {"y": double(inputs["x"])}
    """
    write_bundle(tmp_path, source, {"helper.py": "def double(x):\n    return 2 * x\n"})
    declared = manifest(inputs={"x": INTEGER}, outputs={"y": INTEGER}, metrics={"confidence": {}})
    result = any_sandbox.run(tmp_path, declared, {"x": 21})
    assert (result.outcome, result.error_class, result.message) == ("success", None, None)
    assert result.output == {"y": 42}
    assert result.metrics == {"confidence": 0.5}
    assert sorted(result.logs.split("\n")) == ["", "logged", "printed", "to stderr"]
    assert 0 < result.duration_ms < 5000
    assert result.cpu_ms > 0
    assert 5_000 < result.peak_memory_kb < 200_000
    assert {"memory", "time", "files"} <= set(result.enforced)


def test_tensors_are_arrays_where_numpy_is_required_and_lists_otherwise(sandbox, tmp_path):
    source = """
        def run(inputs, context):
            kind = type(inputs["image"])
            if kind is list:
                return {"kind": "list", "sum": sum(map(sum, inputs["image"]))}
            import numpy as np
            return {"kind": f"{kind.__name__} {inputs['image'].dtype}", "sum": np.float32(inputs["image"].sum())}
    """
    declared = manifest(
        inputs={"image": {"type": "tensor", "dtype": "float32", "shape": [2, 2]}},
        outputs={"kind": {"type": "text"}, "sum": {"type": "number"}},
    )
    write_bundle(tmp_path, source)
    image = np.array([[1, 2], [3, 4]], dtype=np.float32)
    plain = sandbox.run(tmp_path, declared, {"image": image.tolist()})
    arrays = sandbox.run(tmp_path, declared | {"requires": {"modules": ["numpy"]}}, {"image": image})
    assert plain.output == {"kind": "list", "sum": 10.0}
    assert arrays.output == {"kind": "ndarray float32", "sum": 10.0}


def test_arrays_in_outputs_become_lists(sandbox, tmp_path):
    source = """
        import numpy as np
        def run(inputs, context):
            return {"result": [np.arange(3), np.bool_(True), np.float64(0.5), (1, "a", None)]}
    """
    result = run_source(sandbox, tmp_path, source, requires={"modules": ["numpy"]})
    assert result.output == {"result": [[0, 1, 2], True, 0.5, [1, "a", None]]}


def test_the_context_gives_paths_of_bundle_files_and_a_scratch_folder(any_sandbox, tmp_path):
    source = """
        from tests_support import attempt
        def run(inputs, context):
            own = context.path("prefs.json").read_text()
            (context.scratch / "x").write_text("kept for this run")
            return {"result": [
                own, context.path("data/model.txt").read_text(), (context.scratch / "x").read_text(),
                attempt(lambda: context.path("absent")), attempt(lambda: context.path("/etc/passwd")),
                attempt(lambda: context.path("../main.py")),
            ]}
    """
    helper = (
        "def attempt(action):\n    try:\n        return str(action())\n    except OSError as e:\n"
        "        return type(e).__name__\n"
    )
    files = {"data/model.txt": "weights", "defaults/prefs.json": "default", "tests_support.py": helper}
    write_bundle(tmp_path, source, files)
    exclusive = {"path": "prefs.json", "kind": "exclusive", "template": "{a}", "default": "defaults/prefs.json"}
    declared = manifest(files=[exclusive])
    refused = ["FileNotFoundError"] * 3
    first = any_sandbox.run(tmp_path, declared, {})
    assert first.output == {"result": ["default", "weights", "kept for this run", *refused]}
    (tmp_path / "prefs.json").write_text("mine")
    assert any_sandbox.run(tmp_path, declared, {}).output["result"][0] == "mine"


def test_nothing_of_a_run_is_left_for_the_next(any_sandbox, tmp_path):
    source = """
        import os, sys, tempfile
        def run(inputs, context):
            before = os.listdir(context.scratch) + os.listdir(tempfile.gettempdir())
            seen = hasattr(sys, "left_behind")
            sys.left_behind = True
            open("file", "w").write("x")
            return {"result": [before, seen, "walle" in sys.modules, os.getcwd() == str(context.scratch)]}
    """
    for _ in range(2):
        assert run_source(any_sandbox, tmp_path, source).output == {"result": [[], False, False, True]}


def test_bundles_that_only_their_owner_can_read_are_made_readable(any_sandbox, tmp_path):
    write_bundle(tmp_path, "def run(i, c): return {'result': [c.path('data/x').read_text()]}", {"data/x": "content"})
    for path in [*tmp_path.rglob("*"), tmp_path]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert any_sandbox.run(tmp_path, manifest(), {}).output == {"result": ["content"]}


def test_random_numbers_differ_between_runs(sandbox, tmp_path):
    source = """
        import random, numpy as np
        def run(inputs, context):
            return {"result": [random.random(), np.random.rand(), hash("x") != 0]}
    """
    results = [run_source(sandbox, tmp_path, source, requires={"modules": ["numpy"]}) for _ in range(3)]
    assert len({result.output["result"][0] for result in results}) == 3
    assert len({result.output["result"][1] for result in results}) == 3


@pytest.mark.parametrize(
    ("source", "error_class", "message"),
    [
        ("def run(i, c):\n    return 1 / 0", "exception:ZeroDivisionError", "division by zero (main.py:2)"),
        ("class Odd(Exception): pass\ndef run(i, c): raise Odd()", "exception:Odd", "main.Odd (main.py:2)"),
        ("def run(i, c): raise SystemExit(3)", "exception:SystemExit", "SystemExit: 3 (main.py:1)"),
        ("def run(i, c): raise KeyboardInterrupt", "exception:KeyboardInterrupt", "KeyboardInterrupt (main.py:1)"),
        ("def run(i, c): return run(i, c)", "exception:RecursionError", "maximum recursion depth exceeded"),
        ("def run(i, c):\n    import absent_module", "import-missing", "No module named 'absent_module'"),
        ("import absent_module", "import-missing", "No module named 'absent_module'"),
        ("def walk(i, c): pass", "entry-point-missing", "module main has no function run"),
        ("run = 5", "entry-point-missing", "module main has no function run"),
        ("def run(i): pass", "exception:TypeError", "takes 1 positional argument but 2 were given"),
        ("def run(i, c) pass", "exception:SyntaxError", "expected ':'"),
        ("def run(i, c): c.metric('m', 1)", "exception:UndeclaredMetric", "m is not declared under [metrics]"),
        ("def run(i, c): c.metric('known', float('nan'))", "exception:ValueError", "expected a finite number"),
        ("def run(i, c): return None", "output-invalid", "expected a dict of outputs, found a NoneType"),
        ("def run(i, c): return {}", "output-invalid", "result: expected a list, found nothing"),
        ("def run(i, c): return {'result': 5}", "output-invalid", "result: expected a list, found 5"),
        ("def run(i, c): return {'result': [], 'x': 1}", "output-invalid", "x: expected nothing, it is not declared"),
        ("def run(i, c): return {'result': [float('nan')]}", "output-invalid", "the output is not JSON data"),
        ("def run(i, c): return {'result': [object()]}", "output-invalid", "a object is not JSON data"),
        ("def run(i, c): return {'result': ['x' * 70000]}", "output-too-large", "expected at most 65536 bytes"),
        ("import os\ndef run(i, c): os._exit(0)", "crashed:exit-0", "ended without an answer"),
        ("import os\ndef run(i, c): os._exit(7)", "crashed:exit-7", "ended without an answer"),
        ("import os\ndef run(i, c): os.abort()", "crashed:SIGABRT", "was ended by SIGABRT"),
        ("import ctypes\ndef run(i, c): ctypes.string_at(0)", "crashed:SIGSEGV", "was ended by SIGSEGV"),
        ("import os\ndef run(i, c): os.kill(os.getpid(), 9)", "crashed:SIGKILL", "was ended by SIGKILL"),
    ],
)  # fmt: skip
def test_each_failure_has_its_class_and_says_where(sandbox, tmp_path, source, error_class, message):
    result = run_source(sandbox, tmp_path, source, metrics={"known": {}})
    assert (result.outcome, result.error_class, result.output) == ("failure", error_class, None)
    assert message in result.message


def test_the_log_of_a_failure_holds_the_traceback(sandbox, tmp_path):
    result = run_source(sandbox, tmp_path, "def run(i, c):\n    print('before')\n    return {}['key']")
    assert result.logs.startswith("before\nTraceback (most recent call last):")
    assert 'File "/bundle/main.py", line 3, in run' in result.logs


def test_missing_modules_and_entry_points_have_their_own_classes(sandbox, tmp_path):
    source = "def run(i, c): return {'result': []}"
    required = run_source(sandbox, tmp_path, source, requires={"modules": ["absent_module"]})
    assert required.error_class == "import-missing"
    assert required.message == "the required module absent_module is not installed"
    for entry_point in ["absent:run", "main.absent:run", "absent.main:run"]:
        assert run_source(sandbox, tmp_path, source, entry_point=entry_point).error_class == "entry-point-missing"
    write_bundle(tmp_path, source, {"pkg/__init__.py": "", "pkg/core.py": source})
    assert sandbox.run(tmp_path, manifest(entry_point="pkg.core:run"), {}).ok


def test_inputs_are_checked_before_anything_runs(sandbox, tmp_path):
    declared = manifest(inputs={"x": INTEGER, "y": INTEGER})
    result = sandbox.run(tmp_path / "nowhere", declared, {"x": "1", "z": 0})
    assert result.error_class == "input-invalid"
    assert result.message == (
        "z: expected nothing, it is not declared, found 0; x: expected an integer, found '1'; "
        "y: expected an integer, found nothing"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"requires": None},
        {"inputs": [1]},
        {"outputs": {"y": 5}},
        {"files": [1]},
        {"limits": {"time_ms": "x"}},
        {"entry_point": None},
    ],
)
def test_a_manifest_of_another_shape_is_an_error_of_the_sandbox(sandbox, tmp_path, changes):
    write_bundle(tmp_path, "def run(i, c): return {'result': []}")
    broken = manifest(**changes)
    result = sandbox.run(tmp_path, broken, {})
    assert result.error_class in ("sandbox-error", "entry-point-missing")
    assert sandbox.run(tmp_path, {}, {}).message == "the manifest cannot be run: KeyError: 'requires'"


def test_a_bundle_that_is_not_there_is_an_error_of_the_sandbox(any_sandbox, tmp_path):
    result = any_sandbox.run(tmp_path / "nowhere", manifest(), {})
    assert result.error_class == "sandbox-error"
    assert "found no /" in result.message


def test_runs_in_many_threads_have_their_own_users_and_answers(sandbox, tmp_path):
    write_bundle(
        tmp_path, "import os, time\ndef run(i, c):\n    time.sleep(0.2)\n    return {'result': [i['x'], os.getuid()]}"
    )
    declared = manifest(inputs={"x": INTEGER})
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda x: sandbox.run(tmp_path, declared, {"x": x}), range(16)))
    assert [result.output["result"][0] for result in results] == list(range(16))
    users = [result.output["result"][1] for result in results]
    assert (len(set(users[:8])) == 8) if os.geteuid() == 0 else (set(users) == {os.getuid()})


async def test_arun_leaves_the_event_loop_free(sandbox, tmp_path):
    write_bundle(tmp_path, "import time\ndef run(i, c):\n    time.sleep(0.3)\n    return {'result': []}")
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.02)
            ticks += 1

    ticking = asyncio.create_task(tick())
    results = await asyncio.gather(*(sandbox.arun(tmp_path, manifest(), {}) for _ in range(3)))
    ticking.cancel()
    assert all(result.ok for result in results)
    assert ticks > 5


def test_the_sandbox_survives_the_death_of_its_worker(tmp_path):
    write_bundle(tmp_path, "def run(i, c): return {'result': []}")
    known = set(psutil.Process().children())
    with Sandbox() as sandbox:
        assert sandbox.run(tmp_path, manifest(), {}).ok
        [worker] = set(psutil.Process().children()) - known
        worker.send_signal(signal.SIGKILL)
        worker.wait(ANSWER_S)
        assert sandbox.run(tmp_path, manifest(), {}).ok


def test_an_interpreter_that_does_not_start_is_said_so(tmp_path):
    write_bundle(tmp_path, "def run(i, c): return {'result': []}")
    with Sandbox(python="/nowhere/python") as sandbox:
        result = sandbox.run(tmp_path, manifest(), {})
    assert result.error_class == "sandbox-error"
    assert "cannot be started" in result.message


def test_closing_stops_the_worker_and_runs_leave_no_handles(tmp_path):
    write_bundle(tmp_path, "def run(i, c): return {'result': []}")
    before = psutil.Process().num_fds()
    known = set(psutil.Process().children())
    sandbox = Sandbox()
    for _ in range(3):
        assert sandbox.run(tmp_path, manifest(), {}).ok
    sandbox.close()
    assert psutil.Process().num_fds() == before
    assert set(psutil.Process().children()) <= known


def test_modules_come_from_the_given_folders(tmp_path):
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "only_here.py").write_text("VALUE = 7")
    bundle = write_bundle(tmp_path / "bundle", "import only_here\ndef run(i, c): return {'result': [only_here.VALUE]}")
    tmp_path.chmod(0o755)
    with Sandbox(module_paths=[str(modules)]) as sandbox:
        assert sandbox.run(bundle, manifest(requires={"modules": ["only_here"]}), {}).output == {"result": [7]}
        assert run_source(sandbox, tmp_path / "other", "import numpy").error_class == "import-missing"


def test_the_worker_imports_nothing_of_walle_but_itself():
    worker = Path(sys.modules["walle.container.sandbox"].__file__).parent / "worker"
    for path in worker.glob("*.py"):
        lines = [line for line in path.read_text().splitlines() if "import" in line and "walle" in line]
        assert all("from walle.container.worker" in line for line in lines if line.lstrip().startswith("from"))


def test_nothing_around_the_folders_of_a_run_is_changed_when_they_cannot_be_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tmp_path.chmod(0o755)
    (tmp_path / "bundle").mkdir()
    with staged(tmp_path / "bundle", None) as (_, scratch):
        (scratch / "closed" / "deep").mkdir(parents=True)
        (scratch / "closed").chmod(0)
    with staged(tmp_path / "bundle", None) as (_, scratch):
        shutil.rmtree(scratch.parent)
    assert [path.name for path in tmp_path.iterdir()] == ["bundle"]
    assert tmp_path.stat().st_mode & 0o777 == 0o755
