"""What must hold between the fields of a problem's document; each field has been checked by itself before.

A rule looks at what is valid by itself, and says nothing about what it cannot tell because of another problem, so that
one mistake is reported once. The time of all rules together is linear in the document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Final

from walle.placement.problem.graph_rules import check_paths, named_edges
from walle.placement.problem.model import DEFAULT_PERCENTILE
from walle.schema import Problems, joined
from walle.schema.fields import NOTHING, did_you_mean

_HINTED: Final = 10
"""How many problems of a document come with a similar name: to look for one takes a while."""
_HOLES: Final = 3
"""How many workers are named that a table of latencies lacks."""
_LATENCY: Final = "a latency in ms, or null for a worker that cannot run the model"


def check_rules(document: Mapping[str, Any], problems: Problems) -> None:
    """Report every rule between fields that a document breaks."""
    rules = _Rules(document, problems)
    rules.check_edges()
    check_paths(rules.workflow, rules.sources.names, rules.operators.names, rules.names_known, problems)
    rules.check_operators()
    rules.check_infrastructure()
    rules.check_target()
    rules.check_profiles()


@dataclass(frozen=True, slots=True)
class _KnownNames:
    """The names of a list's items by index; `complete` where all of them are valid, so that others are unknown."""

    what: str
    names: Mapping[str, int]
    complete: bool

    def check(self, name: Any, field: str, problems: Problems) -> bool:
        """Return whether a name is one of them; if it surely is none, that is a problem of the field."""
        if not isinstance(name, str) or problems.touches(field):
            return False
        if name not in self.names and self.complete:
            hint = did_you_mean(name, self.names) if len(problems.found) < _HINTED else ""
            problems.add(field, self.what, name, hint)
        return name in self.names

    def missing(self, given: Mapping[str, Any]) -> Iterator[str]:
        """Yield the names that a table lacks, if it is sure what they are."""
        return (name for name in self.names if self.complete and name not in given)


class _Rules:
    """The parts of one document, as far as they are valid, and the rules between them."""

    def __init__(self, document: Mapping[str, Any], problems: Problems) -> None:
        self.document = document
        self.problems = problems
        self._broken = {each.field for each in problems.found}
        self.workflow = self._table(document, "", "workflow")
        self.infrastructure = self._table(document, "", "infrastructure")
        self.operators = self._names(self.workflow, "workflow", "operators", "name", "an operator")
        self.models = {
            place: self._names(operator, place, "models", "name", "a model of the operator")
            for place, operator in self._items(self.workflow, "workflow", "operators")
        }
        self.tiers = self._names(self.infrastructure, "infrastructure", "tiers", "name", "a tier")
        self.workers = self._names(self.infrastructure, "infrastructure", "workers", "id", "a worker")

    def _table(self, part: Mapping[str, Any], field: str, key: str) -> Mapping[str, Any]:
        """Return a table inside another; an empty one if it is missing or was refused as a whole."""
        found = part.get(key)
        return found if isinstance(found, dict) and joined(field, key) not in self._broken else {}

    def _items(self, part: Mapping[str, Any], field: str, key: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield each table of a list with its place; nothing if the list was refused as a whole."""
        place, items = f"{field}.{key}", part.get(key)
        if isinstance(items, list) and place not in self._broken:
            yield from ((f"{place}[{index}]", item) for index, item in enumerate(items) if isinstance(item, dict))

    def _names(self, part: Mapping[str, Any], field: str, list_key: str, key: str, what: str) -> _KnownNames:
        """Return the names in a list of tables, and report those that occur twice."""
        names: dict[str, int] = {}
        place, given = f"{field}.{list_key}", part.get(list_key)
        items = given if isinstance(given, list) and place not in self._broken else []
        complete = bool(items)
        for index, item in enumerate(items):
            name = item.get(key) if isinstance(item, dict) else None
            if not isinstance(name, str) or f"{place}[{index}].{key}" in self._broken:
                complete = False
            elif name in names:
                self.problems.add(f"{place}[{index}].{key}", "no duplicate", name)
            else:
                names[name] = index
        return _KnownNames(what, names, complete)

    @cached_property
    def sources(self) -> _KnownNames:
        """The sources, whose names no operator may have."""
        given = self.workflow.get("sources")
        complete = isinstance(given, list) and not self.problems.touches("workflow.sources")
        names = {name: index for index, name in enumerate(given or ())} if complete else {}
        for name, index in names.items():
            if name in self.operators.names:
                self.problems.add(f"workflow.sources[{index}]", "a name that no operator has", name)
        return _KnownNames("a source", names, complete)

    @property
    def names_known(self) -> bool:
        """Whether all sources and operators have valid names."""
        return self.sources.complete and self.operators.complete

    def check_edges(self) -> None:
        """Check that edges connect what exists, once each, and say a size for each model."""
        ends = _KnownNames("a source or an operator", {**self.sources.names, **self.operators.names}, self.names_known)
        pairs: set[tuple[str, str]] = set()
        for place, edge in self._items(self.workflow, "workflow", "edges"):
            begins = ends.check(edge.get("source"), f"{place}.source", self.problems)
            if not self.operators.check(edge.get("target"), f"{place}.target", self.problems) or not begins:
                continue
            pair = edge["source"], edge["target"]
            if pair in pairs:
                self.problems.say(place, "one edge between the same two", f"another {pair[0]} -> {pair[1]}")
            pairs.add(pair)
            self._check_sizes(edge, place)

    def _check_sizes(self, edge: Mapping[str, Any], place: str) -> None:
        field, sizes = f"{place}.kb_per_item", self._table(edge, place, "kb_per_item")
        if not sizes:
            return
        if edge["source"] in self.sources.names:
            self.problems.add(field, "a size in KB: a source has no models", sizes)
        else:
            self._check_table(sizes, field, self._models_of(edge["source"]), "a size in KB")

    def _models_of(self, operator: str) -> _KnownNames:
        return self.models[f"workflow.operators[{self.operators.names[operator]}]"]

    def _check_table(self, table: Mapping[str, Any], field: str, known: _KnownNames, expected: str) -> None:
        """Check that a table has a value for each known name and for no other."""
        for name in table:
            known.check(name, joined(field, name), self.problems)
        for name in known.missing(table):
            self.problems.say(joined(field, name), expected, NOTHING)

    def check_operators(self) -> None:
        """Check that inputs are what edges bring, and that each row has an accuracy for each of them."""
        before = self._before() if self.operators.complete else None
        for place, operator in self._items(self.workflow, "workflow", "operators"):
            if self.problems.touches(f"{place}.inputs") or self.problems.touches(f"{place}.name"):
                continue
            inputs = operator.get("inputs", [])
            expected = before.get(operator["name"], set()) if before is not None else set(inputs)
            if set(inputs) != expected:
                words = f"the operators whose edges end here: {', '.join(sorted(expected)) or 'none'}"
                self.problems.say(f"{place}.inputs", words, ", ".join(inputs) or "none")
                continue
            for model_place, model in self._items(operator, place, "models"):
                self._check_rows(model, len(inputs), f"{model_place}.accuracy_rows")

    def _before(self) -> dict[str, set[str]] | None:
        """Return the operators before each, None where some edges are not valid."""
        edges = list(named_edges(self.workflow, self.sources.names, self.operators.names))
        if not edges or len(edges) < len(self.workflow["edges"]):
            return None
        found: dict[str, set[str]] = {}
        for source, target in edges:
            found.setdefault(target, set()).update({source} & self.operators.names.keys())
        return found

    def _check_rows(self, model: Mapping[str, Any], inputs: int, field: str) -> None:
        if self.problems.touches(field):
            return
        rows = model.get("accuracy_rows", [])
        if not rows and not inputs:
            expected = "a row: no operator stands before this one whose accuracy could pass through"
            self.problems.say(field, expected, NOTHING)
        for index, row in enumerate(rows):
            if len(row["inputs"]) != inputs:
                expected = f"an accuracy for each of the operator's {inputs} inputs"
                self.problems.say(f"{field}[{index}].inputs", expected, str(len(row["inputs"])))

    def check_infrastructure(self) -> None:
        """Check that workers, sources, prices and caps are those of tiers and workers that exist."""
        place, problems = "infrastructure", self.problems
        for field, worker in self._items(self.infrastructure, place, "workers"):
            self.tiers.check(worker.get("tier"), f"{field}.tier", problems)
        network = self._table(self.infrastructure, place, "network")
        self.tiers.check(network.get("source_tier"), f"{place}.network.source_tier", problems)
        if self.tiers.complete and f"{place}.network" not in self._broken:
            self._check_prices(self._table(network, f"{place}.network", "usd_per_gb"))
        caps = self._table(self.infrastructure, place, "bandwidth_mbps")
        for key, known in (("tiers", self.tiers), ("workers", self.workers)):
            for name in self._table(caps, f"{place}.bandwidth_mbps", key):
                known.check(name, joined(f"{place}.bandwidth_mbps.{key}", name), problems)

    def _check_prices(self, prices: Mapping[str, Any]) -> None:
        field, tiers = "infrastructure.network.usd_per_gb", list(self.tiers.names)
        if field in self._broken or "infrastructure.network" in self._broken:
            return
        pairs = {f"{low}->{high}": low == high for index, low in enumerate(tiers) for high in tiers[index:]}
        known = _KnownNames('two tiers as "lower->higher"', dict.fromkeys(pairs, 0), complete=True)
        for pair in prices:
            known.check(pair, joined(field, pair), self.problems)
        for pair in known.missing(prices):
            if not pairs[pair]:
                self.problems.say(joined(field, pair), "a price in USD per GB above 0", NOTHING)

    def check_target(self) -> None:
        """Check that there is a rate for each source."""
        target = self._table(self.document, "", "target")
        if "rates" in target and "target.rates" not in self._broken:
            self._check_table(target["rates"], "target.rates", self.sources, "a rate in items per second above 0")

    def check_profiles(self) -> None:
        """Check that each worker has a latency for each model of each operator, in each percentile."""
        profiles = self._table(self.document, "", "profiles")
        wanted = self.document.get("percentile", DEFAULT_PERCENTILE)
        if profiles and not self.problems.touches("percentile") and wanted not in profiles:
            expected = "the latencies of the percentile that plans are made for"
            self.problems.say(joined("profiles", wanted), expected, NOTHING)
        for percentile in profiles:
            place = joined("profiles", percentile)
            by_operator = self._table(profiles, "profiles", percentile)
            if place not in self._broken:
                self._check_table(by_operator, place, self.operators, "latencies by model")
            for operator in by_operator.keys() & self.operators.names.keys():
                self._check_models(by_operator, place, operator)

    def _check_models(self, by_operator: Mapping[str, Any], place: str, operator: str) -> None:
        field, models = joined(place, operator), self._models_of(operator)
        by_model = self._table(by_operator, place, operator)
        if field not in self._broken:
            self._check_table(by_model, field, models, "latencies by worker")
        for model in by_model.keys() & models.names.keys():
            if joined(field, model) not in self._broken:
                self._check_latencies(by_model[model], joined(field, model))

    def _check_latencies(self, latencies: Mapping[str, Any], field: str) -> None:
        """Name the first workers without a latency; profiles may know more workers than there are now."""
        for name in islice(self._holes(latencies), _HOLES):
            self.problems.say(joined(field, name), _LATENCY, NOTHING)

    @cached_property
    def _by_type(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for place, worker in self._items(self.infrastructure, "infrastructure", "workers"):
            if not self.problems.touches(f"{place}.id") and not self.problems.touches(f"{place}.type"):
                found.setdefault(worker["type"], []).append(worker["id"])
        return found

    def _holes(self, latencies: Mapping[str, Any]) -> Iterator[str]:
        """Yield a worker of each type without a latency; each step before it stands for a key of the table."""
        for kind, ids in self._by_type.items():
            if kind not in latencies:
                yield from islice((each for each in ids if each not in latencies), 1)
