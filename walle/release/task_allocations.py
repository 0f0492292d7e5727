"""Find the allocations of all tasks for one device at once, with bit vectors.

An allocation is the candidates of one task, newest entry first, withdrawn versions last; the first that selects the
device decides. The terms of their rules (walle.release.eligibility) are in this order, task after task, and each task
ends with a candidate for every device that changes nothing. So a few operations on numbers of as many bits as there are
terms find the allocations in which a device may have to change anything, however many releases do not concern it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from walle.protocol.headers import Profile
from walle.release.candidates import EVERY, Candidate, Selection, candidate, withdrawn
from walle.release.eligibility import Bits, Eligibility
from walle.release.rules import Facts
from walle.release.rules.tree import All, Node
from walle.release.table import Table, Version

Allocation = tuple[Selection, ...]

_EVERYBODY: Final = All(())
_UNCHANGED: Final = Selection(0, 0, EVERY, EVERY, None, None)
_END: Final = Candidate(b"", _UNCHANGED, _UNCHANGED)


@dataclass
class _Side:
    """The terms of candidates that select every device, and of those that change some.

    There are two sides: devices that have the candidate's version, and devices without it.
    """

    deciding: Bits = 0
    changing: Bits = 0

    def add(self, selection: Selection | None, bits: Bits) -> None:
        if selection is not None and selection.limit >= EVERY:
            self.deciding |= bits
        if selection is not None and selection.change is not None:
            self.changing |= bits


class TaskAllocations:
    """The allocations of one table; `rules` are the rules of its entries."""

    def __init__(self, table: Table, rules: Iterable[Node]) -> None:
        tasks = _candidates(table, rules)
        self._eligibility = Eligibility(rule for found in tasks.values() for _, rule in found)
        self._installed, self._absent = _Side(), _Side()
        self._versions: dict[Version, Bits] = defaultdict(int)
        self._withdrawn = table.withdrawn_versions
        self._held: dict[str, Bits] = defaultdict(int)
        """The terms of paused releases, by task: they hold nobody to a version that is withdrawn."""
        self._starts = 0
        # At the place of each term: its candidate, the task, and all terms of the task.
        self._at: list[tuple[Candidate, str, Bits]] = []
        bits_of_rules = iter(self._eligibility.bits_of_rules)
        for task, found in tasks.items():
            self._add(task, [(current, next(bits_of_rules)) for current, _ in found])

    def _add(self, task: str, candidates: list[tuple[Candidate, Bits]]) -> None:
        task_bits = sum(bits for _, bits in candidates)
        self._starts |= task_bits & -task_bits
        for current, bits in candidates:
            self._installed.add(current.installed, bits)
            self._absent.add(current.absent, bits)
            self._versions[task, current.digest] |= bits
            if current.is_held:
                self._held[task] |= bits
            self._at += [(current, task, task_bits)] * bits.bit_count()

    def eligible(self, facts: Facts) -> Bits:
        """Return the terms that hold for devices with these facts."""
        return self._eligibility.bits(facts)

    def of(self, eligible: Bits, profile: Profile) -> list[Allocation]:
        """Return the allocations in which devices with these terms and this profile may have to change something."""
        installed = 0
        let_go = 0
        for version in profile.items():
            installed |= self._versions.get(version, 0)
            if version in self._withdrawn:
                let_go |= self._held.get(version[0], 0)
        eligible &= installed | ~let_go
        with_version, without = eligible & installed, eligible & ~installed
        deciding = with_version & self._installed.deciding | without & self._absent.deciding
        # Subtracting one from each task's bits turns the lowest of them and all below, and nothing else: these, up to
        # the first candidate that decides about all devices, get a turn. Each task has one, at its end at the latest.
        turns = eligible & (deciding ^ deciding - self._starts)
        changing = turns & (with_version & self._installed.changing | without & self._absent.changing)
        allocations = []
        while changing:
            _, task, bits = self._at[_lowest(changing)]
            allocations.append(self._allocation(turns & bits, profile.get(task, b"")))
            changing &= ~bits
        return allocations

    def _allocation(self, turns: Bits, installed: bytes) -> Allocation:
        selections = []
        last = None
        while turns:
            current, _, _ = self._at[_lowest(turns)]
            selection = current.installed if current.digest == installed else current.absent
            if selection is not None and current is not last:
                selections.append(selection)
            last, turns = current, turns & turns - 1
        return tuple(selections)


def _candidates(table: Table, rules: Iterable[Node]) -> dict[str, list[tuple[Candidate, Node]]]:
    """Return the candidates of each task with their rules, without those that select no device."""
    tasks: dict[str, list[tuple[Candidate, Node]]] = defaultdict(list)
    for entry, rule in zip(table.entries, rules, strict=True):
        current = candidate(entry)
        if current.installed.limit:
            tasks[entry.task].append((current, rule))
    for task, manifest in table.withdrawn:
        tasks[task].append((withdrawn(task, manifest), _EVERYBODY))
    for found in tasks.values():
        found.append((_END, _EVERYBODY))
    return tasks


def _lowest(bits: Bits) -> int:
    """Return the position of the lowest set bit."""
    return (bits & -bits).bit_length() - 1
