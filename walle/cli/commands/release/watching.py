"""Watch a release until it ends: a live view in a terminal, one line per change elsewhere.

A lost connection does not end it: the last state stays visible, with a line about since when the server is unreachable.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import typer

from walle.cli import humanize, session
from walle.cli.connection import connected, path
from walle.cli.errors import Exit, RequestRefused, ServerUnreachable
from walle.cli.output import show_json
from walle.release.evidence import condition_text
from walle.release.states import ReleaseState

if TYPE_CHECKING:
    from rich.console import RenderableType

Document = Mapping[str, Any]

LOOK_S: Final = 1.0
REQUEST_TIMEOUT_S: Final = 5.0
"""Seconds without an answer after which the connection counts as lost."""
QUIET_S: Final = 10.0
"""Minimum seconds between two lines that only report new counts."""
ENDS: Final[Mapping[str, Exit]] = {
    ReleaseState.COMPLETE: Exit.OK,
    ReleaseState.ROLLED_BACK: Exit.ROLLED_BACK,
    ReleaseState.REJECTED: Exit.REJECTED,
    ReleaseState.ABORTED: Exit.ABORTED,
    ReleaseState.SUPERSEDED: Exit.SUPERSEDED,
}
WAITS: Final = frozenset({ReleaseState.DRAFT, ReleaseState.PAUSED, ReleaseState.AWAITING_APPROVAL})
"""States that only a person can end."""


@dataclass(frozen=True)
class ReleaseSnapshot:
    """The last known state and, if the server is unreachable, the error and since when (Unix seconds)."""

    release: Document | None
    simulation: Document | None = None
    lost: str = ""
    lost_at: float = 0.0


def watch_release(
    release: int,
    *,
    interval: float = LOOK_S,
    timeout: float | None = None,
    until_waiting: bool = False,
    until_withdrawn: bool = False,
) -> None:
    """Watch a release and end the command with the exit status for its final state.

    With `until_withdrawn`, one that was rolled back is watched until no device has its version.
    """
    with connected(retries=0, timeout_s=REQUEST_TIMEOUT_S) as client:

        def fetch() -> tuple[Document, Document | None]:
            found = client.get(path("releases", release))
            simulating = found["state"] == ReleaseState.SIMULATING
            return found, client.get(path("releases", release, "simulation")) if simulating else None

        looks = follow(fetch, interval=interval, clock=time.time, sleep=time.sleep)
        end = partial(status_of, until_waiting=until_waiting, until_withdrawn=until_withdrawn)
        last, status = _told(looks, end, started=time.time(), timeout=timeout)
    if session.wants_json() and last is not None:
        show_json(last)
    raise typer.Exit(status)


def follow(
    fetch: Callable[[], tuple[Document, Document | None]],
    *,
    interval: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Iterator[ReleaseSnapshot]:
    """Yield one look after another without end. Raises a refusal that is permanent."""
    seen = ReleaseSnapshot(None)
    while True:
        try:
            release, simulation = fetch()
            seen = ReleaseSnapshot(release, simulation)
        except (ServerUnreachable, RequestRefused) as error:
            if error.status != Exit.UNREACHABLE:
                raise
            seen = ReleaseSnapshot(seen.release, seen.simulation, error.message, seen.lost_at if seen.lost else clock())
        yield seen
        sleep(interval)


def status_of(release: Document, *, until_waiting: bool, until_withdrawn: bool = False) -> Exit | None:
    """Return the exit status for the state of a release; None while it is in progress, or being rolled back."""
    if until_waiting and release["state"] in WAITS:
        return Exit.WAITING
    withdrawal = release.get("withdrawal")
    if until_withdrawn and withdrawal is not None and withdrawal["ended_at"] is None:
        return None
    return ENDS.get(release["state"])


def _told(
    looks: Iterator[ReleaseSnapshot],
    end: Callable[[Document], Exit | None],
    *,
    started: float,
    timeout: float | None,
) -> tuple[Document | None, Exit]:
    """Show each look; return the last release seen and the exit status."""
    lines = session.wants_json() or not sys.stdout.isatty()
    with (
        nullcontext(LinePrinter(sys.stderr if session.wants_json() else sys.stdout)) if lines else ReleaseView() as view
    ):
        for look in looks:
            view.tell(look, humanize.now())
            if look.release is not None and not look.lost:
                status = end(look.release)
                if status is not None:
                    return look.release, status
            if timeout is not None and time.time() - started > timeout:
                return look.release, Exit.TIMED_OUT
    raise AssertionError("looks have no end")


class ReleaseView:
    """A live view of the release in a terminal."""

    def __enter__(self) -> ReleaseView:
        from rich.live import Live

        from walle.cli.output import console

        self._live = Live(console=console(), auto_refresh=False, vertical_overflow="visible")
        self._live.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._live.__exit__(*error)

    def tell(self, look: ReleaseSnapshot, at: datetime) -> None:
        self._live.update(render_release(look, at), refresh=True)


def render_release(look: ReleaseSnapshot, at: datetime) -> RenderableType:
    """Render the last known state, and below it whether the connection is lost."""
    from rich.console import Group
    from rich.text import Text

    from walle.cli import rendering

    parts: list[RenderableType] = []
    if look.release is not None:
        parts += [rendering.overview(look.release, at, simulation=look.simulation), Text()]
    if look.lost:
        since = humanize.span(at.timestamp() - look.lost_at)
        parts.append(Text(f"! reconnecting: no answer for {since} ({look.lost})", style="yellow"))
    elif look.release is not None and (next_step := hint(look.release)):
        parts.append(Text(next_step, style="dim"))
    return Group(*parts)


def hint(release: Document) -> str:
    """Return what a person can do next, for states that wait for one."""
    number = release["id"]
    return {
        ReleaseState.DRAFT: f"It has not been started: walle release start {number}",
        ReleaseState.AWAITING_APPROVAL: f"Somebody other than {release['created_by']} has to decide: "
        f"walle release approve {number}, or reject {number}",
        ReleaseState.PAUSED: f"It is paused: walle release resume {number}, promote {number} or roll-back {number}",
    }.get(release["state"], "")


class LinePrinter:
    """The release as one line per change."""

    def __init__(self, out: Any, quiet_s: float = QUIET_S) -> None:
        self._out, self._quiet_s = out, quiet_s
        self._moves = 0
        self._verdicts = 0
        self._counts = ""
        self._counted_at = float("-inf")
        self._lost = False

    def tell(self, look: ReleaseSnapshot, at: datetime) -> None:
        if bool(look.lost) != self._lost:
            self._lost = bool(look.lost)
            self._say(at, f"reconnecting: {look.lost}" if look.lost else "connected again")
        if look.release is not None and not look.lost:
            self._changes(look.release, look.simulation, at)

    def _changes(self, release: Document, simulation: Document | None, at: datetime) -> None:
        if not release["transitions"] and not self._moves:
            self._moves = -1
            self._say(at, f"{release['task']} {release['version']} is a draft. {hint(release)}")
        for moment, text in self._news(release):
            self._say(humanize.moment(moment), text)
            self._counted_at = float("-inf")
        self._count(_counts(release, simulation), at)

    def _news(self, release: Document) -> list[tuple[str, str]]:
        """Return the changes since the last look in chronological order."""
        from walle.cli import rendering

        news = []
        for move in release["transitions"][max(0, self._moves) :]:
            reason = f": {move['reason']}" if move["reason"] else ""
            line = f"{release['task']} {release['version']} → {rendering.into(release, move)}{reason}"
            news.append((move["at"], line))
        # A verdict that lets it go on is the reason of the move that follows.
        judged = [verdict for verdict in release["verdicts"][self._verdicts :] if verdict["kind"] != "pass"]
        news += [(verdict["at"], f"{verdict['kind']}: {verdict['sentence']}") for verdict in judged]
        self._moves = max(self._moves, len(release["transitions"]))
        self._verdicts = len(release["verdicts"])
        return sorted(news)

    def _count(self, counts: str, at: datetime) -> None:
        if counts and counts != self._counts and at.timestamp() - self._counted_at >= self._quiet_s:
            self._counts, self._counted_at = counts, at.timestamp()
            self._say(at, counts)

    def _say(self, at: datetime, text: str) -> None:
        print(f"{at.astimezone():%H:%M:%S} {text}", file=self._out, flush=True)


def _counts(release: Document, simulation: Document | None) -> str:
    """Return the line of counts that matters now."""
    from walle.cli import rendering

    if simulation:
        return str(simulation["sentence"])
    withdrawal = release.get("withdrawal")
    if withdrawal is None:
        return counted(release)
    return f"still on it: {rendering.still_on_it(withdrawal, humanize.moment(withdrawal['counted_at']))}"


def counted(release: Document) -> str:
    """Return the figures of a release on one line."""
    from walle.cli import rendering

    counts = release["figures"]["treatment"]
    if not counts["drawn"]:
        return ""
    names = ("offered", "installed", "reported", "failed", "silent")
    control = release["figures"]["control"]
    held = (
        f"; held back {control['drawn']}, {control['failed']} of {control['reported']} failed"
        if control["drawn"]
        else ""
    )
    new = release["figures"]["new"]["drawn"]
    apart = f"; {new} are new, and nobody vouches for them: they do not count" if new else ""
    waiting = counts.get("awaiting_trigger", 0)
    awaiting = f", {waiting} awaiting {condition_text(release['figures']['trigger'])}" if waiting else ""
    count = counts.get("deferred", 0)
    deferred = f", {count} put it off for now ({rendering.reasons(release)})" if count else ""
    reached = ", ".join([f"{counts['drawn']} selected", *(f"{counts[name]} {name}" for name in names)])
    return reached + awaiting + deferred + held + apart
