"""Chains of transformations, and programs, which are the graphs of all chains that lead to some outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy.typing as npt

from walle.whitebox.archive.document import ColumnStatistics, Sample, Statistics, VectorStatistics
from walle.whitebox.archive.writing import parameter_of, write_archive
from walle.whitebox.graph import COLUMN, ClassName, Column, Graph, Parameter, Transformation, check_graph
from walle.whitebox.operators import OPERATORS, Operator
from walle.whitebox.oven import LogicalPlan, optimise


@dataclass(frozen=True, eq=False)
class Chain:
    """A value that a pipeline makes: a column, or what an operator makes of other values. Nothing is computed."""

    operator: str
    inputs: tuple[Chain, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    column: Column | None = None
    statistics: VectorStatistics | ColumnStatistics | None = None

    @property
    def annotations(self) -> Operator | None:
        """What is known of the operator (`walle.whitebox.operators.Operator`); None for a column."""
        return OPERATORS.get(self.operator)


@dataclass(frozen=True, eq=False)
class Program:
    """A whole pipeline: its outputs (`walle.whitebox.graph.OUTPUTS`) by name, and its classes."""

    outputs: Mapping[str, Chain]
    classes: tuple[ClassName, ...] = ()
    records: int = 0

    @cached_property
    def graph(self) -> Graph:
        """The graph of all chains that lead to the outputs. Raises GraphMalformed for one that is none."""
        graph = Graph(
            tuple(dict.fromkeys(each.column for each in self._chains if each.column)),
            tuple(self._transformation(each) for each in self._chains if not each.column),
            {name: self._ids[each] for name, each in self.outputs.items()},
            self.classes,
        )
        check_graph(graph)
        return graph

    @cached_property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The trained numbers, each array once, by digest."""
        return {parameter.digest: array for stored in self._stored.values() for parameter, array in stored.values()}

    @cached_property
    def statistics(self) -> Statistics:
        """What training saw, as far as chains say it."""
        columns, vectors = dict[str, ColumnStatistics](), dict[str, VectorStatistics]()
        for each in self._chains:
            match each.statistics:
                case ColumnStatistics() as seen if each.column:
                    columns[each.column.name] = seen
                case VectorStatistics() as seen if not each.column:
                    vectors[self._ids[each]] = seen
        return Statistics(self.records, columns, vectors)

    def plan(self) -> LogicalPlan:
        """Return the logical plan of the pipeline. Raises GraphMalformed for one that is none."""
        return optimise(self.graph, self.statistics)

    def write(self, folder: Path, samples: Sequence[Sample] = ()) -> None:
        """Write the pipeline as an archive. Raises GraphMalformed or ArchiveMalformed for one that is none."""
        write_archive(folder, self.graph, self.arrays, self.statistics, samples)

    @cached_property
    def _chains(self) -> tuple[Chain, ...]:
        """All chains that lead to the outputs, each once and behind its inputs."""
        found: dict[Chain, None] = {}
        for output in self.outputs.values():
            found.update(dict.fromkeys(_behind_inputs(output, found)))
        return tuple(found)

    @cached_property
    def _ids(self) -> dict[Chain, str]:
        """The id of each chain: its column, or its operator with a number where several have it."""
        counts: dict[str, int] = {}
        ids: dict[Chain, str] = {}
        for each in self._chains:
            if each.column:
                ids[each] = COLUMN + each.column.name
                continue
            count = counts[each.operator] = counts.get(each.operator, 0) + 1
            ids[each] = each.operator if count == 1 else f"{each.operator}-{count}"
        return ids

    @cached_property
    def _stored(self) -> dict[Chain, dict[str, tuple[Parameter, npt.NDArray[Any]]]]:
        return {each: {name: _stored(array) for name, array in each.arrays.items()} for each in self._chains}

    def _transformation(self, chain: Chain) -> Transformation:
        parameters = {name: parameter for name, (parameter, _) in self._stored[chain].items()}
        inputs = tuple(self._ids[each] for each in chain.inputs)
        return Transformation(self._ids[chain], chain.operator, inputs, chain.settings, parameters)


def _behind_inputs(output: Chain, done: Mapping[Chain, None]) -> Iterator[Chain]:
    waiting, seen = [output], set(done)
    while waiting:
        chain = waiting[-1]
        missing = [each for each in chain.inputs if each not in seen]
        if missing:
            waiting.extend(reversed(missing))
            continue
        waiting.pop()
        if chain not in seen:
            seen.add(chain)
            yield chain


_BY_KIND: Final = {"f": "<f8", "i": "<i4", "u": "<u8"}


def _stored(array: npt.NDArray[Any]) -> tuple[Parameter, npt.NDArray[Any]]:
    return parameter_of(array, _BY_KIND[array.dtype.kind])
