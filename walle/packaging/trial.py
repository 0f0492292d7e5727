"""Runs tasks in a tailored build: in its own interpreter, with nothing of this one's environment."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from walle.container.result import SANDBOX_ERROR, RunResult, failure
from walle.packaging.device_life import live
from walle.packaging.writing import program_of

_SECONDS: Final = 120
_RUN: Final = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from walle.container.sandbox import Sandbox
given = json.load(sys.stdin)
with Sandbox() as sandbox:
    result = sandbox.run(Path(given["bundle"]), given["manifest"], given["inputs"])
print(json.dumps(asdict(result)))
"""


def try_device(folder: Path) -> None:
    """Let the device of a build live once; raises DeviceFailed."""
    live((str(program_of(folder)), "-I", "-m", "walle.device"))


class BuildRunner:
    """Runs a task once in the build of a folder, as `Sandbox.run` does here."""

    def __init__(self, folder: Path) -> None:
        self._command = (str(program_of(folder)), "-I", "-c", _RUN)

    def __call__(self, bundle: Path, manifest: Mapping[str, Any], inputs: Mapping[str, Any], /) -> RunResult:
        given = json.dumps({"bundle": str(bundle), "manifest": manifest, "inputs": inputs})
        done = subprocess.run(
            self._command, input=given, env={}, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
        if done.returncode != 0:
            return failure(SANDBOX_ERROR, done.stderr.strip().rpartition("\n")[2])
        return RunResult(**json.loads(done.stdout))
