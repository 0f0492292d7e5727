"""Which version answers a caller: the decision of a check-in, for a caller that has no version of its own.

Entry by entry, newest first, as walle.release.decision.choose does it for all tasks of a device at once: a caller whom
the entry's rule and share select gets its version. Two modes mean something else for a caller than for a device, which
keeps what it has installed. While a release is on hold its version goes on answering its cohort. What ended before it
was complete answers nobody any more: its callers go back to the version before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from walle.protocol.kinds import facts_of
from walle.release.candidates import Selection, candidate
from walle.release.cohort import Cohort, device_point
from walle.release.decision import CompiledTable
from walle.release.rules import Facts, Predicate, seen_facts
from walle.release.table import Entry, Mode
from walle.whitebox.serving.ports import KIND, Arm, CallerExposure

GRANTED: Final[Mapping[str, Any]] = facts_of({KIND})
"""The facts that the serving host grants every caller: it is the host that runs pipelines."""


class RoutedCaller(NamedTuple):
    """Who asks, with the facts that the caller claims and those that are vouched for.

    `vouched` says whether a service's token or the app's backend vouches for the caller.
    """

    id: str
    claims: Facts
    trusted: Facts
    vouched: bool


class SelectedArm(NamedTuple):
    """The arm that a caller was selected for in the release of an entry, which is under observation."""

    entry: Entry
    arm: Arm


class Choice(NamedTuple):
    """The entry whose version answers, and the releases under observation that selected the caller."""

    entry: Entry
    selected: tuple[SelectedArm, ...]


class _Route(NamedTuple):
    """One entry as the routes use it."""

    entry: Entry
    predicate: Predicate
    selection: Selection


class Routes:
    """The routes to the versions of every pipeline of one app's table."""

    def __init__(self, table: CompiledTable) -> None:
        self.table = table
        self._routes: dict[str, list[_Route]] = defaultdict(list)
        for entry, predicate in zip(table.table.entries, table.predicates, strict=True):
            if entry.kind == KIND and entry.mode != Mode.KEEP:
                self._routes[entry.task].append(_Route(entry, predicate, _selection(entry)))
        self.tasks = frozenset(self._routes)
        """The pipelines that some callers may reach."""

    def entries(self) -> list[Entry]:
        """Return the entries whose versions must be installed."""
        return [route.entry for routes in self._routes.values() for route in routes]

    def choose(self, task: str, caller: RoutedCaller, is_ready: Callable[[str], bool]) -> Choice | None:
        """Return the choice for a caller, None if no entry selects the caller or there is no such task.

        A version whose manifest is not ready here is passed over, as if its release did not exist: the version before
        it answers, and nobody is counted as having been exposed.
        """
        facts = seen_facts({**caller.claims, **GRANTED}, caller.trusted, self.table.lists_of(caller.id))
        point = device_point(caller.id)
        selected: list[SelectedArm] = []
        for entry, predicate, selection in self._routes.get(task, ()):
            if not predicate(facts) or not is_ready(entry.manifest):
                continue
            number = selection.number(point)
            if number < selection.limit:
                if _is_counted(entry):
                    selected.append(SelectedArm(entry, "treatment"))
                return Choice(entry, tuple(selected))
            if number >= selection.control and _is_counted(entry):
                selected.append(SelectedArm(entry, "control"))
        return None


def _is_counted(entry: Entry) -> bool:
    """Return whether selections count: not while a release is on hold, when nobody is held back to compare with."""
    return entry.observed and entry.mode == Mode.OFFER


def _selection(entry: Entry) -> Selection:
    """Return the selection of callers: those that a device without the version would belong to."""
    found = candidate(entry)
    return found.absent or found.installed


def exposures(
    app: str, caller: RoutedCaller, number: int, selected: tuple[SelectedArm, ...], at: float
) -> list[CallerExposure]:
    """Return the exposures of a caller under the table with this number; `at` is in Unix seconds."""
    point = device_point(caller.id)
    return [
        CallerExposure(
            app,
            entry.task,
            entry.release,
            entry.stage,
            arm,
            caller.id,
            Cohort(entry.salt).bucket(point),
            number,
            caller.vouched,
            at,
        )
        for entry, arm in selected
    ]
