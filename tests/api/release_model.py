"""What the REST API promises of releases, written anew as a small model: who may move one, to where, and what follows.

It is about one task and one app, and shares no code with the server.
"""

from __future__ import annotations

from dataclasses import dataclass, field

STAGES = 2
HALTS = frozenset({"reject", "pause", "abort", "roll-back"})
ACTIONS = (*sorted(HALTS), "approve", "complete", "promote", "resume", "start")
TARGETS = {
    ("draft", "start"): "running",
    ("awaiting-approval", "approve"): "running",
    ("awaiting-approval", "reject"): "rejected",
    ("running", "promote"): "running",
    ("running", "complete"): "complete",
    **{(state, "pause"): "paused" for state in ("awaiting-approval", "running")},
    **{(state, "abort"): "aborted" for state in ("draft", "awaiting-approval", "running", "paused")},
    **{
        (state, "roll-back"): "rolled-back"
        for state in ("awaiting-approval", "running", "paused", "complete", "aborted", "superseded")
    },
}
"""Where an action leads by itself; to resume leads back to where the pause began."""

Refusal = tuple[int, str]
"""Status and code of a problem."""


@dataclass
class ModelledRelease:
    """One release; `superseded` is by which one, and from which state, `resumes` the state in which it was paused."""

    version: str
    app_versions: frozenset[str]
    approval: bool
    creator: str
    state: str = "draft"
    position: int | None = None
    resumes: str = ""
    superseded: tuple[int, str] | None = None

    def covers(self, other: ModelledRelease) -> bool:
        return self.app_versions >= other.app_versions

    def target(self, action: str) -> str | None:
        """The state after an action, None if it is not possible now."""
        if action == "resume":
            return self.resumes if self.state == "paused" else None
        if action == "promote" and self.position == STAGES - 1:
            return None
        if action == "start" and self.approval:
            return "awaiting-approval" if self.state == "draft" else None
        return TARGETS.get((self.state, action))


@dataclass
class ReleaseModel:
    """All releases by number; `delivery` is None, "deliver" or "early"; versions in `quarantine` are not released."""

    releases: dict[int, ModelledRelease] = field(default_factory=dict)
    delivery: str | None = None
    quarantine: set[str] = field(default_factory=set)

    def allow(self, delivery: str | None) -> None:
        """What the owners of the app allow from now on; without it, what is under way pauses."""
        self.delivery = delivery
        if delivery is None:
            for number, release in self.releases.items():
                if release.target("pause"):
                    self.move(number, "pause")

    def refused_draft(self, version: str, *, releases: bool) -> Refusal | None:
        if not releases:
            return 403, "not-allowed"
        if self.delivery is None:
            return 403, "delivery-not-allowed"
        return (400, "invalid") if version in self.quarantine else None

    def refused_move(self, number: int, action: str, seen: str | None, *, by: str, early: bool) -> Refusal | None:
        """Why somebody who may release or halt cannot make this move, in the order in which it is checked.

        `early` says whether they may leave a stage early where that is allowed.
        """
        release = self.releases[number]
        if seen not in (None, release.state):
            return 409, "release-conflict"
        if action == "approve" and release.creator == by:
            return 400, "invalid"
        if action not in HALTS and self.delivery is None:
            return 403, "delivery-not-allowed"
        target = release.target(action)
        if target is None:
            return 409, "move-refused"
        if action in ("promote", "complete") and not (early and self.delivery == "early"):
            return 403, "delivery-not-allowed" if early else "not-allowed"
        if target in ("running", "complete") and release.version in self.quarantine:
            return 400, "invalid"
        if target == "running" and release.position is None and self._is_behind(number):
            return 400, "invalid"
        return None

    def _is_behind(self, number: int) -> bool:
        """Whether a newer release decides about all of its devices already."""
        return any(
            newer.position is not None
            and newer.state in ("running", "paused", "complete")
            and newer.covers(self.releases[number])
            for other, newer in self.releases.items()
            if other > number
        )

    def move(self, number: int, action: str) -> None:
        """Make a move that is not refused, with what follows from it for other releases."""
        release = self.releases[number]
        target = release.target(action)
        assert target is not None
        first = target == "running" and release.position is None
        release.resumes = release.state if action == "pause" else ""
        release.state = target
        if first:
            release.position = 0
            self._supersede(number, {"awaiting-approval", "running", "paused"})
        elif action == "promote":
            release.position = (release.position or 0) + 1
        elif action == "complete":
            release.position = STAGES - 1
            self._supersede(number, {"complete", "aborted"})
        elif action == "roll-back":
            self.quarantine.add(release.version)
            self._restore(number)

    def _supersede(self, number: int, states: set[str]) -> None:
        for other, older in self.releases.items():
            if other < number and older.state in states and self.releases[number].covers(older):
                older.state, older.superseded, older.resumes = "superseded", (number, older.state), ""

    def _restore(self, number: int) -> None:
        """What was complete comes back; in the place of what may not, what that had superseded itself."""
        for other, older in sorted(self.releases.items()):
            if older.state == "superseded" and older.superseded == (number, "complete"):
                if older.version in self.quarantine:
                    self._restore(other)
                else:
                    older.state, older.position, older.superseded = "complete", STAGES - 1, None
