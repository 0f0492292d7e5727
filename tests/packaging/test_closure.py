"""What can be reached from the first modules."""

from __future__ import annotations

from walle.packaging.closure import closure

GRAPH = {
    "a": {"b.c", "e.f"},
    "b": {"g"},
    "b.c": {"a"},
    "b.d": set(),
    "e": set(),
    "g": {"nowhere.at.all"},
    "h": set(),
}


def reached(**roots):
    return closure({name: {one} for name, one in roots.items()}, GRAPH.keys(), GRAPH.__getitem__)


def test_packages_of_modules_are_needed_and_cycles_end():
    assert reached(task="a").needed_by == {"a": "task", "b": "a", "b.c": "a", "e": "a", "g": "b"}


def test_a_name_in_a_module_is_that_module():
    assert reached(task="h.function.attribute").needed_by == {"h": "task"}


def test_what_nothing_has_is_absent_with_what_named_it():
    assert reached(task="b").absent == {"nowhere": "g"}
    assert reached(task="x.y").absent == {"x": "task"}


def test_the_first_that_needs_a_module_is_told():
    assert reached(device="b.d", task="b.d").needed_by["b.d"] == "device"
