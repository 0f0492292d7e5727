"""The life of a device in short, against a simulated cloud: it enrols, verifies what it is offered, installs it, runs
it and reports. Whatever loads a device's modules late has loaded them then."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from walle.conformance.client.repository import ReferenceRepository
from walle.conformance.client.serving import serving

_TASK: Final = "rehearsal/double"
_CODE: Final = b"def run(inputs, context):\n    return {'y': inputs['x'] * 2}\n"
_EXPECTED: Final = ["install", "run"]
_SECONDS: Final = 120


class DeviceFailed(ValueError):
    """A device did not do what devices do."""


def live(command: Sequence[str]) -> str:
    """Let a device live once; return what it printed.

    `command` is a program that takes the arguments of `python -m walle.device` after its own; it gets no environment
    variables, by which libraries take ways that they do not take on a device. Raises DeviceFailed.
    """
    return asyncio.run(_live(command))


async def _live(command: Sequence[str]) -> str:
    repository = ReferenceRepository()
    repository.publish(_TASK, "1.0.0", {"main.py": _CODE})
    with tempfile.TemporaryDirectory(prefix="walle-device-") as name:
        inputs = Path(name, "inputs.jsonl")
        inputs.write_text(json.dumps({"inputs": {"x": 4}}))
        async with serving(repository) as port:
            told = await _output(
                *(*command, "--server", f"http://127.0.0.1:{port}", "--app", repository.app, "--app-key", "app-key"),
                *("--once", "--store", f"{name}/device", "--inputs", f"{_TASK}={inputs}"),
            )
    done = [(report["kind"], report["outcome"]) for report in repository.reports]
    if done != [(kind, "success") for kind in _EXPECTED]:
        raise DeviceFailed(f"expected a device to install and run a task, found {told.strip()}")
    return told


async def _output(*command: str) -> str:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, env={}, stdout=pipe, stderr=asyncio.subprocess.STDOUT)
    try:
        told, _ = await asyncio.wait_for(process.communicate(), _SECONDS)
    except TimeoutError as error:
        process.kill()
        await process.wait()
        raise DeviceFailed(f"a device was not done after {_SECONDS} s") from error
    return told.decode(errors="replace")
