"""Models on validation data: how accurate an operator is for each choice of models before it, and what it puts out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from walle.placement.problem.model import WorkflowGraph
from walle.placement.processor.envelopes import Envelope, Parcel, payload_bytes
from walle.placement.processor.operators import CodeUnusable
from walle.placement.processor.planning import WorkflowCode
from walle.placement.processor.specs import HostedSpec, OperatorCode
from walle.placement.processor.worker_loop import HostedOperator

Metric = Callable[[Sequence[Envelope], Sequence[Any]], float]
"""From the outputs of an operator and the truths of all items to an accuracy, in which more is better."""
Case = tuple[Mapping[str, Any], Mapping[str, Any]]
"""An item, by source, and its truths, by operator."""
Selection = Mapping[str, str]


def upstream(workflow: WorkflowGraph) -> dict[str, frozenset[str]]:
    """Return, by operator, those whose models its output depends on: itself and all before it."""
    found: dict[str, frozenset[str]] = {}
    for name in workflow.order:
        before = [edge.source for edge in workflow.into[name] if edge.source in workflow.by_name]
        found[name] = frozenset({name}.union(*(found[each] for each in before)))
    return found


def selections(workflow: WorkflowGraph, operator: str) -> Iterator[Selection]:
    """Yield the selections of models that an operator's output depends on: of itself and of those before it."""
    before = upstream(workflow)[operator]
    names = [each for each in workflow.order if each in before]
    choices = [[model.name for model in workflow.by_name[name].models] for name in names]
    return (dict(zip(names, chosen, strict=True)) for chosen in product(*choices))


@dataclass(frozen=True)
class OperatorOutput:
    """What an operator made of all items under one selection of models: envelopes, and the records that it took."""

    envelopes: tuple[Envelope, ...]
    taken: int

    @property
    def records(self) -> int:
        """How many records it put out."""
        return sum(len(each.records) for each in self.envelopes)

    @property
    def kb_per_record(self) -> float:
        """The mean size of a record, in KB."""
        return sum(payload_bytes(each.records) for each in self.envelopes) / 1024 / max(1, self.records)


class ValidationRun:
    """Runs operators on validation data in this process, each once for each selection of models that it depends on."""

    def __init__(self, workflow: WorkflowGraph, code: WorkflowCode, cases: Sequence[Case]) -> None:
        self.workflow, self.code, self.cases = workflow, code, cases
        self._outputs: dict[tuple[str, frozenset[tuple[str, str]]], OperatorOutput] = {}
        self._upstream = upstream(workflow)

    def output(self, name: str, selection: Selection) -> OperatorOutput:
        """Return what a source or an operator puts out under a selection."""
        if name not in self.workflow.by_name:
            last = len(self.cases) - 1
            found = (Envelope(n, 1, n == last, (item[name],)) for n, (item, _) in enumerate(self.cases))
            return OperatorOutput(tuple(found), len(self.cases))
        key = name, frozenset((each, selection[each]) for each in self._upstream[name])
        if key not in self._outputs:
            self._outputs[key] = self._computed(name, selection)
        return self._outputs[key]

    def taken(self, name: str, selection: Selection) -> tuple[list[tuple[Envelope, int]], HostedOperator]:
        """Return what an operator is given to compute under a selection, with counts of records, and the operator."""
        spec = self.workflow.by_name[name]
        inputs = tuple(edge.source for edge in self.workflow.into[name])
        code = self.code.operators.get(name, OperatorCode(""))
        hosted = HostedOperator(HostedSpec(name, spec.kind, selection[name], inputs, (), code), 0.0)
        arrivals = [Parcel(name, each, one, 0.0) for each in inputs for one in self.output(each, selection).envelopes]
        ready = (hosted.ready(parcel, 0.0) for parcel in arrivals)
        return [each for each in ready if each], hosted

    def _computed(self, name: str, selection: Selection) -> OperatorOutput:
        ready, hosted = self.taken(name, selection)
        made = hosted.apply([each.records for each, _ in ready])
        envelopes = (each._replace(records=records) for (each, _), records in zip(ready, made, strict=True))
        return OperatorOutput(tuple(envelopes), sum(count for _, count in ready))

    def accuracy(self, name: str, selection: Selection, metrics: Mapping[str, Metric]) -> float:
        """Return how accurate an operator's output is; of one without a metric, as its least accurate input is."""
        if name in metrics:
            truths = [truth.get(name) for _, truth in self.cases]
            try:
                return round(float(metrics[name](self.output(name, selection).envelopes, truths)), 3)
            except (KeyError, IndexError, TypeError, ZeroDivisionError) as error:
                raise CodeUnusable(f"expected the metric of {name} to return an accuracy: {error!r}") from error
        before = self.workflow.by_name[name].inputs
        if not before:
            raise CodeUnusable(f"expected a metric of {name}, which has no operators before it")
        return min(self.accuracy(each, selection, metrics) for each in before)
