"""Inputs: recorded, or invented so that every task accepts them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.conformance.client.repository import ReferenceRepository
from walle.device.commandline import AnyInputs
from walle.device.running.inputs import RandomInputs, RecordedInputs
from walle.protocol.documents import Manifest
from walle.protocol.values import check_values

TASK = "camera/digits"

declarations = st.one_of(
    st.builds(lambda low, more: {"type": "number", "min": low, "max": low + more}, st.floats(-9, 9), st.floats(0, 9)),
    st.builds(lambda low, more: {"type": "integer", "min": low, "max": low + more}, st.integers(-9, 9), st.integers(0)),
    st.builds(lambda low: {"type": "number", "min": low}, st.floats(-9, 99)),
    st.builds(lambda high: {"type": "integer", "max": high}, st.integers(-99, 9)),
    st.sampled_from([{"type": name} for name in ("number", "integer", "boolean", "text", "list", "object")]),
    st.builds(
        lambda dtype, shape: {"type": "tensor", "dtype": dtype, "shape": shape},
        st.sampled_from(["float32", "float64", "int64", "uint8", "bool"]),
        st.lists(st.integers(1, 3) | st.just(-1), min_size=1, max_size=3),
    ),
)


def manifest(inputs: dict) -> Manifest:
    return ReferenceRepository().publish(TASK, "1.0.0", {}, inputs=inputs)


@given(st.dictionaries(st.sampled_from("abcd"), declarations), st.integers())
def test_random_inputs_are_what_the_task_declares(inputs, seed):
    source = RandomInputs(random.Random(seed))
    values = source(TASK, manifest(inputs))
    assert check_values(inputs, values) == []


@pytest.mark.parametrize(
    ("bounds", "drawn"),
    [({}, {0, 1}), ({"min": 3}, {3, 4}), ({"max": 3}, {2, 3}), ({"min": 3, "max": 5}, {3, 4, 5})],
)
def test_a_bound_that_is_missing_is_1_away_from_the_other(bounds, drawn):
    inputs, declared = RandomInputs(random.Random(1)), manifest({"x": {"type": "integer", **bounds}})
    assert {inputs(TASK, declared)["x"] for _ in range(50)} == drawn


def test_recorded_inputs_come_in_order_and_over_again(tmp_path):
    path = tmp_path / "inputs.jsonl"
    path.write_text('{"inputs": {"x": 1}, "truth": 2}\n\n{"inputs": {"x": 2}}\n')
    source = RecordedInputs({TASK: path})
    declared = manifest({"x": {"type": "number"}})
    assert [source(TASK, declared) for _ in range(3)] == [{"x": 1}, {"x": 2}, {"x": 1}]
    assert source("other/task", declared) is None


@pytest.mark.parametrize("content", ["", "\n", "[]", '{"x": 1}', '{"inputs": 3}', "{"])
def test_a_file_that_is_none_is_refused(tmp_path, content):
    path = tmp_path / "inputs.jsonl"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"inputs|Expecting"):
        RecordedInputs({TASK: path})


def test_a_command_line_may_ask_for_random_inputs():
    declared = manifest({"x": {"type": "boolean"}})
    chosen = AnyInputs({TASK: "random"}, random.Random(1), random_for_others=False)
    assert set(chosen(TASK, declared)) == {"x"}
    assert chosen("other/task", declared) is None
    assert set(AnyInputs({}, random.Random(1), random_for_others=True)("other/task", declared)) == {"x"}
