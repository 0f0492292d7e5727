"""Bundles for tests, and looks at the machine that a task must not have changed."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import Any

from walle.container.result import RunResult
from walle.container.sandbox import Sandbox
from walle.container.uids import DEFAULT_UIDS

ANYTHING = {"result": {"type": "list"}}


def interpreter_is_reachable() -> bool:
    """Whether a user without privileges can read the running interpreter; a run without its own root needs that."""
    path = Path(os.__file__).resolve()
    return all(parent.stat().st_mode & 0o001 for parent in path.parents)


def write_bundle(folder: Path, source: str, files: dict[str, str] | None = None) -> Path:
    """A bundle whose main.py is the source."""
    for name, content in {"main.py": textwrap.dedent(source), **(files or {})}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def manifest(**changes: Any) -> dict[str, Any]:
    limits = {"time_ms": 5000, "memory_mb": 128, "output_kb": 64} | changes.pop("limits", {})
    return {
        "entry_point": "main:run",
        "inputs": {},
        "outputs": ANYTHING,
        "metrics": {},
        "limits": limits,
        "requires": {},
        "files": [],
        **changes,
    }


def run_source(sandbox: Sandbox, folder: Path, source: str, inputs: Any = None, **changes: Any):
    """Run a source as a task with few limits and an output `result` that may be any list."""
    return sandbox.run(write_bundle(folder, source), manifest(**changes), inputs or {})


class WarmRuns:
    """A sandbox in which each run is the second one of a VM that is kept, after a first one that did nothing.

    For tasks whose outputs are ANYTHING.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def run(self, bundle: Path, manifest: dict[str, Any], inputs: Any, **options: Any) -> RunResult:
        module, _, function = manifest["entry_point"].partition(":")
        (bundle / "second_run.py").write_text(_SECOND_RUN.format(module=module, function=function))
        kept = {"keep": True, "idle_s": 600, "held_mb": 64}
        declared = manifest | {"entry_point": "second_run:run", "vm": kept}
        first = self._sandbox.run(bundle, declared, inputs, **options)
        assert first.start == "cold"
        if not first.ok:
            # What is required is loaded, and means harm, before there is anything to keep.
            return first
        second = self._sandbox.run(bundle, declared, inputs, **options)
        assert second.start == "warm"
        self._sandbox.end(bundle)
        return second


_SECOND_RUN = """
import importlib
first = True

def run(inputs, context):
    global first
    if first:
        first = False
        return {{"result": []}}
    return importlib.import_module("{module}").{function}(inputs, context)
"""


def forged(answer: bytes) -> bytes:
    """An answer as a task's process frames it."""
    return len(answer).to_bytes(4, "big") + answer


def processes_named(name: str) -> list[int]:
    """Ids of the living processes that gave themselves a name by `name_me`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "status").read_text(errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if status.startswith(f"Name:\t{_own(name)}\n") and "\nState:\tZ" not in status:
                found.append(int(entry.name))
    return found


def name_me(name: str) -> str:
    """A line of a task that names its process and whatever it forks, for `processes_named` of this test process."""
    return f"import ctypes; ctypes.CDLL(None).prctl(15, b'{_own(name)}', 0, 0, 0)\n"


def _own(name: str) -> str:
    """Of the 15 characters that Linux keeps; test processes beside this one start tasks of the same names."""
    return f"{name.removeprefix('walle-')[:7]}-{os.getpid()}"[:15]


# Turns an attempt into a word: what it gave, or the error that refused it.
ATTEMPT = """
def attempt(action):
    try:
        return ["did", repr(action())]
    except BaseException as error:
        return ["refused", type(error).__name__]
"""


def own_uids(number: int) -> range:
    """User ids, at most 4, that neither runs nor the tests of another process have at the same time."""
    first = DEFAULT_UIDS[-1] + 1 + 4 * (os.getpid() % 1000)
    return range(first, first + number)
