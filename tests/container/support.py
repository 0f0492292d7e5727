"""Bundles for tests, and looks at the machine that a task must not have changed."""

from __future__ import annotations

import os
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from walle.container.sandbox import Sandbox

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


def processes_named(name: str) -> list[int]:
    """Ids of the living processes that gave themselves a name by `name_me`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "status").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if status.startswith(f"Name:\t{_own(name)}\n") and "\nState:\tZ" not in status:
                found.append(int(entry.name))
    return found


def wait_until(condition: Callable[[], Any], seconds: float = 15) -> None:
    """Wait for a condition, with a deadline."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true in time"
        os.sched_yield()


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
