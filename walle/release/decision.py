"""The decision at check-in: what one device should change, out of the table in memory.

Two steps, because most devices of a fleet send the same facts and the same profile. `plan` looks at those only
and can be cached by them; `choose` then needs the device's own id, for its cohorts, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from walle.protocol.headers import Profile, short_digest
from walle.release.cohort import BUCKETS, MASK, Cohort, device_point, draw_limit
from walle.release.rules import Facts, Predicate, facts_in
from walle.release.table import Entry, SignedAssignment, Table


class Draw(NamedTuple):
    """One entry for which devices are drawn; `offer` is None where those drawn keep what they have.

    A device is drawn if factor * point + offset mod 2^64 is below the limit (walle.release.cohort).
    """

    factor: int
    offset: int
    limit: int
    offer: Entry | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What devices with the same facts and profile may have to change.

    A contest holds the draws of one task, newest entry first; the first whose cohort a device is in decides.
    """

    contests: tuple[tuple[Draw, ...], ...] = ()
    removals: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.contests or self.removals)


class _Candidate(NamedTuple):
    """An entry with what can be prepared of it."""

    digest: bytes
    takes: Draw
    keeps: Draw
    matches: Predicate
    entry: Entry


class _Field(NamedTuple):
    """The candidates of one task for devices of one kind; `settled` is the digest that leaves nothing to decide."""

    task: str
    settled: bytes
    candidates: tuple[_Candidate, ...]


_MAX_KINDS: Final = 10_000


class CompiledTable:
    """A table ready to decide. A plan looks only at the tasks that the device's facts make it eligible for."""

    def __init__(self, table: Table) -> None:
        """Compiles every rule; raises RuleMalformed or DocumentMalformed if the table is not sound."""
        self.table = table
        self._candidates = [_candidate(entry) for entry in table.entries]
        self._facts = sorted(frozenset().union(*(facts_in(entry.rule) for entry in table.entries)))
        self._eligible: dict[tuple[Any, ...], tuple[_Field, ...]] = {}
        self._removals = frozenset(table.removals)
        self._assignments = table.by_target()

    def plan(self, facts: Facts, profile: Profile) -> Plan:
        contests = []
        for task, settled, candidates in self._eligible_for(facts):
            installed = profile.get(task)
            if installed != settled:
                contests.append(tuple([one.keeps if one.digest == installed else one.takes for one in candidates]))
        removals = tuple(task for task in profile if task in self._removals) if self._removals else ()
        return Plan(tuple(contests), removals)

    def assignment(self, task: str, manifest: str | None) -> SignedAssignment:
        """The signed assignment of a manifest to a task, or of the task's removal."""
        return self._assignments[task, manifest]

    def _eligible_for(self, facts: Facts) -> tuple[_Field, ...]:
        """The candidates by task for devices with such facts: worked out once for each kind of device."""
        kind = tuple([(facts.get(name).__class__, facts.get(name)) for name in self._facts])
        eligible = self._eligible.get(kind)
        if eligible is None:
            if len(self._eligible) >= _MAX_KINDS:
                self._eligible.clear()
            eligible = self._eligible[kind] = _eligible(self._candidates, facts)
        return eligible


def _candidate(entry: Entry) -> _Candidate:
    cohort = Cohort(entry.salt)
    keeps = Draw(cohort.factor, cohort.offset, draw_limit(entry.share), None)
    takes = keeps if entry.paused else keeps._replace(offer=entry)
    return _Candidate(short_digest(entry.manifest), takes, keeps, entry.predicate(), entry)


def _eligible(candidates: Iterable[_Candidate], facts: Facts) -> tuple[_Field, ...]:
    """The candidates that the facts match, by task; those behind one that takes every device never get a turn."""
    by_task: dict[str, list[_Candidate]] = {}
    for candidate in candidates:
        found = by_task.setdefault(candidate.entry.task, [])
        decided = found and found[-1].entry.share == BUCKETS
        if candidate.entry.share and not decided and candidate.matches(facts):
            found.append(candidate)
    return tuple(_Field(task, _settled(found), tuple(found)) for task, found in by_task.items() if found)


def _settled(candidates: list[_Candidate]) -> bytes:
    """The digest that every candidate has, if there is one; no installed digest is empty."""
    digests = {candidate.digest for candidate in candidates}
    return digests.pop() if len(digests) == 1 else b""


def choose(plan: Plan, device: str) -> list[Entry]:
    """The entries that this device should be offered: per task the newest whose cohort it is in, if not installed."""
    chosen = []
    point = device_point(device)
    for contest in plan.contests:
        for factor, offset, limit, offer in contest:
            if (factor * point + offset & MASK) < limit:
                if offer is not None:
                    chosen.append(offer)
                break
    return chosen
