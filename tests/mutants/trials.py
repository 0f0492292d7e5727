"""Tries bugs: each in a copy of the tree, where pytest runs the tests that should notice it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from tests.mutants.rewrites import ROOT, Mutant

INSTALLED: Final = (".venv", "frontend/node_modules", "frontend/dist")
"""What git does not know and tests need: linked into a copy."""
_OPTIONS: Final = (
    *("-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-p", "no:schemathesis"),
    *("-p", "tests.mutants.profile", "--hypothesis-profile=mutants"),
)
_LIBRARY: Final = frozenset(path.name for path in (ROOT / "walle").iterdir() if path.is_dir())
_LEFT_TO_END_S: Final = 20
_PASSED, _FAILED, _STOPPED = 0, 1, 2


class Result(StrEnum):
    """What came of a bug. What makes a test hang is noticed, too; what could not be tried says nothing."""

    NOTICED = "noticed"
    TOO_LONG = "noticed (took too long)"
    SURVIVED = "survived"
    NOT_TRIED = "not tried"


@dataclass(frozen=True)
class Trial:
    """One bug tried: the end of pytest's output tells what noticed it."""

    mutant: Mutant
    result: Result
    seconds: float
    output: str


class Copy:
    """A copy of the tree with at most one bug at a time. The checkout itself is never written to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._written = time.time()
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        for name in INSTALLED:
            if (ROOT / name).exists():
                (folder / name).symlink_to(ROOT / name)

    def run(self, tests: Sequence[str], *options: str, limit_s: float | None = None) -> tuple[int | None, str]:
        """Run tests as they are here; pytest's exit status, None after the limit, and its output."""
        state = tempfile.mkdtemp(dir=self.folder, prefix=".examples-")
        # Processes that tests start have to find this tree, not the one that is installed. Examples that hypothesis
        # keeps would help to notice the next bug.
        env = os.environ | {"PYTHONPATH": str(self.folder), "HYPOTHESIS_STORAGE_DIRECTORY": state}
        without_django = ("-p", "no:django") if all(map(is_of_library, tests)) else ()
        command = [sys.executable, "-m", "pytest", *_OPTIONS, *without_django, *options, *tests]
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=env,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
            status = _wait(process, limit_s)
            output.seek(0)
            text = output.read().decode(errors="replace")
        shutil.rmtree(state, ignore_errors=True)
        return status, text

    def put(self, mutant: Mutant, *, limit_s: float) -> Trial:
        """Try one bug, and take it out again."""
        began = time.monotonic()
        path = self.folder / mutant.file
        path.write_text(mutant.source)
        # Python compiles a source again if its time in whole seconds or its size has changed: no two have the same.
        self._written += 2
        os.utime(path, (self._written, self._written))
        try:
            status, output = self.run(mutant.tests, "-x", limit_s=limit_s)
        finally:
            shutil.copy2(ROOT / mutant.file, path)
        results = {_PASSED: Result.SURVIVED, _FAILED: Result.NOTICED, _STOPPED: Result.NOTICED, None: Result.TOO_LONG}
        return Trial(mutant, results.get(status, Result.NOT_TRIED), time.monotonic() - began, output)


def is_of_library(test: str) -> bool:
    """Whether a test is of walle/, which knows no Django: pytest is ready in half the time without it."""
    return Path(test.partition("::")[0]).parts[1] in _LIBRARY


@contextmanager
def copies(count: int) -> Iterator[list[Copy]]:
    """Copies for so many trials at once, in a folder of their own that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="walle-mutants-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)  # the accounts of databases and sandboxes read here
        places = [Path(folder) / str(number) for number in range(count)]
        for place in places:
            place.mkdir()
        yield [Copy(place) for place in places]


def _wait(process: subprocess.Popen[bytes], limit_s: float | None) -> int | None:
    """The exit status; None after the limit. Then it is told to end first, so that it stops what it has started."""
    try:
        return process.wait(limit_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_LEFT_TO_END_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return None
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
