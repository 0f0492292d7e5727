"""A physical plan as a host keeps it is the same plan."""

from dataclasses import replace

import pytest

from tests.whitebox.compiling.programs import hashed_text, many_numbers, two_texts, words_inside
from tests.whitebox.pipelines import attendees, sentiment
from walle.whitebox.compiling import compile_plan
from walle.whitebox.compiling.plan_document import from_lines, to_lines
from walle.whitebox.oven import optimise


@pytest.mark.parametrize("build", [sentiment, attendees, hashed_text, words_inside, two_texts, many_numbers])
def test_a_plan_is_read_as_it_was_written(build):
    program = build()
    plan = compile_plan(optimise(program.graph, program.statistics), program.statistics)
    found = from_lines(to_lines(plan))
    # As texts: a plan may have numbers that are no numbers, and slots have an order, by which frames are laid out.
    assert repr(found) == repr(plan)


def test_what_is_no_part_of_a_plan_is_not_written():
    program = sentiment()
    plan = compile_plan(optimise(program.graph, program.statistics), program.statistics)
    with pytest.raises(TypeError, match="expected a part of a physical plan"):
        to_lines(replace(plan, classes=(1, object())))


def test_what_plans_have_in_common_is_in_memory_once():
    program = sentiment()
    plan = compile_plan(optimise(program.graph, program.statistics), program.statistics)
    one, other = (from_lines(to_lines(replace(plan, classes=(name, "good")))) for name in ("bad", "worse"))
    assert one.classes != other.classes
    assert all(each is same for each, same in zip(one.instructions, other.instructions, strict=True))
    assert all(each is same for each, same in zip(one.stages, other.stages, strict=True))
