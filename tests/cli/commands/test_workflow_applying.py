"""`walle workflow apply`: a plan is applied to the folder of a workflow, which is a valid version afterwards."""

from __future__ import annotations

import json

import pytest

from tests.bundle.workflow_example import OPERATORS, PROBLEM, plan, problem_document, workflow_tree
from walle.bundle.tree import FolderTree
from walle.bundle.validation import validate_tree
from walle.bundle.workflows.applying import apply_plan
from walle.placement.halves import HalfChoices
from walle.placement.plan_documents import plan_document

pytestmark = pytest.mark.processes
CUTTING = {name: "phone" if name in ("words", "long") else "cloud" for name in OPERATORS}
WHOLE = dict.fromkeys(OPERATORS, "phone")


@pytest.fixture
def folder(tmp_path):
    """The folder of a workflow, with its problem and two plans beside it."""
    tree = workflow_tree()
    for entry in tree.entries():
        path = tmp_path / "lengths" / entry.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(tree.read(entry.path))
    (tmp_path / "problem.json").write_text(json.dumps(problem_document()))
    plans = [{"plan": plan_document(plan(each))} for each in (CUTTING, WHOLE)]
    (tmp_path / "plans.json").write_text(json.dumps({"plans": plans}))
    return tmp_path / "lengths"


def files_of(tree):
    return {entry.path: tree.read(entry.path) for entry in tree.entries()}


def apply(walle, folder, *options):
    beside = folder.parent
    return walle("workflow", "apply", folder, beside / "problem.json", "--plan", beside / "plans.json", *options)


def test_the_folder_becomes_the_version(walle, folder):
    done = apply(walle, folder)
    assert done.status == 0, done.err
    assert "long (default), words (default)" in done.out
    assert files_of(FolderTree(folder)) == files_of(apply_plan(workflow_tree(), PROBLEM, plan(CUTTING)))
    assert validate_tree(FolderTree(folder)).problems == ()


def test_another_plan_leaves_nothing_of_the_first(walle, folder):
    apply(walle, folder)
    done = apply(walle, folder, "--number", "2", "--device-tier", "phone", "--device-tier", "edge", "--json")
    assert done.status == 0, done.err
    wanted = apply_plan(workflow_tree(), PROBLEM, plan(WHOLE), HalfChoices(("phone", "edge")))
    assert files_of(FolderTree(folder)) == files_of(wanted)
    assert (done.json["applied"], done.json["placement"]["device_tiers"]) == (True, ["phone", "edge"])


def test_a_plan_that_the_folder_has_is_said_to_be_there(walle, folder):
    apply(walle, folder)
    done = apply(walle, folder, "--json")
    assert (done.status, done.json["applied"]) == (0, False)


def test_a_plan_that_does_not_fit_is_refused_with_all_reasons_and_changes_nothing(walle, folder):
    (folder / "totals.py").unlink()
    (folder / "scales" / "unit.json").unlink()
    before = files_of(FolderTree(folder))
    done = apply(walle, folder)
    assert done.status == 2
    assert "operators.total.entry" in done.err
    assert "operators.weight.files[0]" in done.err
    assert files_of(FolderTree(folder)) == before


@pytest.mark.parametrize(
    ("options", "said"), [(["--number", "3"], "from 1 to 2"), (["--spanning", "both"], "--spanning device")]
)
def test_what_was_asked_for_must_be_there(walle, folder, options, said):
    done = apply(walle, folder, *options)
    assert done.status == 2
    assert said in done.err
