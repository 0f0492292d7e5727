"""Split a rule into terms: it holds if any term holds, and a term tests each fact separately.

That is the disjunctive normal form, with the parts of a rule that look at one fact only left whole: what a rule says of
several facts at once is said by few terms, and what a term says of a fact depends on that fact's value alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Final

from walle.release.rules.reading import LISTS
from walle.release.rules.tree import All, AnyOf, Leaf, Node, Not, leaves

Term = Mapping[str, Node]
"""A map of facts (including "lists") to their tests; a device matches if every fact passes."""

MAX_TERMS: Final = 32


def terms_of(node: Node) -> list[Term] | None:
    """Return the terms of a rule; None if there are more than MAX_TERMS."""
    found = _terms(node)
    return found if len(found) <= MAX_TERMS else None


def subject_of(leaf: Node) -> str:
    """Return the fact that a leaf tests."""
    return leaf.fact if isinstance(leaf, Leaf) else LISTS


def _terms(node: Node) -> list[Term]:
    """Return all terms, or the first MAX_TERMS + 1 of them."""
    subjects = {subject_of(leaf) for leaf in leaves(node)}
    if len(subjects) == 1:
        return [{subjects.pop(): node}]
    return list(islice(_apart(node), MAX_TERMS + 1))


def _apart(node: Node) -> Iterator[Term]:
    match node:
        case Not(Not(part)):
            yield from _terms(part)
        case Not(All(parts)):
            yield from _apart(AnyOf(tuple(map(Not, parts))))
        case Not(AnyOf(parts)):
            yield from _apart(All(tuple(map(Not, parts))))
        case AnyOf(parts):
            for part in parts:
                yield from _terms(part)
        case All(parts):
            for terms in product(*map(_terms, parts)):
                yield _joined(terms)


def _joined(terms: tuple[Term, ...]) -> Term:
    """Return one term that combines the tests of all of these."""
    joined: dict[str, Node] = {}
    for term in terms:
        for fact, test in term.items():
            joined[fact] = All((joined[fact], test)) if fact in joined else test
    return joined
