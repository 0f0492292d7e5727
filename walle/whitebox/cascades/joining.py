"""A prefix put into the graph of a pipeline: what both compute alike is there once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from walle.whitebox.graph import COLUMN, Graph, Transformation
from walle.whitebox.oven.plan import identities_of

PREFIX_ID: Final = "prefix."


def join_prefix(whole: Graph, prefix: Graph) -> tuple[Graph, Mapping[str, str]]:
    """Return the graph of a pipeline with the transformations of a prefix, and the outputs of that in it by name."""
    made = {identity: id_ for id_, identity in identities_of(whole).items()}
    identities = identities_of(prefix)
    taken = {each.id for each in whole.transformations}
    names: dict[str, str] = {}
    steps: list[Transformation] = []
    for each in prefix.transformations:
        known = made.get(identities[each.id])
        if known is not None:
            names[each.id] = known
            continue
        names[each.id] = _free(PREFIX_ID + each.id, taken)
        taken.add(names[each.id])
        inputs = tuple(id_ if id_.startswith(COLUMN) else names[id_] for id_ in each.inputs)
        steps.append(replace(each, id=names[each.id], inputs=inputs))
    graph = replace(whole, transformations=(*whole.transformations, *steps))
    return graph, {name: names[id_] for name, id_ in prefix.outputs.items()}


def _free(wanted: str, taken: set[str]) -> str:
    number, found = 2, wanted
    while found in taken:
        number, found = number + 1, f"{wanted}-{number}"
    return found
