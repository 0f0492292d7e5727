"""The decision at check-in: what one device should change, out of the table in memory.

Two steps, because most devices of a fleet send the same facts and the same profile. `plan` looks at those only
and can be cached by them; `choose` then needs the device's own id, for its cohorts, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from walle.protocol.documents import Assignment
from walle.protocol.headers import Profile, short_digest
from walle.release.cohort import BUCKETS, bucket
from walle.release.rules import Facts, Predicate
from walle.release.table import Entry, SignedAssignment, Table


@dataclass(frozen=True, slots=True)
class Contest:
    """The entries of one task that a device may get, newest first; the first whose cohort it is in wins."""

    installed: bytes | None
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What devices with the same facts and profile may have to change."""

    contests: tuple[Contest, ...] = ()
    removals: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.contests or self.removals)


class CompiledTable:
    """A table ready to decide. `plan` costs one pass over the entries; `choose` only over what may change."""

    def __init__(self, table: Table) -> None:
        """Compiles every rule; raises RuleMalformed or DocumentMalformed if the table is not sound."""
        self.table = table
        self._by_task: dict[str, list[tuple[Predicate, bytes, Entry]]] = {}
        for entry in table.entries:
            candidates = self._by_task.setdefault(entry.task, [])
            candidates.append((entry.predicate(), short_digest(entry.manifest), entry))
        self._removals = frozenset(table.removals)
        self._assignments = _by_target(table.assignments)

    def plan(self, facts: Facts, profile: Profile) -> Plan:
        contests = tuple(
            contest
            for task, candidates in self._by_task.items()
            if (contest := _contest(candidates, facts, profile.get(task)))
        )
        removals = tuple(task for task in profile if task in self._removals)
        return Plan(contests, removals)

    def assignment(self, task: str, manifest: str | None) -> SignedAssignment:
        """The signed assignment of a manifest to a task, or of the task's removal."""
        return self._assignments[task, manifest]


def _by_target(assignments: Iterable[SignedAssignment]) -> dict[tuple[str, str | None], SignedAssignment]:
    read = [(Assignment.from_payload(signed.payload), signed) for signed in assignments]
    return {(assignment.task, assignment.manifest): signed for assignment, signed in read}


def _contest(candidates: list[tuple[Predicate, bytes, Entry]], facts: Facts, installed: bytes | None) -> Contest | None:
    eligible: list[Entry] = []
    differs = False
    for matches, digest, entry in candidates:
        if entry.share and matches(facts):
            eligible.append(entry)
            differs = differs or digest != installed
            if entry.share == BUCKETS:
                break
    return Contest(installed, tuple(eligible)) if differs else None


def choose(plan: Plan, device: str) -> list[Entry]:
    """The entries that this device should be offered: per task the newest whose cohort it is in, if not installed."""
    chosen = []
    for contest in plan.contests:
        for entry in contest.entries:
            if entry.share == BUCKETS or bucket(entry.salt, device) < entry.share:
                if not entry.paused and short_digest(entry.manifest) != contest.installed:
                    chosen.append(entry)
                break
    return chosen
