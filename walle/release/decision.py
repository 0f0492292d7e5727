"""The decision at check-in: what one device should change, out of the table in memory.

Two steps, because most devices of a fleet send the same facts and the same profile. `plan` looks at those only
and can be cached by them; `choose` then needs the device's own id, for its cohorts, and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from walle.protocol.headers import Profile, short_digest
from walle.release.cohort import BUCKETS, Cohort, Point, device_point, draw_limit, draw_number
from walle.release.eligibility import Bits, Eligibility
from walle.release.rules import Facts
from walle.release.rules.reading import read_rule
from walle.release.rules.tree import Member, Node, leaves
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
    entry: Entry


class _Field(NamedTuple):
    """The contest of one task among some candidates, by the digest that is installed; empty if it changes nothing."""

    task: str
    contests: Mapping[bytes, tuple[Draw, ...]]
    otherwise: tuple[Draw, ...]


_MAX_KINDS: Final = 10_000
_EVERY: Final = 1 << 64
"""A limit that every device is below, and that no device reaches."""
_NO_LISTS: Final[Mapping[str, Collection[str]]] = {}
_NOTHING: Final = Plan()


class CompiledTable:
    """A table ready to decide. A plan looks only at the tasks that the device's facts make it eligible for."""

    def __init__(self, table: Table, lists: Mapping[str, Collection[str]] = _NO_LISTS) -> None:
        """Compiles every rule; `lists` are the app's id lists by name, of which a missing one is empty.

        Raises RuleMalformed or DocumentMalformed if the table is not sound.
        """
        rules = [read_rule(entry.rule) for entry in table.entries]
        self.table = table
        self.candidates = tuple(map(_candidate, table.entries))
        self._eligibility = Eligibility(rules)
        self._lists = _membership(rules, lists)
        self._fields: dict[int, tuple[_Field, ...]] = {}
        self._removals = frozenset(table.removals)
        self._withdrawn = frozenset((task, short_digest(manifest)) for task, manifest in table.withdrawn)
        self._assignments = table.by_target()
        # Every check-in asks, so that there is no method around it.
        self.lists_of: Callable[[str], frozenset[str] | None] = self._lists.get
        """The id lists a device is in, of those that any rule asks for: its fact `lists`. None if there are none."""

    def plan(self, facts: Facts, profile: Profile) -> Plan:
        fields = self._fields_for(self._eligibility.bits(facts))
        contests = [
            contest for task, found, otherwise in fields if (contest := found.get(profile.get(task, b""), otherwise))
        ]
        removals: list[str] = []
        if self._withdrawn:
            contests += self._given_up(fields, profile)
        if self._removals:
            removals = [task for task in profile if task in self._removals]
        return Plan(tuple(contests), tuple(removals)) if contests or removals else _NOTHING

    def _given_up(self, fields: Iterable[_Field], profile: Profile) -> list[tuple[Draw, ...]]:
        """The contests of withdrawn versions for which there is no candidate: whoever has one gives up the task."""
        gone = [task for task, installed in profile.items() if (task, installed) in self._withdrawn]
        decided = {field.task for field in fields} if gone else ()
        return [(_give_up(task),) for task in gone if task not in decided]

    def assignment(self, task: str, manifest: str | None) -> SignedAssignment:
        """The signed assignment of a manifest to a task, or of the task's removal."""
        return self._assignments[task, manifest]

    def _fields_for(self, eligible: Bits) -> tuple[_Field, ...]:
        """The fields of devices that are eligible so: worked out once for each kind of device."""
        fields = self._fields.get(eligible)
        if fields is None:
            if len(self._fields) >= _MAX_KINDS:
                self._fields.clear()
            candidates = map(self.candidates.__getitem__, self._eligibility.rules(eligible))
            fields = self._fields[eligible] = _fields(candidates, self._withdrawn)
        return fields


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
    return Candidate(short_digest(entry.manifest), takes, keeps, entry)


def _membership(rules: Iterable[Node], lists: Mapping[str, Collection[str]]) -> dict[str, frozenset[str]]:
    """Device to the names of its lists, as far as rules ask for them; devices with the same lists share one set."""
    asked = {
        leaf.name: lists.get(leaf.name, ()) if leaf.ids is None else leaf.ids
        for rule in rules
        for leaf in leaves(rule)
        if isinstance(leaf, Member)
    }
    found: dict[str, frozenset[str]] = {}
    grown: dict[tuple[frozenset[str], str], frozenset[str]] = {}
    for name, devices in asked.items():
        for device in devices:
            known = found.get(device, frozenset())
            found[device] = grown.setdefault((known, name), known | {name})
    return found


def _fields(candidates: Iterable[Candidate], withdrawn: Collection[tuple[str, bytes]]) -> tuple[_Field, ...]:
    """The fields of eligible candidates; those behind one that takes every device never get a turn."""
    by_task: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        found = by_task[candidate.entry.task]
        decided = found and found[-1].keeps.limit >= _EVERY and found[-1].takes is not None
        if candidate.keeps.limit and not decided:
            found.append(candidate)
    return tuple(_field(task, found, withdrawn) for task, found in by_task.items() if found)


def _field(task: str, candidates: list[Candidate], withdrawn: Collection[tuple[str, bytes]]) -> _Field:
    digests = {candidate.digest for candidate in candidates} | {digest for name, digest in withdrawn if name == task}
    contests = {digest: _contest(task, candidates, digest, withdrawn) for digest in digests}
    return _Field(task, contests, _contest(task, candidates, b"", withdrawn))


def _contest(
    task: str, candidates: list[Candidate], installed: bytes, withdrawn: Collection[tuple[str, bytes]]
) -> tuple[Draw, ...]:
    """The draws for devices with this version; none if whatever is drawn changes nothing."""
    draws = [one.keeps if one.digest == installed else one.takes for one in candidates]
    contest = [draw for draw in draws if draw is not None]
    if (task, installed) in withdrawn:
        contest.append(_give_up(task))
    return tuple(contest) if any(draw.change is not None for draw in contest) else ()


def _give_up(task: str) -> Draw:
    """The draw of every device for giving up a task."""
    return Draw(0, 0, _EVERY, _EVERY, None, task)


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
