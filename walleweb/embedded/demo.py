"""The demonstration that a local Walle begins with: scenarios, releases, a user, a fleet.

Everything of it is made by one management command, `seed_demo`, which may be run again at any time. It leaves
`run/demo.json` in the data folder:

    {"username": "...", "password": "...", "fleet": ["--server", "http://127.0.0.1:8000", ...]}

where `fleet` are the arguments of `python -m walle.device.emulator`.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

COMMAND = "seed_demo"


@dataclass(frozen=True)
class Demo:
    """How to sign in, and how to start the emulated devices (no arguments: none)."""

    username: str
    password: str
    fleet: tuple[str, ...]


class _Lines:
    """A text stream that hands on whole lines."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report, self._begun = report, ""

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in filter(None, map(str.strip, lines)):
            self._report(line)
        return len(text)

    def flush(self) -> None:
        """Nothing is held back but an unfinished line."""


def seed(*, data_dir: Path, report: Callable[[str], None]) -> Demo:
    """Make the demonstration or complete it; `report` gets a line for each step of it."""
    from django.core.management import call_command

    call_command(COMMAND, stdout=_Lines(report))
    return read_demo(data_dir)


def read_demo(data_dir: Path) -> Demo:
    """What the last seeding left."""
    found = json.loads((data_dir / "run" / "demo.json").read_text())
    return Demo(found["username"], found["password"], tuple(found.get("fleet", [])))
