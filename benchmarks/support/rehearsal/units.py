"""Processes as the shipped systemd units start them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks.support.walle import ROOT
from walleweb.embedded.supervisor import Program

_UNITS: Final = ROOT / "deploy" / "systemd"
_START, _SETTING = "ExecStart=", "Environment="


def program_of_unit(unit: str, name: str, logs: Path, *, instance: str = "", settings: Mapping[str, str]) -> Program:
    """Return the program of a unit, such as `walle-gateway@`, with its own settings over these ones.

    It runs in this environment's Python, wherever the unit has its programs.
    """
    lines = (_UNITS / f"{unit}.service").read_text().splitlines()
    start = next(line.removeprefix(_START) for line in lines if line.startswith(_START))
    path, *arguments = start.replace("%i", instance).split()
    own = dict(line.removeprefix(_SETTING).split("=", 1) for line in lines if line.startswith(_SETTING))
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", **settings, **own}
    command = (sys.executable, "-m", Path(path).name, *arguments)
    return Program(name, command, logs / f"{name}.log", environment, death_signal=signal.SIGKILL)
