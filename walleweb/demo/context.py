"""The shared context of the journey's steps: one server, one app, a folder, and the running programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from rich.console import RenderableType
from rich.text import Text

from walle.release.rules import uniform
from walle.release.states import ReleaseState
from walleweb.demo.control_plane import ControlPlane
from walleweb.demo.examples import Example
from walleweb.demo.show import stages
from walleweb.demo.watching import follow
from walleweb.embedded.run import Walle

Seen = str | list[RenderableType]
"""The observation of a step: text, or anything that a console can print."""
RELEASE_S = 1200.0
"""Seconds that only a release that hangs exceeds, also on a machine that is busy with something else."""

Found = TypeVar("Found")


class StepFailed(Exception):
    """A step did not succeed; the text says what was expected."""


@dataclass
class DemoContext:
    """The context of a step; `show` prints one line for as long as a step lasts."""

    walle: Walle
    server: str
    folder: Path
    app: str
    app_versions: list[str]
    token: str = field(repr=False)
    control_plane: ControlPlane
    show: Callable[[str | Text], None] = lambda _: None

    def push(self, example: Example) -> str:
        """Push a version with its variants; return the server's messages."""
        output = example.push(self.server, self.token)
        for file in example.variants:
            self.control_plane.put_variant(example.task, example.version, "prefs.json", file.stem, file.read_bytes())
        expect(self.control_plane.version(example.task, example.version) is not None, f"{example} to be registered")
        return remote_lines(output)

    def start_release(
        self, example: Example, strategy: Mapping[str, Any], rule: Mapping[str, Any] | None = None
    ) -> int:
        """Create a release to the devices of a rule, or to all app versions, and start it; return its number."""
        rule = uniform(self.app_versions) if rule is None else rule
        draft = self.control_plane.draft(self.app, example.task, example.version, rule, strategy)
        release: int = self.control_plane.move(draft["id"], "start")["id"]
        return release

    def follow(self, release: int) -> dict[str, Any]:
        """Show the stages of a release as it goes through them, and return it once it stands still."""
        return follow(self.control_plane, release, seconds=RELEASE_S, show=lambda seen: self.show(stages(seen)))


def expect(holds: bool, expectation: str) -> None:
    if not holds:
        raise StepFailed(f"expected {expectation}")


def expect_found(value: Found | None, expectation: str) -> Found:
    """Return the value; raises StepFailed where there is none."""
    if value is None:
        raise StepFailed(f"expected {expectation}")
    return value


def expect_state(release: Mapping[str, Any], state: ReleaseState) -> None:
    """Raise StepFailed, with the last move as the reason, unless the release is in the state."""
    last = release["transitions"][-1]
    found = f"{release['state']} ({last['actor']}: {last['reason']})"
    expect(release["state"] == state, f"release {release['id']} to be {state}, found {found}")


def first_line(path: Path) -> dict[str, Any]:
    with path.open() as lines:
        line: dict[str, Any] = json.loads(next(lines))
    return line


def remote_lines(output: str) -> str:
    """Return the server's messages in git's output."""
    lines = [line.removeprefix("remote:").strip() for line in output.splitlines() if line.startswith("remote:")]
    return "\n".join(filter(None, lines))
