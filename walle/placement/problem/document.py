"""Reading a problem from its document in JSON (docs/workflow-format.md): all that is wrong with it is said at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from walle.placement.problem.model import (
    DEFAULT_PERCENTILE,
    AccuracyRow,
    Edge,
    Infrastructure,
    ModelChoice,
    NetworkPrices,
    OperatorSpec,
    PlacementProblem,
    PlacementTarget,
    PlacementWorker,
    Profiles,
    WorkflowGraph,
)
from walle.placement.problem.outline import DOCUMENT, LEAST, MOST
from walle.placement.problem.rules import check_rules
from walle.schema import Malformed, Problems, read_json

MAX_BYTES: Final = 4 * 1024 * 1024
"""The most bytes of a problem's document."""


class ProblemMalformed(Malformed):
    """A document is no placement problem."""


def read_problem(content: bytes, file: str = "") -> PlacementProblem:
    """Read a problem from JSON. Raises ProblemMalformed with all that is wrong, each with its path.

    `file` is the name that errors give the document.
    """
    try:
        document = read_json(content, file, MAX_BYTES)
    except Malformed as error:
        raise ProblemMalformed(error.problems) from error
    return problem_of(document, file)


def problem_of(document: Any, file: str = "") -> PlacementProblem:
    """Return the problem that a parsed document describes. Raises ProblemMalformed with all that is wrong."""
    problems = Problems(file)
    DOCUMENT.check(document, "", problems)
    if isinstance(document, dict) and not problems.full:
        check_rules(document, problems)
    if problems.found:
        raise ProblemMalformed(problems.all)
    problem = _built(document)
    for name, rate in problem.rates.items():
        if not LEAST <= rate <= MOST:
            problems.say(
                "workflow.edges", f"ratios with which {name} has a rate from {LEAST:g} to {MOST:g}", f"{rate:g}"
            )
    if problems.found:
        raise ProblemMalformed(problems.all)
    return problem


def _built(document: Mapping[str, Any]) -> PlacementProblem:
    percentile = document.get("percentile", DEFAULT_PERCENTILE)
    profiles = Profiles(document["profiles"])
    return PlacementProblem(
        workflow=_workflow(document["workflow"], document["profiles"][percentile]),
        infrastructure=_infrastructure(document["infrastructure"]),
        profiles=profiles,
        target=PlacementTarget(float(document["target"]["accuracy"]), dict(document["target"]["rates"])),
        percentile=percentile,
        name=document.get("name", ""),
        assumed=tuple(document.get("assumed", ())),
    )


def _workflow(given: Mapping[str, Any], latencies: Mapping[str, Any]) -> WorkflowGraph:
    return WorkflowGraph(
        sources=tuple(given["sources"]),
        sink=given["sink"],
        operators=tuple(_operator(each, latencies[each["name"]]) for each in given["operators"]),
        edges=tuple(_edge(each) for each in given["edges"]),
    )


def _operator(given: Mapping[str, Any], latencies: Mapping[str, Any]) -> OperatorSpec:
    return OperatorSpec(
        name=given["name"],
        kind=given.get("kind", "model"),
        inputs=tuple(given.get("inputs", ())),
        selection_weight=float(given.get("selection_weight", 1)),
        models=tuple(_model(each, latencies[each["name"]]) for each in given["models"]),
    )


def _model(given: Mapping[str, Any], latencies: Mapping[str, float | None]) -> ModelChoice:
    """Return a model; without a cost for its selection, that is its latency on the fastest worker."""
    fastest = min((each for each in latencies.values() if each is not None), default=0.0)
    rows = given.get("accuracy_rows", ())
    return ModelChoice(
        name=given["name"],
        selection_cost_ms=float(given.get("selection_cost_ms", fastest)),
        accuracy_rows=tuple(AccuracyRow(tuple(map(float, row["inputs"])), float(row["output"])) for row in rows),
    )


def _edge(given: Mapping[str, Any]) -> Edge:
    sizes = given["kb_per_item"]
    by_model: dict[str | None, float] = dict(sizes) if isinstance(sizes, dict) else {None: float(sizes)}
    return Edge(given["source"], given["target"], float(given.get("rate_ratio", 1)), by_model)


def _infrastructure(given: Mapping[str, Any]) -> Infrastructure:
    tiers = tuple(each["name"] for each in given["tiers"])
    at = {name: index for index, name in enumerate(tiers)}
    network, caps = given["network"], given.get("bandwidth_mbps", {})
    pairs = (pair.partition("->") for pair in network["usd_per_gb"])
    prices = {(at[low], at[high]): float(network["usd_per_gb"][f"{low}->{high}"]) for low, _, high in pairs}
    return Infrastructure(
        tiers=tiers,
        workers=tuple(_worker(each, at) for each in given["workers"]),
        network=NetworkPrices(prices, at[network.get("source_tier", tiers[0])]),
        sites=tuple(each.get("sites", 1) for each in given["tiers"]),
        tier_caps={at[name]: float(cap) for name, cap in caps.get("tiers", {}).items()},
        worker_caps={name: float(cap) for name, cap in caps.get("workers", {}).items()},
    )


def _worker(given: Mapping[str, Any], at: Mapping[str, int]) -> PlacementWorker:
    return PlacementWorker(
        given["id"],
        given["type"],
        at[given["tier"]],
        given.get("location", given["tier"]),
        float(given["cost_per_hour"]),
    )
