"""Which modules are really loaded: the samples of the tasks run in the sandbox, and a device lives once.

Reading sources does not tell what compiled modules import, nor what libraries load by names that they put together.
Both happen in processes of their own, which have loaded nothing else. A task could lie about what it loaded: then
its own build lacks something.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import walle
from walle.container.sandbox import Sandbox
from walle.packaging.device_life import live

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
_TASKS: Final = "import sys; sys.path.insert(0, sys.argv[1]); from walle.packaging import rehearsal; rehearsal.main()"
_DEVICE: Final = f"""
import sys
sys.path.insert(0, sys.argv.pop(1))
from walle.device.__main__ import main
import walle.device.embedding
main()
print("{_MARK}" + " ".join(sys.modules))
"""


class RehearsalFailed(ValueError):
    """A sample failed."""


@dataclass(frozen=True)
class TaskInputs:
    """A task of which samples can be run: its name for messages, the folder of its bundle, its manifest, its inputs."""

    name: str
    bundle: str
    manifest: Mapping[str, Any]
    inputs: Sequence[Mapping[str, Any]]


def rehearse(tasks: Sequence[TaskInputs]) -> frozenset[str]:
    """Return the names of the modules that a device and these tasks load; raises RehearsalFailed or DeviceFailed."""
    root = str(Path(walle.__file__).parents[1])
    given = json.dumps([asdict(task) for task in tasks])
    command = (sys.executable, "-I", "-c", _TASKS, root)
    done = subprocess.run(command, input=given, env={}, capture_output=True, text=True, check=False, timeout=_SECONDS)
    if done.returncode != 0:
        raise RehearsalFailed(done.stderr.strip().rpartition("\n")[2] or "the rehearsal ended without a word")
    device = live((sys.executable, "-I", "-c", _DEVICE, root))
    return frozenset(_marked(done.stdout) | _marked(device))


def main() -> None:
    """Read tasks as JSON from standard input; write the names of the modules that they load."""
    tasks = [TaskInputs(**values) for values in json.load(sys.stdin)]
    loaded = {name for task in tasks for name in _loaded_by(task)}
    print(_MARK + " ".join(loaded))


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
            found |= _marked(result.logs)
    return found


def _marked(text: str) -> set[str]:
    lines = [line for line in text.splitlines() if line.startswith(_MARK)]
    return {name for line in lines for name in line.removeprefix(_MARK).split()}
