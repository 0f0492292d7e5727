"""Follow a release until it stands still."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from walle.release.states import IN_PROGRESS, ReleaseAction, ReleaseState
from walleweb.demo.control_plane import ControlPlane

POLL_S = 0.5
LONGEST_PAUSE_S = 3.0


class NotInTime(RuntimeError):
    """An expected condition was not met in time; the text says which."""


def wait_until(holds: Callable[[], bool], seconds: float, expectation: str, every: float = POLL_S) -> None:
    """Poll until the condition holds; raises NotInTime with the expectation.

    The longer it has waited, the less often it looks, up to every LONGEST_PAUSE_S: looking takes its time from what is
    waited for.
    """
    began = time.monotonic()
    while not holds():
        waited = time.monotonic() - began
        if waited > seconds:
            raise NotInTime(f"expected within {seconds:g} s {expectation}")
        time.sleep(max(every, min(waited / 8, LONGEST_PAUSE_S)))


def follow(
    control_plane: ControlPlane,
    release: int,
    *,
    seconds: float,
    every: float = POLL_S,
    show: Callable[[dict[str, Any]], None] = lambda _: None,
) -> dict[str, Any]:
    """Poll a release, passing each reading to `show`, and return it once it no longer proceeds. Raises NotInTime."""
    seen: dict[str, Any] = {}

    def stands_still() -> bool:
        nonlocal seen
        seen = control_plane.release(release)
        show(seen)
        return seen["state"] not in IN_PROGRESS

    wait_until(stands_still, seconds, f"release {release} to come to an end", every)
    return seen


def is_unsure(release: Mapping[str, Any]) -> bool:
    """Return whether a release is on hold without a verdict, and a stage ahead would give more samples."""
    last = release["transitions"][-1]
    ahead = release["position"] is not None and release["position"] + 1 < len(release["stages"])
    return release["state"] == ReleaseState.PAUSED and last["actor"] == "system" and ahead


def let_go_on(control_plane: ControlPlane, release: Mapping[str, Any]) -> None:
    """Resume an undecided release, as a person would, so that more devices get it."""
    for action in (ReleaseAction.RESUME, ReleaseAction.PROMOTE):
        control_plane.move(release["id"], action, "not sure yet: more devices will tell")
