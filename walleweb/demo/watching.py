"""Following a release until it stands still."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from walle.release.states import IN_PROGRESS, ReleaseAction, ReleaseState
from walleweb.demo.control_plane import ControlPlane

LOOK_S = 0.5


class NotInTime(RuntimeError):
    """Something that was waited for did not happen; the text says what."""


def wait_until(holds: Callable[[], bool], seconds: float, what: str, every: float = LOOK_S) -> None:
    """Looks again and again; raises NotInTime with `what`."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise NotInTime(f"expected within {seconds:g} s {what}")
        time.sleep(every)


def follow(
    control_plane: ControlPlane,
    release: int,
    *,
    seconds: float,
    every: float = LOOK_S,
    tell: Callable[[dict[str, Any]], None] = lambda _: None,
) -> dict[str, Any]:
    """The release once it no longer goes on by itself; each look at it is told. Raises NotInTime."""
    seen: dict[str, Any] = {}

    def stands_still() -> bool:
        nonlocal seen
        seen = control_plane.look_at(release)
        tell(seen)
        return seen["state"] not in IN_PROGRESS

    wait_until(stands_still, seconds, f"release {release} to come to an end", every)
    return seen


def is_unsure(release: Mapping[str, Any]) -> bool:
    """Whether a release holds because its stage brought no verdict, and has a stage ahead that would bring more."""
    last = release["transitions"][-1]
    ahead = release["position"] is not None and release["position"] + 1 < len(release["stages"])
    return release["state"] == ReleaseState.PAUSED and last["actor"] == "system" and ahead


def let_go_on(control_plane: ControlPlane, release: Mapping[str, Any]) -> None:
    """What a person would do about a release that is not sure: let more devices have it."""
    for action in (ReleaseAction.RESUME, ReleaseAction.PROMOTE):
        control_plane.move(release["id"], action, "not sure yet: more devices will tell")
