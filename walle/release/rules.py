"""Targeting rules as data, compiled to predicates.

A rule is a JSON object. The uniform policy of the paper (section 6: release grouped by app version) needs one
form, membership: `{"fact": "app_version", "in": ["1.0.0", "1.1.0"]}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Facts = Mapping[str, Any]
Predicate = Callable[[Facts], bool]


class RuleMalformed(ValueError):
    """A rule that means nothing; `path` says where in its JSON the fault is."""

    def __init__(self, path: str, expected: str) -> None:
        super().__init__(f"{path}: expected {expected}")
        self.path = path
        self.expected = expected


def uniform(app_versions: Sequence[str]) -> dict[str, Any]:
    """The rule of the uniform policy: every device of these versions of the app."""
    return {"fact": "app_version", "in": list(app_versions)}


def compile_rule(rule: object) -> Predicate:
    """The predicate over a device's facts that a rule means; raises RuleMalformed."""
    if not isinstance(rule, dict) or set(rule) != {"fact", "in"}:
        raise RuleMalformed("rule", 'an object with "fact" and "in"')
    fact, values = rule["fact"], rule["in"]
    if not isinstance(fact, str) or not fact:
        raise RuleMalformed("rule.fact", "the name of a fact")
    if not isinstance(values, list) or not values:
        raise RuleMalformed("rule.in", "a list of at least one value")
    for position, value in enumerate(values):
        if not isinstance(value, str):
            raise RuleMalformed(f"rule.in[{position}]", "text")
    members = frozenset(values)
    return lambda facts: facts.get(fact) in members


def facts_in(rule: Mapping[str, Any]) -> frozenset[str]:
    """The facts that a sound rule looks at; devices that agree on them agree on the rule."""
    return frozenset({rule["fact"]})
