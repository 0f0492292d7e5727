"""Kinds of tasks: which there are, and what the tree of each must have."""

from __future__ import annotations

import pytest

from tests.bundle.examples import FILES, TASK_TOML, files
from walle.bundle.kinds import KINDS, Kinds, TaskKind
from walle.bundle.tree import MemoryTree
from walle.bundle.validation import validate_tree
from walle.protocol.names import InvalidNameError
from walle.schema import Problem


def of_kind(kind: str, **changes: str) -> dict[str, str]:
    """The example as a task of a kind, with another period where `every_s` says one."""
    toml = TASK_TOML.replace("[task]", f'[task]\nkind = "{kind}"')
    return {"task.toml": toml.replace("every_s = 5", f"every_s = {changes.get('every_s', 5)}")}


def with_stages(spec, tree):
    if "stages.json" not in {entry.path for entry in tree.entries()}:
        yield Problem("stages.json", "", "the stages of the task", f"nothing (for {spec.entry_point})")


KNOWN = Kinds(TaskKind("device", on_devices=True), TaskKind("staged", on_devices=False, check=with_stages))


def texts(changes, known=None):
    return [problem.text for problem in validate_tree(MemoryTree(files(changes)), known=known).problems]


def test_a_task_runs_on_devices_unless_it_says_otherwise():
    assert validate_tree(MemoryTree(FILES)).spec.kind == "device"
    assert validate_tree(MemoryTree(files(of_kind("device")))).spec.kind == "device"
    assert KINDS.get("device").on_devices


def test_an_unknown_kind_is_refused_with_those_that_are_known():
    assert texts(of_kind("stagd"), KNOWN) == ["task.toml: task.kind: expected one of device, staged, found 'stagd'"]
    (problem,) = texts(of_kind("nonsense"))
    assert problem.startswith("task.toml: task.kind: expected one of device")
    assert problem.endswith("found 'nonsense'")


def test_what_is_no_name_of_a_kind_is_said_once():
    (problem,) = texts(of_kind("A stage"), KNOWN)
    assert problem.startswith("task.toml: task.kind: expected a kind of task: ")


def test_the_tree_of_a_kind_has_what_its_check_asks_for_beyond_the_general_rules():
    (problem,) = texts(of_kind("staged"), KNOWN)
    assert problem == "stages.json: expected the stages of the task, found nothing (for main:run)"
    assert texts({**of_kind("staged"), "stages.json": b"[]"}, KNOWN) == []
    assert texts({}, KNOWN) == []
    both = texts(of_kind("staged", every_s="-1"), KNOWN)
    assert [text.partition(":")[0] for text in both] == ["task.toml", "stages.json"]


def test_names_of_kinds_are_names_and_unique():
    with pytest.raises(InvalidNameError):
        TaskKind("No name", on_devices=True)
    with pytest.raises(ValueError, match="different names"):
        Kinds(TaskKind("model", on_devices=True), TaskKind("model", on_devices=False))
