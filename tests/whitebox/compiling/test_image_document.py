"""The image of a plan as a host keeps it: the same image is read, and what is none is refused."""

import contextlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.whitebox.compiling.programs import hashed_text, many_numbers, two_texts, words_inside
from tests.whitebox.compiling.support import executable
from tests.whitebox.pipelines import attendees, sentiment
from walle.whitebox.compiling import ExecutablePlan, compile_plan
from walle.whitebox.compiling.image import CLASSES, PlanImage
from walle.whitebox.compiling.image_document import ImageMalformed, read_image, write_image
from walle.whitebox.oven import optimise


def image(build=attendees):
    program = build()
    return PlanImage.of(compile_plan(optimise(program.graph, program.statistics), program.statistics))


IMAGE = image()
CONTENT = write_image(IMAGE)


@pytest.mark.parametrize("build", [sentiment, attendees, hashed_text, words_inside, two_texts, many_numbers])
def test_an_image_is_read_as_it_was_written(build):
    written = image(build)
    found = read_image(write_image(written))
    # As texts: a plan may have numbers that are no numbers, and slots have an order, by which frames are laid out.
    assert repr(found) == repr(written)
    assert repr(found.physical) == repr(written.physical)


@pytest.mark.parametrize("build", [sentiment, attendees, two_texts])
def test_an_image_that_was_read_predicts(build):
    program = build()
    plan = executable(program)
    found = ExecutablePlan(read_image(write_image(plan.image)), lambda parameter: program.arrays[parameter.digest])
    record = {each.name: 1.0 if each.type == "number" else "a good film" for each in plan.interface.columns}
    assert found.predict(record, found.vectors()) == plan.predict(record, plan.vectors())


def test_what_plans_have_in_common_is_in_memory_once():
    one, other = read_image(CONTENT), read_image(write_image(replace(IMAGE, shareable=("other",))))
    assert one.shareable != other.shareable
    assert one.interface is other.interface
    assert one.program.frame is other.program.frame
    assert all(each is same for each, same in zip(one.program.parameters, other.program.parameters, strict=True))
    assert all(each is same for each, same in zip(one.document, other.document, strict=True))


@pytest.mark.parametrize(
    "content", [b"", CONTENT[:40], CONTENT[:-1], CONTENT + b"x", b"W" + CONTENT[1:], CONTENT[:8] + b"\2" + CONTENT[9:]]
)
def test_what_is_no_image_is_refused(content):
    with pytest.raises(ImageMalformed, match="expected"):
        read_image(content)


def with_program(**changes):
    return write_image(replace(IMAGE, program=replace(IMAGE.program, **changes)))


def ints(*values):
    return np.array(values, np.int32).tobytes()


@pytest.mark.parametrize(
    "changes",
    [
        {"words": IMAGE.program.words[:-1]},
        {"words": IMAGE.program.words[:8]},
        {"places": ints(-1), "targets": ints(0)},
        {"places": ints(0), "targets": ints(CLASSES - 1)},
        {"places": ints(0), "targets": ints(len(IMAGE.program.parameters))},
        {"places": b"ab", "targets": b"cd"},
        {"parameters": (replace(IMAGE.program.parameters[0], digest="x"),)},
        {"parameters": (replace(IMAGE.program.parameters[0], dtype="<f2"),)},
    ],
)
def test_addresses_are_added_to_words_of_the_program_only(changes):
    with pytest.raises(ImageMalformed, match="expected"):
        read_image(with_program(**changes))


def test_an_array_of_another_shape_is_not_bound():
    with pytest.raises(ValueError, match="expected an array"):
        ExecutablePlan(IMAGE, lambda parameter: np.zeros(3))


@given(st.integers(0, len(CONTENT) - 1), st.binary(min_size=1, max_size=4))
@example(8, b"\0")
def test_bytes_that_were_changed_are_refused_or_an_image(place, changed):
    with contextlib.suppress(ImageMalformed):
        read_image(CONTENT[:place] + changed + CONTENT[place + len(changed) :])


@given(st.binary(max_size=200))
def test_bytes_of_strangers_are_refused(content):
    with pytest.raises(ImageMalformed):
        read_image(content)
