"""Placement problems in JSON: what is documented is read, and all that is wrong is said at once, where it is."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from walle.placement.problem.document import MAX_BYTES, ProblemMalformed, problem_of, read_problem
from walle.schema import MAX_PROBLEMS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "workflow-format.md"
EXAMPLE: dict[str, Any] = json.loads(re.search(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)[1])
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["Detect", "edge"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    """The example with another value at a path."""
    document = deepcopy(EXAMPLE)
    at: Any = document
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = to
    return document


def without(*path: str | int) -> dict[str, Any]:
    """The example without what is at a path."""
    document = deepcopy(EXAMPLE)
    at: Any = document
    for step in path[:-1]:
        at = at[step]
    del at[path[-1]]
    return document


def problems(document: Any) -> list[tuple[str, str]]:
    """The fields of all problems with what was found there."""
    with pytest.raises(ProblemMalformed) as caught:
        problem_of(document)
    assert all(each.expected for each in caught.value.problems)
    return [(each.field, each.found) for each in caught.value.problems]


def test_the_documented_example_is_read():
    problem = problem_of(EXAMPLE)
    assert problem.workflow.order == ("Detect", "Identify")
    assert problem.rates == {"Camera": 2, "Detect": 2, "Identify": 44}
    detect, identify = problem.workflow.operators
    assert (detect.kind, detect.models[1].selection_cost_ms) == ("model", 22)
    assert problem.workflow.into["Identify"][0].kb("large") == 18.4
    e1, _, c1 = problem.infrastructure.workers
    assert problem.capacity("Detect", "large", e1) == 0
    assert problem.capacity("Identify", "default", c1) == 1000 / 8.6
    assert problem.infrastructure.network.between(e1, c1) == 0.1
    assert identify.inputs == ("Detect",)


def test_what_is_missing_has_its_documented_default():
    document = changed("infrastructure", "tiers", 0, "sites", to=5)
    del document["workflow"]["operators"][0]["kind"]
    problem = problem_of(document)
    assert problem.percentile == "p75"
    assert problem.infrastructure.coefficients == (5, 1)
    assert problem.workflow.edges[0].rate_ratio == 1
    assert problem.infrastructure.workers[0].location == "edge"


EDGES = EXAMPLE["workflow"]["edges"]
OPERATORS = EXAMPLE["workflow"]["operators"]
TRACK = {"name": "Track", "models": [{"name": "a", "accuracy_rows": [{"inputs": [], "output": 1}]}]}
NOTHING = "nothing"


@pytest.mark.parametrize(
    ("document", "field", "found"),
    [
        (
            changed("infrastructure", "workers", 1, "cost_per_hour", to=0),
            "infrastructure.workers[1].cost_per_hour",
            "0",
        ),
        (changed("workflow", "edges", 1, "rate_ratio", to=-22), "workflow.edges[1].rate_ratio", "-22"),
        (changed("target", "rates", "Camera", to=-1), "target.rates.Camera", "-1"),
        (changed("target", "rates", to={"Cam": 2}), "target.rates.Cam", "'Cam'"),
        (changed("target", "rates", to={"Cam": 2}), "target.rates.Camera", NOTHING),
        (
            changed("infrastructure", "network", "usd_per_gb", to={}),
            "infrastructure.network.usd_per_gb.'edge->cloud'",
            NOTHING,
        ),
        (
            changed("infrastructure", "network", "usd_per_gb", "cloud->edge", to=1),
            "infrastructure.network.usd_per_gb.'cloud->edge'",
            "'cloud->edge'",
        ),
        (
            changed("infrastructure", "network", "source_tier", to="egde"),
            "infrastructure.network.source_tier",
            "'egde'",
        ),
        (changed("infrastructure", "workers", 0, "tier", to="fog"), "infrastructure.workers[0].tier", "'fog'"),
        (changed("infrastructure", "workers", 1, "id", to="e1"), "infrastructure.workers[1].id", "'e1'"),
        (changed("provenance", to=[{"a\0": 1}]), "provenance", "[{'a\\x00': 1}]"),
        (changed("assumed", to=["\ud800"]), "assumed[0]", r"'\ud800'"),
        (
            changed("infrastructure", "bandwidth_mbps", to={"tiers": {"fog": 1}}),
            "infrastructure.bandwidth_mbps.tiers.fog",
            "'fog'",
        ),
        (
            changed("infrastructure", "bandwidth_mbps", to={"workers": {"w": 1}}),
            "infrastructure.bandwidth_mbps.workers.w",
            "'w'",
        ),
        (changed("infrastructure", "tiers", 1, "name", to="edge"), "infrastructure.tiers[1].name", "'edge'"),
        (without("profiles", "p75", "Identify", "default", "x8"), "profiles.p75.Identify.default.e1", NOTHING),
        (without("profiles", "p75", "Detect", "large"), "profiles.p75.Detect.large", NOTHING),
        (without("profiles", "p75", "Identify"), "profiles.p75.Identify", NOTHING),
        (changed("profiles", "p75", "Identfy", to={"default": {"x8": 1}}), "profiles.p75.Identfy", "'Identfy'"),
        (changed("percentile", to="p90"), "profiles.p90", NOTHING),
        (changed("workflow", "sink", to="Detect"), "workflow.sink", "Detect -> Identify"),
        (changed("workflow", "sink", to="Find"), "workflow.sink", "'Find'"),
        (
            changed("workflow", "sources", to=["Camera", "Microphone"]),
            "workflow.sources[1]",
            "Microphone, which feeds none",
        ),
        (changed("workflow", "sources", to=["Camera", "Detect"]), "workflow.sources[1]", "'Detect'"),
        (
            changed("workflow", "operators", to=[*OPERATORS, TRACK]),
            "workflow.operators[2]",
            "Track, which none reaches",
        ),
        (
            changed("workflow", "edges", to=[*EDGES, {"source": "Identify", "target": "Detect", "kb_per_item": 1}]),
            "workflow.edges",
            "Detect -> Identify -> Detect",
        ),
        (changed("workflow", "edges", to=[*EDGES, EDGES[0]]), "workflow.edges[2]", "another Camera -> Detect"),
        (changed("workflow", "edges", 1, "target", to="Find"), "workflow.edges[1].target", "'Find'"),
        (without("workflow", "edges", 1, "kb_per_item", "large"), "workflow.edges[1].kb_per_item.large", NOTHING),
        (
            changed("workflow", "edges", 0, "kb_per_item", to={"small": 1}),
            "workflow.edges[0].kb_per_item",
            "{'small': 1}",
        ),
        (changed("workflow", "operators", 1, "inputs", to=[]), "workflow.operators[1].inputs", "none"),
        (
            changed("workflow", "operators", 1, "models", 0, "accuracy_rows", 0, "inputs", to=[]),
            "workflow.operators[1].models[0].accuracy_rows[0].inputs",
            "0",
        ),
        (
            changed("workflow", "operators", 0, "models", 0, "accuracy_rows", to=[]),
            "workflow.operators[0].models[0].accuracy_rows",
            NOTHING,
        ),
        (
            changed("workflow", "operators", 0, "models", 1, "name", to="small"),
            "workflow.operators[0].models[1].name",
            "'small'",
        ),
        (changed("workflow", "operators", 0, "kind", to="modle"), "workflow.operators[0].kind", "'modle'"),
        (changed("colour", to="red"), "colour", "an unknown key"),
        (changed("workflow", "edges", 1, "rate_ratio", to=1e9), "workflow.edges", "2e+09"),
        (changed("profiles", "p75", "Detect", "small", "x8", to=1e-300), "profiles.p75.Detect.small.x8", "1e-300"),
    ],
)
def test_a_fault_is_named_with_its_path(document, field, found):
    assert (field, found) in problems(document)


def test_all_faults_are_said_at_once_and_each_once():
    document = changed("infrastructure", "workers", 0, "cost_per_hour", to=0)
    document["workflow"]["edges"].append({"source": "Identify", "target": "Detect", "rate_ratio": -1, "kb_per_item": 1})
    del document["profiles"]["p75"]["Identify"]["default"]["V100"]
    document["target"]["rates"]["Camera"] = 0
    fields = [field for field, _ in problems(document)]
    for field in (
        "workflow.edges[2].rate_ratio",
        "infrastructure.workers[0].cost_per_hour",
        "target.rates.Camera",
        "workflow.edges",
        "profiles.p75.Identify.default.c1",
    ):
        assert fields.count(field) == 1


def test_two_cycles_are_both_named():
    loops = [{"source": name, "target": name, "kb_per_item": 1} for name in ("Detect", "Identify")]
    found = problems(changed("workflow", "edges", to=[*EDGES, *loops]))
    assert ("workflow.edges", "Detect -> Detect") in found
    assert ("workflow.edges", "Identify -> Identify") in found


def test_profiles_may_know_more_than_there_is():
    problem_of(changed("profiles", "p75", "Identify", "default", "x96", to=3))


def test_a_large_document_is_refused_unread():
    with pytest.raises(ProblemMalformed, match="bytes"):
        read_problem(b" " * (MAX_BYTES + 1))
    with pytest.raises(ProblemMalformed, match="valid JSON"):
        read_problem(b"{")


def test_so_many_faults_that_some_are_only_counted_hide_what_else_is_wrong():
    document = changed("target", "rates", to=3)
    found = problems({**{f"key{index}": 1 for index in range(2000)}, **document})
    assert len(found) == MAX_PROBLEMS + 1


def paths(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all values in a document, but of the document itself."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path for key, inner in items for path in ((*at, key), *paths(inner, (*at, key)))]


@settings(max_examples=300)
@given(st.sampled_from(paths(EXAMPLE)), ANY_JSON)
@example(("workflow", "operators", 0), None)
@example(("workflow", "operators", 0, "models", 0), None)
def test_whatever_stands_anywhere_is_read_or_refused(path, value):
    found: Any
    try:
        found = problem_of(changed(*path, to=value)).workflow.order
    except ProblemMalformed as error:
        found = error.problems
    assert found
