"""Applying a plan: each operator lies in one half with all that it needs and nothing else, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.bundle.workflow_example import CODE, OPERATORS, PROBLEM, SOURCES, every_cut, plan, workflow_tree
from walle.bundle.manifest import build_manifest
from walle.bundle.tree import MemoryTree
from walle.bundle.validation import validate_tree
from walle.bundle.workflows.applying import apply_plan
from walle.placement.evaluation import evaluate
from walle.placement.halves import HalfChoices, PlanUnapplicable
from walle.placement.plan_documents import plan_document
from walle.placement.problem.model import PlacementPlan
from walle.protocol.canonical import canonical_digest, canonical_json
from walle.protocol.documents import Manifest

OWN = {
    "words": {"texts/__init__.py", "texts/cutting.py"},
    "long": {"texts/__init__.py", "texts/cutting.py"},
    "weight": {"weighing.py", "scales/unit.json", "scales/heavy/weights.json"},
    "length": {"texts/__init__.py", "texts/measuring.py"},
    "factor": {"weighing.py", "scales/unit.json"},
    "pairs": set(),
    "total": {"totals.py"},
}
"""The files that each operator needs, the model being the heavy one."""
ALL_ON_THE_PHONE = dict.fromkeys(OPERATORS, "phone")
CUTS = list(every_cut())


def folder_of(tree: MemoryTree) -> MemoryTree:
    """Return a copy of a tree, as whoever writes its files to a folder has it."""
    return MemoryTree({entry.path: tree.read(entry.path) for entry in tree.entries()})


def refused(*arguments, **options) -> list[str]:
    with pytest.raises(PlanUnapplicable) as raised:
        apply_plan(*arguments, **options)
    return raised.value.texts


def files_of(tree) -> dict[str, str]:
    return {entry.path: tree.read(entry.path).decode() for entry in tree.entries()}


def test_there_are_cuts_of_all_kinds():
    assert len(CUTS) == 14
    assert ALL_ON_THE_PHONE in CUTS
    assert dict.fromkeys(OPERATORS, "cloud") in CUTS


@pytest.mark.parametrize("tiers", CUTS, ids=lambda tiers: "".join(each[0] for each in tiers.values()))
def test_each_half_has_what_its_operators_need_and_nothing_of_the_other(tiers):
    applied = folder_of(apply_plan(workflow_tree(), PROBLEM, plan(tiers)))
    found = validate_tree(applied)
    assert found.problems == ()
    halves = {"device": found.files, "cloud": found.cloud}
    for half, tier in (("device", "phone"), ("cloud", "cloud")):
        placed = [name for name in OPERATORS if tiers[name] == tier]
        runs = half == "device" or placed
        wanted = {f"{half}/{path}" for name in placed for path in OWN[name]}
        made = {f"{half}/walle_half.py", f"{half}/walle_half.json"} if runs else set()
        assert {entry.path for entry in halves[half]} == wanted | made
        if runs:
            document = json.loads(applied.read(f"{half}/walle_half.json"))
            assert sorted(step["operator"] for step in document["steps"]) == sorted(placed)
    assert {path: text for path, text in files_of(applied).items() if path in SOURCES} == SOURCES


def test_the_manifest_says_what_runs_where_and_what_the_plan_promises():
    tiers = {**dict.fromkeys(OPERATORS, "cloud"), "words": "phone", "long": "phone"}
    found = validate_tree(apply_plan(workflow_tree(), PROBLEM, plan(tiers), HalfChoices(placement=7)))
    names = {"scenario": "shop", "task": "lengths", "version": "1.0.0", "commit": "0" * 40}
    manifest = Manifest.from_payload(
        canonical_json(build_manifest(found.spec, found.files, lambda path: "0" * 64, **names))
    )
    said, promised = manifest.values["placement"], evaluate(PROBLEM, plan(tiers))
    assert manifest.kind == "workflow"
    assert said["operators"]["long"] == {"half": "device", "model": "default", "tiers": ["phone"]}
    assert said["operators"]["weight"] == {"half": "cloud", "model": "heavy", "tiers": ["cloud"]}
    assert said["plan"] == canonical_digest(plan_document(plan(tiers)))
    assert (said["placement"], said["device_tiers"], said["problem"]) == (7, ["phone"], "lengths of words")
    assert (said["promises"]["cost"], said["promises"]["accuracy"]) == (promised.cost, promised.accuracy)
    assert manifest.values["outputs"] == {"crossing": {"type": "object"}}
    assert manifest.values["upload"] == {"outputs": ["crossing"], "answer_ms": 2000}
    assert manifest.values["requires"]["runtime"] == ">=1.3.0"
    assert (found.spec.cloud.main, found.spec.cloud.memory_mb) == ("cloud/walle_half.py", 128)


def test_all_on_the_device_needs_no_cloud_and_nothing_goes_up():
    found = validate_tree(apply_plan(workflow_tree(), PROBLEM, plan(ALL_ON_THE_PHONE)))
    assert (found.spec.upload, found.spec.cloud, found.cloud) == ({}, None, ())
    assert found.spec.outputs == {"records": {"type": "list"}}


def test_a_plan_is_applied_to_a_version_as_to_its_sources():
    first, second = apply_plan(workflow_tree(), PROBLEM, plan(CUTS[3])), plan(CUTS[-5], "light")
    assert files_of(apply_plan(first, PROBLEM, second)) == files_of(apply_plan(workflow_tree(), PROBLEM, second))


def test_a_plan_that_a_version_has_is_known_whatever_placement_it_is_of():
    tree = folder_of(apply_plan(workflow_tree(), PROBLEM, plan(CUTS[3]), HalfChoices(placement=1)))
    assert apply_plan(tree, PROBLEM, plan(CUTS[3]), HalfChoices(placement=2)).is_applied
    assert not apply_plan(tree, PROBLEM, plan(CUTS[3], "light")).is_applied
    assert not apply_plan(workflow_tree(), PROBLEM, plan(CUTS[3])).is_applied
    changed = MemoryTree({entry.path: tree.read(entry.path) for entry in tree.entries()} | {"totals.py": b"x = 1\n"})
    assert not apply_plan(changed, PROBLEM, plan(CUTS[3])).is_applied


def test_the_device_is_as_many_tiers_as_one_says():
    tiers = {**dict.fromkeys(OPERATORS, "cloud"), "words": "phone", "long": "edge"}
    lowest = apply_plan(workflow_tree(), PROBLEM, plan(tiers)).placement["operators"]
    both = apply_plan(workflow_tree(), PROBLEM, plan(tiers), HalfChoices(("edge", "phone"))).placement["operators"]
    assert [(each["words"]["half"], each["long"]["half"]) for each in (lowest, both)] == [
        ("device", "cloud"),
        ("device", "device"),
    ]
    assert refused(workflow_tree(), PROBLEM, plan(tiers), HalfChoices(("edges",))) == [
        "device_tiers: expected tiers of the problem (phone, edge, cloud), found edges",
        "device_tiers: expected phone, where the sources are, among them, found none",
    ]


def test_an_operator_on_both_sides_runs_where_one_says():
    spread = plan({**dict.fromkeys(OPERATORS, "cloud"), "words": "phone"})
    spread = PlacementPlan(spread.models, {**spread.workers, "long": ("phone-long", "cloud-long")})
    assert refused(workflow_tree(), PROBLEM, spread) == [
        "plan.workers.long: expected workers of one half, or a word in which half it runs as a whole "
        "(spanning: device or cloud), found some on phone, cloud"
    ]
    for half in ("device", "cloud"):
        applied = apply_plan(workflow_tree(), PROBLEM, spread, HalfChoices(spanning=half))
        assert applied.placement["operators"]["long"] == {"half": half, "model": "default", "tiers": ["phone", "cloud"]}


def test_all_that_does_not_fit_is_said_at_once():
    costly = replace(PROBLEM, target=replace(PROBLEM.target, accuracy=95.0))
    heavy = {**CODE["weight"], "models": {"light": []}}
    tree = workflow_tree(
        {"totals.py": None, "scales/unit.json": None}, length=None, weight=heavy, total={**CODE["total"], "window": 3}
    )
    assert refused(tree, costly, plan(ALL_ON_THE_PHONE)) == [
        "plan: expected a feasible plan, found the accuracy at total must be at least 95, it is 90",
        "code.json: operators.factor.files[0]: expected a file of the tree, found no scales/unit.json",
        "code.json: operators.weight.models.heavy: expected the files of the model, found nothing",
        "code.json: operators.weight.files[0]: expected a file of the tree, found no scales/unit.json",
        "code.json: operators.length.entry: expected a function as module:name, found nothing",
        "code.json: operators.total.entry: expected a module of the tree, found totals:total",
        "code.json: operators.total.key: expected a module of the tree, found totals:length_of",
        "code.json: operators.total.window: expected 1 in a version that devices run: a device has one item at a time, "
        "and so has what answers it, found 3 (run its plans with `walle workflow run`, or leave the window out)",
    ]


def test_a_workflow_that_is_not_the_problems_is_refused_with_what_differs():
    other = json.loads(workflow_tree().read("problem.json"))
    other["workflow"]["operators"][0]["models"][0]["name"] = "quick"
    other["workflow"]["operators"][1]["kind"] = "map"
    other["workflow"]["edges"][-1:] = [{"source": "factor", "target": "total"}, {"source": "pairs", "target": "total"}]
    other["workflow"]["operators"][6]["inputs"] = ["factor", "pairs"]
    changed = workflow_tree({"problem.json": json.dumps({"format": 1, "workflow": other["workflow"]})})
    found = refused(changed, PROBLEM, plan(ALL_ON_THE_PHONE))
    assert found[:2] == [
        "problem.json: workflow.operators.words.models: expected default, as in the problem, found quick",
        "problem.json: workflow.operators.long.kind: expected filter, as in the problem, found map",
    ]
    assert (
        "problem.json: workflow.operators.total.inputs: expected pairs, as in the problem, found factor, pairs" in found
    )


def test_what_is_measured_of_a_workflow_is_none_of_its_tree():
    document = json.loads(workflow_tree().read("problem.json"))["workflow"]
    for operator in document["operators"]:
        operator["models"] = [{"name": each["name"]} for each in operator["models"]]
    document["edges"] = [{key: edge[key] for key in ("source", "target")} for edge in document["edges"]]
    bare = workflow_tree({"problem.json": json.dumps({"format": 1, "workflow": document})})
    assert validate_tree(bare).problems == ()
    assert apply_plan(bare, PROBLEM, plan(ALL_ON_THE_PHONE)).placement["operators"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"task.toml": '[task]\nentry_point = "totals:total"\n[trigger]\nevery_s = 5\n'},
            "task.toml: task.kind: expected workflow",
        ),
        ({"problem.json": None}, "problem.json: expected this file, which every workflow has, found nothing"),
        ({"problem.json": "[]"}, "problem.json: workflow: expected a table"),
        ({"code.json": "{"}, "code.json: expected valid JSON"),
        ({"code.json": '{"format": "walle-workflow-code/1"}'}, "code.json: operators: expected a table of operators"),
        ({"device/mine.py": ""}, "device/mine.py: expected nothing where the halves will be, found a file"),
    ],
)
def test_a_tree_that_is_none_of_a_workflow_is_refused(changes, problem):
    found = refused(workflow_tree(changes), PROBLEM, plan(ALL_ON_THE_PHONE))
    assert any(text.startswith(problem) for text in found), found


@pytest.mark.parametrize(
    ("path", "content", "problem"),
    [
        ("device/totals.py", "x = 2\n", "device/totals.py: expected what `walle workflow apply` makes"),
        ("cloud/totals.py", "x = 2\n", "cloud/totals.py: expected what `walle workflow apply` makes"),
        ("device/walle_half.json", "{}", "device/walle_half.json: expected what `walle workflow apply` makes"),
        ("totals.py", "x = 2\n", "device/totals.py: expected what `walle workflow apply` makes"),
        ("device/totals.py", None, "device/totals.py: expected what `walle workflow apply` makes"),
        ("placement.json", "{}", "placement.json: operators: expected a table by operator"),
        ("placement.json", None, "device/texts/__init__.py: expected no file in a half without placement.json"),
    ],
)
def test_halves_that_are_not_made_of_their_sources_are_no_version(path, content, problem):
    files = files_of(apply_plan(workflow_tree(), PROBLEM, plan(ALL_ON_THE_PHONE))) | {path: content}
    tree = MemoryTree({name: text.encode() for name, text in files.items() if text is not None})
    assert any(each.text.startswith(problem) for each in validate_tree(tree).problems)


def test_a_placement_must_be_one_of_the_workflow():
    files = files_of(apply_plan(workflow_tree(), PROBLEM, plan(ALL_ON_THE_PHONE)))
    document = json.loads(files["placement.json"])
    document["operators"]["weight"]["model"] = "feather"
    document["operators"]["words"]["half"] = "cloud"
    files["placement.json"] = json.dumps(document)
    texts = [each.text for each in validate_tree(MemoryTree({p: t.encode() for p, t in files.items()})).problems]
    assert texts == ["placement.json: operators.weight.model: expected one of light, heavy, found 'feather'"]
    document["operators"]["weight"]["model"] = "light"
    files["placement.json"] = json.dumps(document)
    texts = [each.text for each in validate_tree(MemoryTree({p: t.encode() for p, t in files.items()})).problems]
    assert texts == [
        "placement.json: operators.long.half: expected nothing to come back from the cloud, "
        "found long on the device behind words in the cloud"
    ]


def test_sources_without_a_plan_are_a_version_of_which_nothing_runs():
    found = validate_tree(workflow_tree())
    assert found.problems == ()
    assert (found.files, found.cloud, found.spec.entry_point, found.spec.placement) == ((), (), "", {})


def test_sources_with_a_window_are_a_version_too_and_no_plan_of_them_is():
    window = {**CODE["total"], "window": 3}
    assert validate_tree(workflow_tree(total=window)).problems == ()
    placed = files_of(apply_plan(workflow_tree(), PROBLEM, plan(ALL_ON_THE_PHONE)))
    placed["code.json"] = workflow_tree(total=window).read("code.json").decode()
    (problem,) = validate_tree(MemoryTree({path: text.encode() for path, text in placed.items()})).problems
    assert problem.place == "code.json: operators.total.window"


def test_inputs_are_the_sources_of_the_workflow():
    toml = workflow_tree().read("task.toml").decode().replace("[inputs.numbers]", "[inputs.digits]")
    texts = [each.text for each in validate_tree(workflow_tree({"task.toml": toml})).problems]
    assert "task.toml: inputs.numbers: expected an input for each source of problem.json, found nothing" in texts
    assert (
        "task.toml: inputs.digits: expected one of text, numbers, the sources of problem.json, found another" in texts
    )
