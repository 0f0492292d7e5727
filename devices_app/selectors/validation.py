"""Validate a rule while somebody writes it, and list what it uses."""

from collections.abc import Sequence
from dataclasses import dataclass

from devices_app.models import App, IdList
from devices_app.selectors.facts import fact_declarations
from devices_app.selectors.registry import lists_of
from walle.release.rules import FactDeclaration, RuleMalformed, faults_of
from walle.release.rules.reading import read_rule
from walle.release.rules.tree import Leaf, ListMember, leaves
from walle.schema import Problem


@dataclass(frozen=True)
class UsedFact:
    """A fact that a rule uses, with its declaration; None if it has none."""

    name: str
    type: str | None
    source: str | None
    values: list[str] | None


@dataclass(frozen=True)
class UsedList:
    """An id list that a rule uses; its size is None if it does not exist."""

    name: str
    size: int | None


@dataclass(frozen=True)
class RuleValidation:
    """All faults of a rule, and what it uses: nothing if it cannot be parsed. `devices` counts single devices."""

    faults: Sequence[Problem]
    facts: list[UsedFact]
    lists: list[UsedList]
    devices: int

    @property
    def valid(self) -> bool:
        return not self.faults


def validation_of(app: App, rule: object) -> RuleValidation:
    """Return why a release to the app with this rule would be refused, and what the rule uses."""
    declared, names = fact_declarations(app), IdList.objects.filter(app=app).values_list("name", flat=True)
    faults = faults_of(rule, declared, set(names))
    try:
        used = list(leaves(read_rule(rule)))
    except RuleMalformed:
        return RuleValidation(faults, [], [], 0)
    facts = sorted({leaf.fact for leaf in used if isinstance(leaf, Leaf)})
    lists = {leaf.name for leaf in used if isinstance(leaf, ListMember) and leaf.ids is None}
    sizes = dict(lists_of(app).filter(name__in=lists).values_list("name", "size")) if lists else {}
    return RuleValidation(
        faults,
        [_used_fact(fact, declared.get(fact)) for fact in facts],
        [UsedList(name, sizes.get(name)) for name in sorted(lists)],
        len(frozenset[str]().union(*(leaf.ids or () for leaf in used if isinstance(leaf, ListMember)))),
    )


def _used_fact(name: str, declared: FactDeclaration | None) -> UsedFact:
    if declared is None:
        return UsedFact(name, None, None, None)
    values = None if declared.values is None else list(map(str, declared.values))
    return UsedFact(name, declared.type, declared.source, values)
