"""The catalog of plan stages (PRETZEL, section 4.3.1): which plans have which in common, and results of these."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol
from weakref import WeakValueDictionary

from walle.whitebox.runtime.contract import BoundPlan
from walle.whitebox.runtime.materialisation import SharedResults, StageResults

Reuse = Callable[[Any, Any], Any]
"""Returns the prediction for a record, with vectors, and looks up and keeps results."""


class CataloguedPlan(Protocol):
    """A plan with stages that others may have, and what it shares with these now."""

    bound: BoundPlan
    reuse: Reuse | None
    sharing: SharedResults | None


class StageCatalog:
    """All plans' stages, whose results are kept in so many bytes as far as several plans have them; 0 keeps none."""

    def __init__(self, most_bytes: int) -> None:
        self.results = StageResults(most_bytes)
        self._users: dict[str, list[CataloguedPlan]] = {}
        self._shared = WeakValueDictionary[frozenset[str], SharedResults]()

    @property
    def stages(self) -> int:
        """How many different stages there are that could be shared."""
        return len(self._users)

    @property
    def shared(self) -> int:
        """How many of them several plans have."""
        return sum(len(users) > 1 for users in self._users.values())

    def add(self, plan: CataloguedPlan) -> None:
        """Enter a plan's stages."""
        for identity in plan.bound.shareable:
            self._users.setdefault(identity, []).append(plan)
        self._renew(plan.bound.shareable, 2)

    def remove(self, plan: CataloguedPlan) -> None:
        """Strike a plan's stages out."""
        for identity in plan.bound.shareable:
            users = self._users[identity]
            users.remove(plan)
            if not users:
                del self._users[identity]
        self._renew(plan.bound.shareable, 1)

    def shared_by(self, plan: CataloguedPlan) -> frozenset[str]:
        """Return the stages of a plan that others have, too."""
        return frozenset(each for each in plan.bound.shareable if len(self._users.get(each, ())) > 1)

    def _renew(self, identities: Iterable[str], users: int) -> None:
        """Have the plans with these stages share what they do now, where that changed with the number of `users`."""
        plans = {id(plan): plan for each in identities for plan in _changed(self._users.get(each, []), users)}
        for plan in plans.values():
            shared = self.shared_by(plan)
            if shared and self.results.kept.most:
                plan.sharing = self._shared.setdefault(shared, SharedResults(self.results))
                plan.reuse = plan.bound.reusing(shared, plan.sharing)
            else:
                plan.sharing = plan.reuse = None


def _changed(plans: list[CataloguedPlan], users: int) -> list[CataloguedPlan]:
    """Return the plans for which a stage begins or ceases to be shared: all of them, or the last one that came."""
    return plans if len(plans) == users else plans[-1:]
