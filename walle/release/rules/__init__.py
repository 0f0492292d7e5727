"""Targeting rules as data: which devices a release is for (section 6 of the paper; docs/guides/targeting.md).

A rule is a JSON object, compiled to a predicate for gateways, checked when it is written, and answered by the
database in the same sense (devices_app.selectors.targeting). What can be asked of facts is one table,
walle.release.rules.vocabulary.

    {"all": [rule, ...]}  {"any": [rule, ...]}  {"not": rule}
    {"fact": "os", "in": ["android"]}           or "equals": one value
    {"fact": "os_version", "version": ">=12, <15"}
    {"fact": "model", "prefix": "Pixel"}        or "glob": "SM-G99?*"
    {"fact": "memory", "range": {"at_least": 4}}    at_least, at_most, above, below
    {"list": "testers"}  {"devices": ["id", ...]}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from walle.protocol.interpreters import FACT
from walle.protocol.kinds import DEVICE, fact_of
from walle.release.rules.checking import check_rule, faults_of
from walle.release.rules.covering import covers
from walle.release.rules.facts import USER_SIDE, seen_facts
from walle.release.rules.malformed import RuleMalformed
from walle.release.rules.predicates import Facts, Predicate, predicate_of
from walle.release.rules.reading import LISTS, read_rule
from walle.release.rules.tree import Leaf, ListMember, inline_name, leaves
from walle.release.rules.vocabulary import BUILT_IN_FACTS, FACT_TYPES, OPERATORS, FactDeclaration, FactType, Operator

__all__ = [
    "BUILT_IN_FACTS",
    "FACT_TYPES",
    "LISTS",
    "OPERATORS",
    "USER_SIDE",
    "FactDeclaration",
    "FactType",
    "Facts",
    "Operator",
    "Predicate",
    "RuleMalformed",
    "check_rule",
    "compile_rule",
    "covers",
    "eligible",
    "facts_in",
    "faults_of",
    "inline_lists",
    "inline_name",
    "knowing",
    "lists_in",
    "needs",
    "seen_facts",
    "uniform",
]


def uniform(app_versions: Sequence[str]) -> dict[str, Any]:
    """Return the rule of the uniform policy: every device of these versions of the app."""
    return {"fact": "app_version", "in": list(app_versions)}


def knowing(kind: str) -> dict[str, Any]:
    """Return the rule of devices that claim to support a kind of task other than `device`."""
    return {"fact": fact_of(kind), "equals": True}


def needs(kind: str, interpreter: str | None) -> list[dict[str, Any]]:
    """Return the rules of devices that can run versions of a kind of task, and load bytecode for an interpreter."""
    known = [] if kind == DEVICE else [knowing(kind)]
    return known + ([] if interpreter is None else [{"fact": FACT, "equals": interpreter}])


def eligible(rule: Mapping[str, Any], kind: str, interpreter: str | None) -> Mapping[str, Any]:
    """Return a rule restricted to devices that support a kind of task, and load bytecode for an interpreter."""
    needed = needs(kind, interpreter)
    return {"all": [*needed, rule]} if needed else rule


def compile_rule(rule: object) -> Predicate:
    """Compile a rule to a predicate over a device's facts; raises RuleMalformed."""
    return predicate_of(read_rule(rule))


def facts_in(rule: object) -> frozenset[str]:
    """Return the facts that a rule uses, including "lists"; devices with equal values get the same result."""
    return frozenset(leaf.fact if isinstance(leaf, Leaf) else LISTS for leaf in leaves(read_rule(rule)))


def lists_in(rule: object) -> frozenset[str]:
    """Return the uploaded lists that a rule names."""
    return frozenset(leaf.name for leaf in _members(rule) if leaf.ids is None)


def inline_lists(rule: object) -> Mapping[str, frozenset[str]]:
    """Return the device ids of lists inside the rule, by the names of these lists."""
    return {leaf.name: leaf.ids for leaf in _members(rule) if leaf.ids is not None}


def _members(rule: object) -> list[ListMember]:
    return [leaf for leaf in leaves(read_rule(rule)) if isinstance(leaf, ListMember)]
