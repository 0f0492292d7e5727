"""One phone: a device process that checks in, runs and reports once per call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

from walle.device.storage.store import DeviceStore
from walleweb.demo.context import DemoContext, expect, expect_found, first_line
from walleweb.demo.examples import Example

APP_VERSION = "2.0.0"


def wake(world: DemoContext, name: str, example: Example, *, age_band: str = "") -> str:
    """Run the phone once on the example's first recorded input; return its output."""
    from walleweb.demo import secrets
    from walleweb.demo.fleet import root_file

    inputs = world.folder / f"{name}.jsonl"
    inputs.write_text(json.dumps(first_line(example.inputs)))
    command = [sys.executable, "-m", "walle.device", "--once", "--server", world.server, "--app", world.app]
    command += ["--app-version", APP_VERSION, "--os", "android", "--os-version", "14", "--perf", "high"]
    command += ["--store", str(world.folder / "devices" / name), "--inputs", f"{example.task}={inputs}"]
    command += ["--root", str(root_file(world.folder))]
    if age_band:
        statement = world.folder / f"{name}.statement.json"
        statement.write_bytes(secrets.signed_facts(world.app, name, {"age_band": age_band}, int(time.time()) + 3600))
        command += ["--statement", str(statement)]
    environment = {**os.environ, "WALLE_APP_KEY": secrets.app_key()}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    expect(done.returncode == 0, f"the device to end well, found:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def newest_run(world: DemoContext, name: str, example: Example) -> dict[str, Any]:
    """Return the phone's newest run of a version, from the control plane; raises StepFailed unless it succeeded."""
    with DeviceStore(world.folder / "devices" / name) as store:
        credential = expect_found(store.state.credential, f"{name} to be enrolled")
    query = {"task": example.task, "version": example.version, "device": credential.device, "kind": "run"}
    report = world.control_plane.newest_report(**query)
    expectation = f"{name} to have run {example}, found {report}"
    report = expect_found(report, expectation)
    expect(report["outcome"] == "success", expectation)
    return report


def installed(world: DemoContext, name: str) -> dict[str, str]:
    """Return what the phone's own directory contains: task to manifest digest."""
    with DeviceStore(world.folder / "devices" / name) as store:
        return {name: task.current.manifest for name, task in store.state.tasks.items() if task.current}


def describe(report: dict[str, Any]) -> str:
    took = f"{report['duration_ms']:.0f} ms, {report['peak_memory_kb'] / 1024:.0f} MB"
    return f"{json.dumps(report['output'])} in {took}; evidence: {'yes' if report['evidence'] else 'no'}"
