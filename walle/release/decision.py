"""The decision at check-in: compute from the table in memory what one device should change.

Two steps, because most devices of a fleet send the same facts and the same profile. `plan` looks at those only
and can be cached by them; `choose` then needs the device's own id, for its cohorts, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from walle.protocol.headers import Profile, short_digest
from walle.release.candidates import Change
from walle.release.cohort import cohort_number, device_point
from walle.release.eligibility import Bits
from walle.release.rules import Facts, Predicate
from walle.release.rules.tree import ListMember, Node, leaves
from walle.release.table import Entry, SignedAssignment, Table
from walle.release.task_allocations import Allocation, TaskAllocations


@dataclass(frozen=True, slots=True)
class DevicePlan:
    """The possible changes of devices with the same facts and profile.

    An allocation holds the selections of one task, newest entry first; the first that selects a device decides.
    `withdrawn` are the tasks of which they have a version that is being withdrawn. `is_watched` says whether they have
    such a one, or the version of a release in progress: it helps to hear of them sooner.
    """

    allocations: tuple[Allocation, ...] = ()
    removals: tuple[str, ...] = ()
    withdrawn: frozenset[str] = frozenset()
    is_watched: bool = False

    def __bool__(self) -> bool:
        return bool(self.allocations or self.removals)


class Decision(NamedTuple):
    """What one device should change, and the entries for which it is held back as control."""

    changes: list[Change]
    held_back: list[Entry]


_NO_LISTS: Final[Mapping[str, Collection[str]]] = {}
_NOTHING: Final = DevicePlan()


class CompiledTable:
    """A table compiled for decisions. The cost of a plan grows with the tasks that concern the device."""

    def __init__(self, table: Table, lists: Mapping[str, Collection[str]] = _NO_LISTS, *, offers: bool = True) -> None:
        """Compile every rule; `lists` are the app's id lists by name, where a missing one is empty.

        Without `offers` it is for decisions alone, and needs no assignments.

        Raises RuleMalformed or DocumentMalformed if the table is not sound.
        """
        rules = [entry.condition() for entry in table.entries]
        self.table = table
        self._allocations = TaskAllocations(table, rules)
        self._lists = _membership(rules, lists)
        self._removals = frozenset(table.removals)
        self._withdrawn = table.withdrawn_versions
        self._observed = frozenset(
            (entry.task, short_digest(entry.manifest)) for entry in table.entries if entry.observed
        )
        self._assignments = table.by_target() if offers else {}
        # Not a method, because every check-in calls it.
        self.lists_of: Callable[[str], frozenset[str] | None] = self._lists.get
        """Returns the id lists that rules use and a device is in, as its fact `lists`; None if there are none."""

    @cached_property
    def predicates(self) -> tuple[Predicate, ...]:
        """Return the predicate of each entry's rule, for callers that evaluate entry by entry; check-ins do not."""
        return tuple(entry.predicate() for entry in self.table.entries)

    def eligible(self, facts: Facts) -> Bits:
        """Return what a plan depends on besides the profile. Many devices with different facts share it."""
        return self._allocations.eligible(facts)

    def plan(self, facts: Facts, profile: Profile) -> DevicePlan:
        return self.plan_for(self.eligible(facts), profile)

    def plan_for(self, eligible: Bits, profile: Profile) -> DevicePlan:
        allocations = self._allocations.of(eligible, profile)
        removals = [task for task in profile if task in self._removals] if self._removals else ()
        withdrawn = frozenset(version[0] for version in profile.items() if version in self._withdrawn)
        is_watched = bool(withdrawn) or not self._observed.isdisjoint(profile.items())
        if not (allocations or removals or is_watched):
            return _NOTHING
        return DevicePlan(tuple(allocations), tuple(removals), withdrawn, is_watched)

    def assignment(self, task: str, manifest: str | None) -> SignedAssignment:
        """Return the signed assignment of a manifest to a task, or of the task's removal."""
        return self._assignments[task, manifest]


def _membership(rules: Iterable[Node], lists: Mapping[str, Collection[str]]) -> dict[str, frozenset[str]]:
    """Map devices to the names of their lists, for lists that rules use; devices with the same lists share one set."""
    members = [leaf for rule in rules for leaf in leaves(rule) if isinstance(leaf, ListMember)]
    lists_in_use = {member.name: lists.get(member.name, ()) if member.ids is None else member.ids for member in members}
    found: dict[str, frozenset[str]] = {}
    grown: dict[tuple[frozenset[str], str], frozenset[str]] = {}
    for name, devices in lists_in_use.items():
        for device in devices:
            known = found.get(device, frozenset())
            found[device] = grown.setdefault((known, name), known | {name})
    return found


def choose(plan: DevicePlan, device: str) -> Decision:
    """Return what this device should change: for each task, the newest entry that selects the device decides."""
    changes: list[Change] = []
    held_back: list[Entry] = []
    point = device_point(device)
    for allocation in plan.allocations:
        for factor, offset, limit, control, entry, change in allocation:
            number = cohort_number(factor, offset, point)
            if number < limit:
                if change is not None:
                    changes.append(change)
                break
            if number >= control and entry is not None:
                held_back.append(entry)
    return Decision(changes, held_back)
