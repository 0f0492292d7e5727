"""Runs on a real Ray of two nodes: its processes are killed, and nothing that was acknowledged is lost."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

import psutil
import pytest

from tests.placement.processor import arithmetic
from tests.placement.processor.problems import ANSWERING, COUNTING, HERE, answering, counting
from tests.support.waiting import FACTOR, wait_for
from walle.placement.plan_documents import plan_document
from walle.placement.planning import optimize
from walle.placement.problem.document import read_problem
from walle.placement.processor import ray_backend
from walle.placement.processor.operators import CodeUnusable
from walle.placement.processor.planning import WorkflowCode
from walle.placement.processor.running import PlanRun, RunSettings
from walle.placement.processor.specs import OperatorCode
from walleweb.config import BASE_DIR

INPUTS = BASE_DIR / "benchmarks" / "support" / "placement" / "inputs"
pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.xdist_group("ray")]
ENTRIES = {name: OperatorCode(HERE, f"arithmetic:{name}") for name in ("split", "square", "parity", "odd")}
CODE = WorkflowCode({**ENTRIES, "sums": OperatorCode(HERE, "arithmetic:total", key="arithmetic:key", window=4)})
ON_FOUR = replace(
    COUNTING,
    workers={
        "split": ("w0",),
        "square": ("w0", "w1"),
        "parity": ("w1",),
        "both": ("w4", "w5"),
        "odd": ("w0",),
        "sums": ("w0", "w1"),
    },
)
"""Few workers with several operators each: every process of Ray takes a second of CPU to start."""


@pytest.fixture(scope="module")
def second_node(monkeypatch_module):
    """A Ray of two nodes that this process is connected to: the head offers every tier, the second one two workers."""
    from ray.cluster_utils import Cluster

    from walle.placement.processor.ray_backend import OBJECT_STORE_BYTES, JoinedRay

    tiers = {"walle-tier-edge": 12.0, "walle-tier-cloud": 6.0}
    node = {"num_cpus": 1, "object_store_memory": OBJECT_STORE_BYTES, "include_log_monitor": False}
    head = {**node, "resources": tiers, "include_dashboard": False, "no_monitor": True}
    cluster = ray_backend.started(lambda: Cluster(initialize_head=True, head_node_args=head))
    resources = {"walle-worker-cloud-2": 1.0, "walle-worker-edge-1": 1.0}
    second = ray_backend.started(lambda: cluster.add_node(**node, resources=resources))
    with JoinedRay(cluster.address):
        second.cluster_address = cluster.address
        yield second
    cluster.shutdown()


@pytest.fixture(scope="module")
def monkeypatch_module():
    """The interpreter of Ray's processes finds what this one does, wherever pytest was started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        yield patch


def backend():
    from walle.placement.processor.ray_backend import RayBackend

    return RayBackend()


def parent_of(process):
    return psutil.Process(process).ppid()


def killed(process):
    os.kill(process, signal.SIGKILL)


def when_some_have_arrived(results, act):
    thread = threading.Thread(target=lambda: (wait_for(lambda: len(results) > 20, 60), act()))
    thread.start()
    return thread


def test_a_workflow_of_all_kinds_survives_the_death_of_a_worker(second_node):
    results, machines = [], backend()

    def items():
        for number in range(150):
            if number == 130:
                killer.join()
            yield {"numbers": number}

    run = PlanRun(counting(), ON_FOUR, machines, items(), results.extend, code=CODE, settings=RunSettings(rate=100))
    killer = when_some_have_arrived(results, lambda: killed(machines.processes["w4"]))
    report = run.run()
    assert {each.number: dict(each.records) for each in results} == {
        4 * n: sums for n, sums in enumerate(arithmetic.expected(range(150), 4)) if sums
    }
    assert len(results) == len({each.number for each in results})
    assert (report.acknowledged, report.pending, report.counts["restarts"]) == (150, 0, 1)


def test_code_that_cannot_be_loaded_is_named(second_node):
    code = WorkflowCode({**CODE.operators, "split": OperatorCode(HERE, "arithmetic:nothing")})
    run = PlanRun(counting(), ON_FOUR, backend(), iter([{"numbers": 1}]), lambda results: None, code=code)
    with pytest.raises(CodeUnusable, match="expected a function arithmetic:nothing"):
        run.run()


def written(folder):
    """Write the problem and its plan as the files that commands read; the problem is one of the published inputs."""
    shutil.copy(INPUTS / "vqa_small.json", folder / "problem.json")
    problem = read_problem((folder / "problem.json").read_bytes())
    plan = plan_document(optimize(problem, random.Random(1))[0].plan)
    (folder / "plan.json").write_text(json.dumps({"plans": [{"plan": plan}]}))


def command(folder, node, *arguments):
    files = ["plan.json", "--problem", "problem.json", "--address", node.cluster_address]
    program = [sys.executable, "-c", "import sys; from walle.cli.app import run; sys.exit(run(sys.argv[1:]))"]
    paths = {"PYTHONPATH": str(BASE_DIR)}
    return subprocess.Popen(
        [*program, "workflow", "run", *files, "--json", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | paths,
    )  # fmt: skip


def written_by(process, file):
    """Return what `process` has written into `file` so far; raises AssertionError once the process has ended."""
    assert process.poll() is None, process.stderr.read()
    return file.is_file() and file.read_text()


def actors_there():
    return [each for each in psutil.process_iter(["name"]) if "PlanWorker" in (each.info["name"] or "")]


def test_the_command_runs_a_plan_and_an_interrupt_leaves_nothing_behind(second_node, tmp_path):
    written(tmp_path)
    with command(tmp_path, second_node, "--items", "60", "--results", "answers.jsonl") as done:
        out, err = done.communicate(timeout=120 * FACTOR)
    assert done.returncode == 0, err
    report = json.loads(out)
    assert report["items"] == {"sent": 60, "acknowledged": 60, "pending": 0}
    lines = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert sorted(each["item"] for each in lines) == list(range(60))
    endless = tmp_path / "endless.jsonl"
    with command(tmp_path, second_node, "--items", "1000000", "--results", endless.name) as interrupted:
        try:
            wait_for(lambda: written_by(interrupted, endless), 120)
            interrupted.send_signal(signal.SIGINT)
            assert interrupted.wait(60 * FACTOR) != 0
        finally:
            interrupted.kill()
    wait_for(lambda: not actors_there(), 30, lambda: f"the end of {actors_there()}")


def test_a_run_survives_a_node_that_falls_silent(second_node):
    """Its processes are there and take connections, so neither Ray nor the operating system says that it is gone.

    The last test: the node is killed in the end.
    """
    results, machines, restarts = [], backend(), []
    (raylet,) = second_node.all_processes["raylet"]
    node = psutil.Process(raylet.process.pid)
    there, frozen = [], []

    def freeze_node():
        there.extend(each for each, pid in machines.processes.items() if parent_of(pid) == node.pid)
        frozen.extend([node, *node.children(recursive=True)])
        for each in frozen:
            each.suspend()

    def progress(report):
        restarts.append(report.counts.get("restarts", 0))
        if restarts[-1] >= 2:
            run.stop()

    items = ({"image": None, "sound": None} for _ in count())
    settings = RunSettings(rate=50, in_flight=100)
    run = PlanRun(answering(5), ANSWERING, machines, items, results.extend, settings=settings, progress=progress)
    killer = when_some_have_arrived(results, freeze_node)
    try:
        report = run.run()
    finally:
        killer.join()
        for each in frozen:
            with suppress(psutil.NoSuchProcess):
                each.kill()
    assert sorted(there) == ["cloud-2", "edge-1"]
    assert sorted(each.number for each in results) == list(range(report.admitted))
    assert report.acknowledged == report.admitted


def test_a_worker_lands_where_its_resource_is_offered():
    from walle.placement.processor.ray_backend import resource_of, tier_resources

    offered = {"walle-worker-a": 1.0, "walle-tier-edge": 1.0, "walle-tier-cloud": 0.0}
    assert resource_of("a", "edge", offered) == "walle-worker-a"
    assert resource_of("b", "edge", offered) == "walle-tier-edge"
    assert resource_of("b", "cloud", offered) is None
    assert tier_resources(["edge", "cloud", "edge"]) == {"walle-tier-edge": 2.0, "walle-tier-cloud": 1.0}


def test_a_cluster_where_nobody_listens_is_told_at_once():
    from walle.placement.processor.ray_backend import JoinedRay

    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    with pytest.raises(ConnectionError, match=f"expected a Ray cluster at {address}, found nobody"):
        JoinedRay(address).__enter__()


def test_a_node_that_takes_longer_than_ray_waits_is_started_again(monkeypatch):
    started = []

    def init(**options):
        started.append(options["resources"])
        if len(started) == 1:
            raise Exception("The current node timed out during startup.")

    monkeypatch.setattr(ray_backend.ray, "init", init)
    monkeypatch.setattr(ray_backend.ray, "shutdown", lambda: None)
    with ray_backend.LocalRay({"walle-tier-cloud": 1.0}):
        assert started == [{"walle-tier-cloud": 1.0}] * 2


def test_a_node_that_never_starts_leaves_its_logs_and_no_folder(monkeypatch, tmp_path):
    folders = []

    def init(**options):
        folders.append(Path(options["_temp_dir"]))
        logs = folders[-1] / "session_2026" / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        (logs / "raylet.out").write_text("no memory")
        raise Exception("The current node timed out during startup.")

    monkeypatch.setattr(ray_backend.ray, "init", init)
    monkeypatch.setattr(ray_backend.ray, "shutdown", lambda: None)
    with pytest.raises(Exception, match="timed out"), ray_backend.LocalRay({}, tmp_path / "logs"):
        pytest.fail("it has started")
    assert len(folders) == 2
    assert not folders[0].exists()
    assert (tmp_path / "logs" / "raylet.out").read_text() == "no memory"
