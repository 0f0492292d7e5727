"""VMs that are kept between runs: what stays, what ends them, who shares them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import psutil
import pytest

from tests.container.support import manifest, name_me, processes_named, write_bundle
from tests.support.waiting import wait_for
from walle.container import verdict
from walle.container.inputs import opened_inputs
from walle.container.pool import VMPool
from walle.container.runtime import Runtime
from walle.container.sandbox import Sandbox
from walle.container.staging import staged
from walle.container.tensors import SharedTensor
from walle.container.vm import RunExchange, TaskVM
from walle.container.worker.config import WorkerConfig
from walle.container.worker.inside import VMPlace, fork_into
from walle.container.worker.isolate import SandboxFolders
from walle.container.worker.monitor import VMMonitor

pytestmark = pytest.mark.processes

COUNTING = """
    runs = 0
    def run(inputs, context):
        global runs
        runs += 1
        return {"result": [runs]}
"""


def kept(**changes: Any) -> dict[str, Any]:
    """The manifest of a task whose VM is kept."""
    vm = {"keep": True, "idle_s": 600, "held_mb": 64} | changes.pop("vm", {})
    return manifest(vm=vm, **changes)


def counts(sandbox: Sandbox, bundle: Path, times: int, **changes: Any) -> list[Any]:
    """What each of so many runs of COUNTING says: 1 in a new VM, more in one that was kept."""
    return [sandbox.run(bundle, kept(**changes), {}).output["result"][0] for _ in range(times)]


def test_a_kept_task_stays_loaded(any_sandbox, tmp_path):
    bundle = write_bundle(tmp_path, COUNTING)
    results = [any_sandbox.run(bundle, kept(), {}) for _ in range(3)]
    assert [result.output["result"] for result in results] == [[1], [2], [3]]
    assert [result.start for result in results] == ["cold", "warm", "warm"]
    assert {result.vm_end for result in results} == {None}
    assert results[2].cpu_ms < results[0].cpu_ms
    any_sandbox.end(bundle)


def test_inputs_outputs_metrics_and_logs_are_those_of_each_run(sandbox, tmp_path):
    source = """
        def run(inputs, context):
            if inputs["x"] == 1:
                context.metric("m", 1)
            print("run", inputs["x"])
            return {"y": inputs["x"] + 1}
    """
    integer = {"type": "integer"}
    declared = kept(inputs={"x": integer}, outputs={"y": integer}, metrics={"m": {}})
    bundle = write_bundle(tmp_path, source)
    results = [sandbox.run(bundle, declared, {"x": x}) for x in (1, 2)]
    assert [result.output for result in results] == [{"y": 2}, {"y": 3}]
    assert [result.metrics for result in results] == [{"m": 1.0}, {}]
    assert [result.logs for result in results] == ["run 1\n", "run 2\n"]


def test_each_run_finds_an_empty_scratch_folder_and_works_there(any_sandbox, tmp_path):
    source = """
        import os
        def run(inputs, context):
            found = os.listdir(context.scratch)
            here = os.getcwd() == str(context.scratch)
            os.makedirs(context.scratch / "deep" / "er")
            (context.scratch / "deep" / "er" / "file").write_text("x")
            os.symlink("/usr", context.scratch / "link")
            os.chmod(context.scratch / "deep", 0)
            os.chdir("/")
            return {"result": [found, here]}
    """
    bundle = write_bundle(tmp_path, source)
    results = [any_sandbox.run(bundle, kept(), {}) for _ in range(2)]
    assert [result.output["result"] for result in results] == [[[], True]] * 2
    assert results[1].start == "warm"
    assert os.path.exists("/usr/lib")
    any_sandbox.end(bundle)


@pytest.mark.parametrize(
    ("last", "error_class", "vm_end"),
    [
        ("1 / 0", "exception:ZeroDivisionError", "failed"),
        ("import time; time.sleep(60)", "timeout", "failed"),
        ("while True: pass", "timeout", "failed"),
        ("x = bytearray(10**9)", "memory-limit", "failed"),
        ("import os; os.kill(os.getpid(), 9)", "crashed:SIGKILL", "failed"),
        ("return {'result': 5}", "output-invalid", "failed"),
        ("import threading, time; threading.Thread(target=time.sleep, args=(60,)).start()", None, "threads-left"),
        ("global held; held = bytearray(20_000_000)", None, "held-too-much"),
        ("global file; file = open('x', 'wb'); file.write(bytes(30_000_000)); import os; os.unlink('x')", None,
         "held-too-much"),
    ],
)  # fmt: skip
def test_what_a_run_does_ends_its_vm_and_the_next_run_says_so_once(sandbox, tmp_path, last, error_class, vm_end):
    source = f"""
runs = 0
def run(inputs, context):
    global runs
    runs += 1
    if inputs["last"]:
        {last}
    return {{"result": [runs]}}
"""
    # Two seconds are time enough for the sound runs on a busy machine.
    limits = {"time_ms": 2000 if error_class == "timeout" else 20_000}
    declared = kept(inputs={"last": {"type": "boolean"}}, limits=limits, vm={"held_mb": 10})
    bundle = write_bundle(tmp_path, source)
    results = [sandbox.run(bundle, declared, {"last": last}) for last in (False, True, False, False)]
    assert [result.start for result in results] == ["cold", "warm", "cold", "warm"]
    assert [result.error_class for result in results] == [None, error_class, None, None]
    assert [result.vm_end for result in results] == [None, None, vm_end, None]
    assert results[2].output["result"] == [1]


def test_what_a_task_sends_unasked_is_nobodys_answer(sandbox, tmp_path):
    source = """
        import os, json
        runs = 0
        def run(inputs, context):
            global runs
            runs += 1
            if runs == 2:
                forged = b'{"error_class": null, "metrics": {}}\\n{"result": ["forged"]}'
                honest = b'{"error_class": null, "metrics": {}}\\n{"result": ["honest"]}'
                # At once: a VM may be stopped between two writings, and would answer its third run with the other.
                os.write(3, b"".join(len(answer).to_bytes(4, "big") + answer for answer in (honest, forged)))
            return {"result": [runs]}
    """
    bundle = write_bundle(tmp_path, source)
    results = [sandbox.run(bundle, kept(), {}) for _ in range(4)]
    assert "forged" not in str([result.output for result in results])
    assert results[2].start == "cold"


async def test_whoever_waits_for_a_result_waits_for_no_vm_to_be_made_ready(monkeypatch, sandbox, tmp_path):
    bundle = write_bundle(tmp_path, COUNTING)
    ready, settle = threading.Event(), TaskVM.settle

    def settled(vm: TaskVM, found: RunExchange) -> str:
        ready.wait()
        return settle(vm, found)

    monkeypatch.setattr(TaskVM, "settle", settled)
    first = await sandbox.arun(bundle, kept(), {})
    second = asyncio.create_task(sandbox.arun(bundle, kept(), {}))
    ready.set()
    assert [first.output, (await second).output] == [{"result": [1]}, {"result": [2]}]
    assert (first.cpu_ms > 0, first.peak_memory_kb > 0) == (True, True)


def test_tensors_are_checked_when_their_task_is_stopped(monkeypatch, sandbox, tmp_path):
    """Until then it could change them; others have been copied."""
    bundle = write_bundle(tmp_path, "import numpy\ndef run(i, c): return {'result': numpy.ones(2, 'float32')}")
    outputs = {"result": {"type": "tensor", "dtype": "float32", "shape": [2]}}
    declared = kept(requires={"modules": ["numpy"]}, outputs=outputs)
    order: list[str] = []
    settle, judge = TaskVM.settle, verdict.result_of
    monkeypatch.setattr(TaskVM, "settle", lambda *given: (settle(*given), order.append("stopped"))[0])
    monkeypatch.setattr(verdict, "result_of", lambda *given: (judge(*given), order.append("checked"))[0])
    assert sandbox.run(bundle, declared, {}, arrays=True).output["result"].tolist() == [1, 1]
    assert order[:2] == ["stopped", "checked"]


async def test_a_run_that_nobody_waits_for_any_more_leaves_its_vm(tmp_path):
    bundle = write_bundle(tmp_path, COUNTING)
    # With one thread runs begin in the order in which they were asked for.
    with Sandbox(parallel=1) as sandbox:
        left = asyncio.create_task(sandbox.arun(bundle, kept(), {}))
        await asyncio.sleep(0)
        left.cancel()
        later = await sandbox.arun(bundle, kept(), {})
    assert (later.output, later.start) == ({"result": [2]}, "warm")


def test_an_idle_vm_is_stopped_and_uses_no_processor_time(sandbox, tmp_path):
    name = "walle-idle"
    source = f"""
import signal
{name_me(name)}
ticks = 0
def tick(*_):
    global ticks
    ticks += 1
def run(inputs, context):
    signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    return {{"result": []}}
"""
    bundle = write_bundle(tmp_path, source)
    assert sandbox.run(bundle, kept(), {}).ok
    [pid] = processes_named(name)
    process = psutil.Process(pid)
    assert process.status() == psutil.STATUS_STOPPED
    used = process.cpu_times()
    assert sandbox.run(write_bundle(tmp_path / "other", COUNTING), kept(), {}).ok
    assert process.cpu_times() == used
    sandbox.end(bundle)
    assert processes_named(name) == []


def test_no_process_is_stopped_for_a_task_that_ended_before_it_was_found(monkeypatch):
    signalled = []
    monkeypatch.setattr("walle.container.worker.monitor.os.kill", lambda *call: signalled.append(call))
    folders = SandboxFolders("/bundle", "/scratch", private=True, proc=None)
    request = SimpleNamespace(scratch_mb=1)
    monitor = VMMonitor(VMPlace(-1, -1, -1, WorkerConfig((), ()), request, folders, None), first=2, most=1)
    monitor.find_task()
    assert monitor.stop() is None
    assert signalled == []


def test_a_vm_ends_when_it_has_been_idle_for_long(sandbox, tmp_path):
    name = "walle-brief"
    bundle = write_bundle(tmp_path, name_me(name) + "def run(i, c): return {'result': []}")
    declared = kept(vm={"idle_s": 0.2})
    assert sandbox.run(bundle, declared, {}).ok
    wait_for(lambda: processes_named(name) == [])
    later = sandbox.run(bundle, declared, {})
    assert (later.start, later.vm_end) == ("cold", "idle")


def test_a_killed_vm_is_started_anew_and_the_cause_is_said_once(sandbox, tmp_path):
    name = "walle-killed"
    bundle = write_bundle(tmp_path, name_me(name) + "def run(i, c): return {'result': []}")
    assert sandbox.run(bundle, kept(), {}).ok
    [pid] = processes_named(name)
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: processes_named(name) == [])
    results = [sandbox.run(bundle, kept(), {}) for _ in range(2)]
    assert [(result.ok, result.start, result.vm_end) for result in results] == [
        (True, "cold", "killed:SIGKILL"),
        (True, "warm", None),
    ]


def test_a_vm_that_ends_just_before_it_is_asked_for_a_run_costs_none(monkeypatch, sandbox, tmp_path):
    name = "walle-justnow"
    bundle = write_bundle(tmp_path, name_me(name) + "def run(i, c): return {'result': []}")
    declared = kept(vm={"idle_s": 0.2})
    assert sandbox.run(bundle, declared, {}).ok
    wait_for(lambda: processes_named(name) == [])
    monkeypatch.setattr("walle.container.vm.TaskVM.reason_of_end", lambda _: "")
    later = sandbox.run(bundle, declared, {})
    assert (later.ok, later.start, later.vm_end) == (True, "cold", "idle")


def test_a_run_that_is_interrupted_ends_its_vm(monkeypatch, sandbox, tmp_path):
    bundle = write_bundle(tmp_path, COUNTING)
    assert counts(sandbox, bundle, 1) == [1]
    with monkeypatch.context() as patch:
        patch.setattr("walle.container.vm._Conversation.hold", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            sandbox.run(bundle, kept(), {})
    assert counts(sandbox, bundle, 1) == [1]


def test_a_vm_that_is_interrupted_while_it_is_made_ready_ends(monkeypatch, sandbox, tmp_path):
    bundle = write_bundle(tmp_path, COUNTING)
    with monkeypatch.context() as patch:
        patch.setattr(TaskVM, "settle", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            sandbox.run(bundle, kept(), {})
    assert counts(sandbox, bundle, 2) == [1, 2]


def test_a_task_that_closes_its_channel_after_its_answer_holds_nobody_up(sandbox, tmp_path):
    source = """
        import os, socket, time
        def run(inputs, context):
            answer = b'{"metrics": {}}\\n{"result": []}'
            os.write(3, len(answer).to_bytes(4, "big") + answer)
            socket.socket(fileno=os.dup(3)).shutdown(socket.SHUT_WR)
            time.sleep(60)
    """
    bundle = write_bundle(tmp_path, source)
    first, second = [sandbox.run(bundle, kept(limits={"time_ms": 3000}), {}) for _ in range(2)]
    assert first.ok
    # It may have been stopped before it came to that, and does it in the second run.
    assert (second.ok, second.vm_end, second.error_class) in [(True, "exited", None), (False, None, "timeout")]


def test_a_metric_may_have_any_name(sandbox, tmp_path):
    bundle = write_bundle(tmp_path, "def run(i, c):\n    c.metric('error_class', 1)\n    return {'result': []}")
    results = [sandbox.run(bundle, kept(metrics={"error_class": {}}), {}) for _ in range(2)]
    assert [(result.ok, result.start) for result in results] == [(True, "cold"), (True, "warm")]


def test_a_line_that_has_no_end_belongs_to_the_log_of_its_run(sandbox, tmp_path):
    source = "import sys\ndef run(i, c):\n    sys.stderr.write('half')\n    return {'result': []}"
    bundle = write_bundle(tmp_path, source)
    assert [sandbox.run(bundle, kept(), {}).logs for _ in range(2)] == ["half", "half"]


@pytest.mark.parametrize("declared", [manifest, kept])
def test_inputs_that_do_not_fit_in_the_memory_of_a_task_are_its_limit(sandbox, tmp_path, declared):
    text = {"inputs": {"x": {"type": "text"}}, "limits": {"memory_mb": 8}}
    bundle = write_bundle(tmp_path, "def run(i, c): return {'result': []}")
    assert sandbox.run(bundle, declared(**text), {"x": "x" * 20_000_000}).error_class == "memory-limit"


def test_a_vm_whose_end_was_asked_for_ends_however_its_run_does():
    pool, vm = VMPool(1000, 10), Mock(held_mb=0.0)

    def interrupted() -> None:
        with pool.slot("key") as slot:
            slot.vm = vm
            pool.end(lambda _: True, "closed")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    vm.close.assert_called_once()


def test_idle_vms_leave_user_ids_for_other_runs(tmp_path):
    with Sandbox(uids=range(50_000, 50_004)) as sandbox:
        for number in range(6):
            result = sandbox.run(write_bundle(tmp_path / str(number), COUNTING), kept(), {})
            assert result.ok, result.message


def test_a_fork_of_our_program_leaves_vms_and_folders_alone(tmp_path):
    bundle = write_bundle(tmp_path, COUNTING)
    with Sandbox() as sandbox, ExitStack() as stack:
        assert counts(sandbox, bundle, 1) == [1]
        _, scratch = stack.enter_context(staged(bundle, None))

        def leave() -> None:
            sandbox.close()
            stack.close()

        assert os.waitpid(fork_into(leave), 0)[1] == 0
        assert scratch.exists()
        assert counts(sandbox, bundle, 1) == [2]


def test_no_run_meets_the_memory_of_another_version_device_or_profile(sandbox, tmp_path):
    first, second = write_bundle(tmp_path / "1", COUNTING), write_bundle(tmp_path / "2", COUNTING)
    assert counts(sandbox, first, 2) == [1, 2]
    assert counts(sandbox, second, 1) == [1]
    assert counts(sandbox, first, 1) == [3]
    assert counts(sandbox, first, 1, limits={"time_ms": 4000}) == [1]
    replaced = sandbox.run(first, kept(), {})
    assert (replaced.output["result"], replaced.vm_end) == ([1], "replaced")
    (first / "main.py").rename(first / "other.py")
    write_bundle(first, COUNTING)
    assert counts(sandbox, first, 1) == [1]


def test_a_task_that_does_not_ask_is_not_kept(sandbox, tmp_path):
    bundle = write_bundle(tmp_path, COUNTING)
    results = [sandbox.run(bundle, manifest(), {}) for _ in range(2)]
    assert [(result.output["result"], result.start, result.held_mb) for result in results] == [([1], "cold", None)] * 2


def test_runs_of_one_task_at_the_same_time_take_turns_in_its_vm(sandbox, tmp_path):
    bundle = write_bundle(tmp_path, COUNTING)
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: sandbox.run(bundle, kept(), {}), range(12)))
    assert sorted(result.output["result"][0] for result in results) == list(range(1, 13))


def test_under_memory_pressure_the_largest_idle_vms_end_first(tmp_path):
    with Sandbox() as sandbox:
        bundles = {}
        for megabytes in (10, 40, 20):
            source = f"held = bytearray({megabytes} * 2**20)\nruns = 0\n{COUNTING.lstrip()}"
            bundles[megabytes] = write_bundle(tmp_path / str(megabytes), source.replace("\n    ", "\n"))
            assert counts(sandbox, bundles[megabytes], 2) == [1, 2]
        freed = sandbox.relieve(45 * 2**20)
        assert 45 * 2**20 <= freed < 60 * 2**20
        assert counts(sandbox, bundles[10], 1) == [3]
        assert counts(sandbox, bundles[20], 1) == [3]
        again = sandbox.run(bundles[40], kept(), {})
        assert (again.start, again.vm_end) == ("cold", "memory-pressure")
        assert sandbox.relieve(10**12) > 0
        assert counts(sandbox, bundles[10], 1) == [1]


def test_idle_vms_keep_to_the_budget_of_their_sandbox(tmp_path):
    with Sandbox(kept_mb=30) as sandbox:
        bundles = [write_bundle(tmp_path / str(number), COUNTING) for number in range(8)]
        for bundle in bundles:
            assert counts(sandbox, bundle, 1) == [1]
        kept_ones = [bundle for bundle in bundles if counts(sandbox, bundle, 1) == [2]]
        assert 0 < len(kept_ones) < 8


def test_nothing_is_left_of_a_sandbox_that_was_closed_or_whose_program_was_killed(tmp_path):
    name = "walle-left"
    bundle = write_bundle(tmp_path, name_me(name) + "def run(i, c): return {'result': []}")
    before = psutil.Process().num_fds()
    with Sandbox() as sandbox:
        assert sandbox.run(bundle, kept(), {}).ok
        assert len(processes_named(name)) == 1
    assert processes_named(name) == []
    assert psutil.Process().num_fds() == before
    program = (
        "from pathlib import Path\n"
        "from tests.container.test_vm import kept\n"
        "from walle.container.sandbox import Sandbox\n"
        "sandbox = Sandbox()\n"
        f"print(sandbox.run(Path({str(tmp_path)!r}), kept(), {{}}).start, flush=True)\n"
        "input()\n"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=Path(__file__).parents[2], stdin=pipe, stdout=pipe
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"cold\n"
        wait_for(lambda: len(processes_named(name)) == 1)
        owner.kill()
    wait_for(lambda: processes_named(name) == [])


# -- tensors -------------------------------------------------------------------------------------------------

IMAGE = {"type": "tensor", "dtype": "float32", "shape": [256, 256]}
DOUBLE = """
    import numpy as np
    def run(inputs, context):
        image = inputs["image"]
        if image[0, 0] == 7:
            image[0, 0] = 8
        np.multiply(image, 2, out=context.tensor("doubled"))
        return {"doubled": context.tensor("doubled"), "mean": image.mean()}
"""
TENSORS = {
    "inputs": {"image": IMAGE},
    "outputs": {"doubled": IMAGE, "mean": {"type": "number"}},
    "requires": {"modules": ["numpy"]},
}


def test_tensors_go_in_and_out_as_arrays(sandbox, tmp_path):
    bundle = write_bundle(tmp_path, DOUBLE)
    with SharedTensor((256, 256), "float32") as image:
        for value in (1.0, 3.0):
            image.array[...] = value
            result = sandbox.run(bundle, kept(**TENSORS), {"image": image}, arrays=True)
            assert result.output["mean"] == value
            assert (result.output["doubled"] == 2 * value).all()
            assert not result.output["doubled"].flags.writeable
    assert result.start == "warm"


def test_a_task_writes_to_its_own_copy_of_a_shared_input(sandbox, tmp_path):
    with SharedTensor((256, 256), "float32") as image:
        image.array[...] = 7
        result = sandbox.run(write_bundle(tmp_path, DOUBLE), manifest(**TENSORS), {"image": image}, arrays=True)
        assert result.output["doubled"][0, 0] == 16
        assert image.array[0, 0] == 7


def test_plain_arrays_and_lists_give_the_same_as_shared_ones(sandbox, tmp_path):
    source = "def run(i, c): return {'doubled': i['image'] * 2, 'mean': i['image'].mean()}"
    image = np.random.default_rng(1).random((256, 256), dtype=np.float32)
    bundle = write_bundle(tmp_path, source)
    declared = manifest(**TENSORS, limits={"output_kb": 4096, "memory_mb": 256})
    outputs = [
        sandbox.run(bundle, declared, {"image": given}, arrays=arrays).output
        for given in (image, image.tolist())
        for arrays in (True, False)
    ]
    for output in outputs:
        assert np.array_equal(np.asarray(output["doubled"], "float32"), image * 2)
    assert isinstance(outputs[0]["doubled"], np.ndarray)
    assert isinstance(outputs[1]["doubled"], list)


@pytest.mark.parametrize(
    ("shape", "dtype", "found"),
    [((256, 255), "float32", "an array of float32 [256, 255]"), ((256, 256), "float64", "an array of float64")],
)
def test_shared_tensors_are_checked_like_other_inputs(sandbox, tmp_path, shape, dtype, found):
    with SharedTensor(shape, dtype) as image:
        result = sandbox.run(write_bundle(tmp_path, DOUBLE), kept(**TENSORS), {"image": image})
    assert result.error_class == "input-invalid"
    assert f"image: expected a tensor of float32 [256, 256], found {found}" in result.message


def test_shared_outputs_are_checked_like_other_outputs(sandbox, tmp_path):
    source = """
        def run(inputs, context):
            context.tensor("doubled")[0, 0] = float("nan")
            return {"doubled": context.tensor("doubled"), "mean": 1}
    """
    result = sandbox.run(write_bundle(tmp_path, source), kept(**TENSORS), {"image": np.ones((256, 256))}, arrays=True)
    assert result.error_class == "input-invalid"
    image = np.ones((256, 256), "float32")
    result = sandbox.run(write_bundle(tmp_path, source), kept(**TENSORS), {"image": image}, arrays=True)
    assert (result.error_class, result.message) == (
        "output-invalid",
        "doubled: expected finite numbers, found NaN or an infinity",
    )


def test_a_vm_that_is_stopped_cannot_change_what_it_has_answered(sandbox, tmp_path):
    source = """
        import threading
        def spoil(array):
            while True:
                array[...] = 666
        def run(inputs, context):
            array = context.tensor("doubled")
            array[...] = 1
            threading.Thread(target=spoil, args=(array,), daemon=True).start()
            return {"doubled": array, "mean": 1}
    """
    image = np.ones((256, 256), "float32")
    result = sandbox.run(write_bundle(tmp_path, source), kept(**TENSORS), {"image": image}, arrays=True)
    first = result.output["doubled"].copy()
    sandbox.run(write_bundle(tmp_path / "other", COUNTING), manifest(), {})
    assert np.array_equal(result.output["doubled"], first)


@pytest.mark.parametrize(
    "array", [np.array([object()] * 600), np.array(["text"] * 600), np.zeros(600, [("field", "f8")])]
)
def test_arrays_of_other_things_than_numbers_are_invalid_inputs(sandbox, tmp_path, array):
    result = sandbox.run(write_bundle(tmp_path, DOUBLE), kept(**TENSORS), {"image": array})
    assert result.error_class == "input-invalid"


def test_a_closed_tensor_is_an_invalid_input(sandbox, tmp_path):
    image = SharedTensor((256, 256), "float32")
    image.close()
    result = sandbox.run(write_bundle(tmp_path, DOUBLE), kept(**TENSORS), {"image": image})
    assert (result.error_class, result.message) == (
        "input-invalid",
        "image: expected a tensor that is open, found one that was closed",
    )


def test_a_tensor_that_is_closed_while_its_run_waits_is_sent_all_the_same():
    image = SharedTensor((256, 256), "float32")
    with opened_inputs(Runtime.of(kept(**TENSORS)), {"image": image}) as ready:
        image.close()
        assert os.fstat(ready.handles[0]).st_size == 256 * 256 * 4


def test_outputs_that_do_not_fit_in_the_memory_of_a_task_are_not_shared(sandbox, tmp_path):
    outputs = {"y": {"type": "tensor", "dtype": "float32", "shape": [1024, 1024, 3]}}
    bundle = write_bundle(tmp_path, "def run(i, c): return {'y': c.tensor('y')}")
    declared = kept(**TENSORS | {"inputs": {}, "outputs": outputs}, limits={"memory_mb": 8})
    assert sandbox.run(bundle, declared, {}, arrays=True).error_class == "exception:KeyError"


def test_the_descriptor_of_a_shared_tensor_cannot_be_written_to(tmp_path):
    with SharedTensor((4,), "uint8") as tensor:
        again = os.open(f"/proc/self/fd/{tensor.handle}", os.O_RDWR)
        with pytest.raises(PermissionError):
            os.write(again, b"x")
        os.close(again)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(tensor.handle, b"x")
        with pytest.raises(OSError, match="Invalid argument"):
            os.ftruncate(tensor.handle, 0)


def test_a_worker_of_another_version_is_refused_and_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr("walle.container.launching.VERSION", 1)
    with Sandbox() as sandbox:
        result = sandbox.run(write_bundle(tmp_path, COUNTING), kept(), {})
    assert (result.error_class, result.message) == (
        "sandbox-error",
        "walle was upgraded while this program ran: start the program anew",
    )


def test_beside_an_app_periodic_tasks_leave_half_of_the_processors_alone(tmp_path):
    bundle = write_bundle(tmp_path, "import os\ndef run(i, c): return {'result': sorted(os.sched_getaffinity(0))}")
    all_of_them = sorted(os.sched_getaffinity(0))
    with Sandbox(beside_app=True) as device, Sandbox() as elsewhere:
        for declared in (manifest, kept):
            for sandbox, trigger, expected in (
                (device, {"every_s": 5}, all_of_them[: max(1, len(all_of_them) // 2)]),
                (device, {"on": ["click"]}, all_of_them),
                (elsewhere, {"every_s": 5}, all_of_them),
            ):
                result = sandbox.run(bundle, declared(trigger=trigger), {})
                assert result.output["result"] == expected, (trigger, result.message)


def test_whoever_prints_without_an_end_is_held_up(sandbox, tmp_path):
    source = """
        import os, time
        def run(inputs, context):
            written, until = 0, time.monotonic() + 0.5
            while time.monotonic() < until:
                written += os.write(1, bytes(65536))
            return {"result": [written]}
    """
    result = sandbox.run(write_bundle(tmp_path, source), manifest(), {})
    # Read as fast as it comes, it would be hundreds of megabytes.
    assert result.output["result"][0] < 30_000_000
    assert result.ok
