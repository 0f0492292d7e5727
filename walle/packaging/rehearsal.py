"""Which modules are really loaded: the samples of the tasks run in the sandbox, and a device starts.

Reading sources does not tell what compiled modules import, nor what libraries load by names that they put together.
All of it happens in a process of its own, which has loaded nothing else. A task could lie about what it loaded: then
its own build lacks something.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import walle
from walle.container.result import RunResult
from walle.container.sandbox import Sandbox

_ENTRY: Final = "walle_rehearsal"
_MARK: Final = "walle-rehearsal-modules:"
_LOG_KB: Final = 1024
_SECONDS: Final = 600
# What runs in the place of the entry point: the entry point, and then a line in the log.
_SOURCE: Final = """
import importlib, sys
def run(inputs, context):
    module, _, function = {entry_point!r}.partition(":")
    output = getattr(importlib.import_module(module), function)(inputs, context)
    context.log("{mark}" + " ".join(sys.modules))
    return output
"""
_START: Final = "import sys; sys.path.insert(0, sys.argv[1]); from walle.packaging import rehearsal; rehearsal.main()"


class RehearsalFailed(ValueError):
    """A sample failed, or a device does not start."""


@dataclass(frozen=True)
class TaskInputs:
    """A task of which samples can be run: its name for messages, the folder of its bundle, its manifest, its inputs."""

    name: str
    bundle: str
    manifest: Mapping[str, Any]
    inputs: Sequence[Mapping[str, Any]]


def rehearse(tasks: Sequence[TaskInputs]) -> frozenset[str]:
    """Return the names of the modules that a device and these tasks load; raises RehearsalFailed."""
    command = [sys.executable, "-I", "-c", _START, str(Path(walle.__file__).parents[1])]
    given = json.dumps([asdict(task) for task in tasks])
    # Without variables, by which libraries take ways that they do not take on a device.
    done = subprocess.run(command, input=given, env={}, capture_output=True, text=True, check=False, timeout=_SECONDS)
    if done.returncode != 0:
        raise RehearsalFailed(done.stderr.strip().rpartition("\n")[2] or "the rehearsal ended without a word")
    return frozenset(json.loads(done.stdout))


def main() -> None:
    """Read tasks as JSON from standard input; write the names of loaded modules as JSON."""
    tasks = [TaskInputs(**one) for one in json.load(sys.stdin)]
    loaded = {name for task in tasks for name in _loaded_by(task)}
    _start_device()
    print(json.dumps(sorted(loaded | sys.modules.keys())))


def _loaded_by(task: TaskInputs) -> set[str]:
    found: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="walle-rehearsal-") as name, Sandbox(log_kb=_LOG_KB) as sandbox:
        bundle = Path(name, "bundle")
        shutil.copytree(task.bundle, bundle)
        source = _SOURCE.format(entry_point=task.manifest["entry_point"], mark=_MARK)
        (bundle / f"{_ENTRY}.py").write_text(source)
        manifest = {**task.manifest, "entry_point": f"{_ENTRY}:run"}
        for number, inputs in enumerate(task.inputs, start=1):
            result = sandbox.run(bundle, manifest, inputs)
            if not result.ok:
                sys.exit(f"{task.name}, sample {number}: {result.error_class}: {result.message}")
            found |= _told(result)
    return found


def _told(result: RunResult) -> set[str]:
    lines = [line for line in result.logs.splitlines() if line.startswith(_MARK)]
    return {name for line in lines for name in line.removeprefix(_MARK).split()}


def _start_device() -> None:
    told = io.StringIO()
    device = import_module("walle.device.__main__")
    import_module("walle.device.embedding")
    with unreachable_gateway() as arguments, contextlib.redirect_stdout(told):
        sys.argv[1:] = arguments
        device.main()
    if not is_offline(told.getvalue()):
        sys.exit(f"expected a device to start and find no gateway, found {told.getvalue().strip()}")


@contextlib.contextmanager
def unreachable_gateway() -> Iterator[list[str]]:
    """Give the arguments of a device whose gateway cannot be reached: it goes through all up to the first answer."""
    with tempfile.TemporaryDirectory(prefix="walle-device-") as store, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        server = f"http://127.0.0.1:{closed.getsockname()[1]}"
        yield ["--server", server, "--app", "rehearsal", "--app-key", "none", "--once", "--store", store]


def is_offline(told: str) -> bool:
    """Whether a device said that it reaches nobody, and nothing worse."""
    return {line.split()[1] for line in told.splitlines()} == {"offline"}
