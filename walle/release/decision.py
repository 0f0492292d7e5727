"""The decision at check-in: what one device should change, out of the table in memory.

Two steps, because most devices of a fleet send the same facts and the same profile. `plan` looks at those only
and can be cached by them; `choose` then needs the device's own id, for its cohorts, and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from walle.protocol.headers import Profile, short_digest
from walle.release.cohort import BUCKETS, Cohort, Point, device_point, draw_limit, draw_number
from walle.release.rules import Facts, Predicate, facts_in, inline_lists, lists_in
from walle.release.table import Entry, Mode, SignedAssignment, Table

Change = Entry | str
"""What a device should change: take an entry's version, or give up the task of this name."""


class Draw(NamedTuple):
    """One entry for which devices are drawn.

    A device has a number, factor * point + offset mod 2^64 (walle.release.cohort). Below `limit` it is drawn: `change`
    is what it should change then, None where it keeps what it has. From `control` on it is held back as control, and
    the next draw of the contest decides.
    """

    factor: int
    offset: int
    limit: int
    control: int
    entry: Entry | None
    change: Change | None

    def number(self, point: Point) -> Point:
        """The number of the device that stands at a point, or those of many devices."""
        return draw_number(self.factor, self.offset, point)


@dataclass(frozen=True, slots=True)
class Plan:
    """What devices with the same facts and profile may have to change.

    A contest holds the draws of one task, newest entry first; the first whose cohort a device is in decides.
    """

    contests: tuple[tuple[Draw, ...], ...] = ()
    removals: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.contests or self.removals)


class Choice(NamedTuple):
    """What one device should change, and the entries for which it is held back as control."""

    changes: list[Change]
    held_back: list[Entry]


class Candidate(NamedTuple):
    """An entry with what can be prepared of it; `takes` is None where only those that have the version count."""

    digest: bytes
    takes: Draw | None
    keeps: Draw
    matches: Predicate
    entry: Entry


class _Field(NamedTuple):
    """The candidates of one task for devices of one kind; `settled` is the digest that leaves nothing to decide."""

    task: str
    settled: bytes
    candidates: tuple[Candidate, ...]


_MAX_KINDS: Final = 10_000
_EVERY: Final = 1 << 64
"""A limit that every device is below, and that no device reaches."""
_NO_LISTS: Final[Mapping[str, Collection[str]]] = {}


class CompiledTable:
    """A table ready to decide. A plan looks only at the tasks that the device's facts make it eligible for."""

    def __init__(self, table: Table, lists: Mapping[str, Collection[str]] = _NO_LISTS) -> None:
        """Compiles every rule; `lists` are the app's id lists by name, of which a missing one is empty.

        Raises RuleMalformed or DocumentMalformed if the table is not sound.
        """
        self.table = table
        self.candidates = tuple(map(_candidate, table.entries))
        self._facts = sorted(frozenset().union(*(facts_in(entry.rule) for entry in table.entries)))
        self._lists = _membership(table.entries, lists)
        self._eligible: dict[tuple[Any, ...], tuple[_Field, ...]] = {}
        self._removals = frozenset(table.removals)
        self._withdrawn = frozenset((task, short_digest(manifest)) for task, manifest in table.withdrawn)
        self._assignments = table.by_target()

    def lists_of(self, device: str) -> frozenset[str] | None:
        """The id lists a device is in, of those that any rule asks for: its fact `lists`. None if there are none."""
        return self._lists.get(device)

    def plan(self, facts: Facts, profile: Profile) -> Plan:
        contests = []
        eligible = self._eligible_for(facts)
        for task, settled, candidates in eligible:
            installed = profile.get(task)
            if installed != settled or self._withdrawn:
                draws = [one.keeps if one.digest == installed else one.takes for one in candidates]
                contests.append([draw for draw in draws if draw is not None])
        if self._withdrawn:
            contests = self._with_withdrawals(contests, eligible, profile)
        removals = tuple(task for task in profile if task in self._removals) if self._removals else ()
        return Plan(tuple(tuple(contest) for contest in contests if _matters(contest)), removals)

    def _with_withdrawals(
        self, contests: list[list[Draw]], eligible: Iterable[_Field], profile: Profile
    ) -> list[list[Draw]]:
        """The contests, in which whoever has a withdrawn version and is not drawn otherwise gives up the task."""
        by_task = dict(zip([field.task for field in eligible], contests, strict=True))
        for task, installed in profile.items():
            if (task, installed) in self._withdrawn:
                by_task.setdefault(task, []).append(Draw(0, 0, _EVERY, _EVERY, None, task))
        return list(by_task.values())

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
            eligible = self._eligible[kind] = _eligible(self.candidates, facts)
        return eligible


def _candidate(entry: Entry) -> Candidate:
    cohort = Cohort(entry.salt)
    share, control = draw_limit(entry.share), _EVERY
    takes: Draw | None = None
    if entry.mode == Mode.KEEP:
        keeps = Draw(0, 0, _EVERY, _EVERY, entry, None)
    else:
        takes = keeps = Draw(cohort.factor, cohort.offset, share, _EVERY, entry, None)
    if entry.mode == Mode.OFFER:
        control = draw_limit(BUCKETS - entry.control) if entry.control else _EVERY
        takes = keeps._replace(control=control, change=entry)
    return Candidate(short_digest(entry.manifest), takes, keeps, entry.predicate(), entry)


def _membership(entries: Iterable[Entry], lists: Mapping[str, Collection[str]]) -> dict[str, frozenset[str]]:
    """Device to the names of its lists, as far as rules ask for them; devices with the same lists share one set."""
    asked: dict[str, Collection[str]] = {}
    for entry in entries:
        asked |= {name: lists.get(name, ()) for name in lists_in(entry.rule)}
        asked |= inline_lists(entry.rule)
    found: dict[str, frozenset[str]] = {}
    grown: dict[tuple[frozenset[str], str], frozenset[str]] = {}
    for name, devices in asked.items():
        for device in devices:
            known = found.get(device, frozenset())
            found[device] = grown.setdefault((known, name), known | {name})
    return found


def _eligible(candidates: Iterable[Candidate], facts: Facts) -> tuple[_Field, ...]:
    """The candidates that the facts match, by task; those behind one that takes every device never get a turn."""
    by_task: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        found = by_task[candidate.entry.task]
        decided = found and found[-1].keeps.limit >= _EVERY and found[-1].takes is not None
        if candidate.keeps.limit and not decided and candidate.matches(facts):
            found.append(candidate)
    return tuple(_Field(task, _settled(found), tuple(found)) for task, found in by_task.items() if found)


def _settled(candidates: list[Candidate]) -> bytes:
    """The digest that every candidate has, if there is one; no installed digest is empty."""
    digests = {candidate.digest for candidate in candidates}
    return digests.pop() if len(digests) == 1 else b""


def _matters(contest: list[Draw]) -> bool:
    return any(draw.change is not None for draw in contest)


def choose(plan: Plan, device: str) -> Choice:
    """What this device should change: per task as the newest entry says whose cohort it is in."""
    changes: list[Change] = []
    held_back: list[Entry] = []
    point = device_point(device)
    for contest in plan.contests:
        for factor, offset, limit, control, entry, change in contest:
            number = draw_number(factor, offset, point)
            if number < limit:
                if change is not None:
                    changes.append(change)
                break
            if number >= control and entry is not None:
                held_back.append(entry)
    return Choice(changes, held_back)
