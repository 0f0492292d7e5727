"""Declared values: what fits each type, how a mismatch is told, and that nothing raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.protocol.values import DTYPES, VALUE_TYPES, check_tensor, check_value, check_values
from walle.schema.values import MAX_DEPTH, is_json

MATRIX = {"type": "tensor", "dtype": "float32", "shape": [2, 2]}


@pytest.mark.parametrize(
    ("declaration", "good", "bad"),
    [
        ({"type": "number", "min": 0, "max": 1}, [0, 1, 0.5], [-0.1, 1.1, True, "1", None, float("nan"), 10**400]),
        ({"type": "number"}, [10**400, -1.5], [float("inf"), float("-inf")]),
        ({"type": "integer"}, [0, -5, 2**80], [1.0, True, "1"]),
        ({"type": "boolean"}, [True, False], [0, 1, "true", None]),
        ({"type": "text"}, ["", "a", "\U0001f600"], [1, None, ["a"], "\ud800"]),
        ({"type": "list"}, [[], [1, "a", [None]]], [{}, "ab", [float("nan")], [{1: 2}], [b"x"], ["\ud800"]]),
        ({"type": "object"}, [{}, {"a": [1]}], [[], {"a": float("inf")}, {1: 2}]),
        (MATRIX, [[[1, 2], [3.5, 4]]], [[[1, 2]], [[1, 2], [3]], [1, 2], 5, [[1, 2], [3, "4"]], [[1, 2], [3, True]]]),
        (MATRIX, [], [[[[1], [2]], [[3], [4]]], [[1, 2], 3], [], {}, None]),
        ({"type": "tensor", "dtype": "uint8", "shape": [-1]}, [[], [0, 255]], [[256], [-1], [1.0], [True]]),
        ({"type": "tensor", "dtype": "bool", "shape": [1]}, [[True]], [[1], [None]]),
        ({"type": "tensor", "dtype": "int8", "shape": []}, [-128, 127], [-129, 128]),
        ({"type": "tensor", "dtype": "int64", "shape": []}, [-(2**63), 2**63 - 1], [[5], 2**63]),
        ({"type": "tensor", "dtype": "float32", "shape": [-1, 3]}, [[], [[1, 2, 3]]], [[[1, 2]], [[]]]),
        ({"type": "unheard of"}, [], [1, None]),
    ],
)  # fmt: skip
def test_values_of_each_type(declaration, good, bad):
    for value in good:
        assert check_value(declaration, value, "x") == []
    for value in bad:
        assert len(check_value(declaration, value, "x")) == 1, value


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([[1, 2], [3]], "rows of different lengths on axis 1"),
        ([[1, 2, 3], [4, 5, 6]], "length 3 on axis 1"),
        ([1, 2], "only 1 levels of lists"),
        ([[1, 2], [3, "x"]], "the element 'x'"),
        ("x", "'x'"),
    ],
)
def test_a_wrong_tensor_is_told_apart(value, found):
    [mismatch] = check_value(MATRIX, value, "image")
    assert str(mismatch) == f"image: expected a tensor of float32 [2, 2], found {found}"


@pytest.mark.parametrize(
    ("declaration", "shape", "dtype", "fits"),
    [
        (MATRIX, (2, 2), "float32", True),
        ({**MATRIX, "shape": [-1, 2]}, (7, 2), "float32", True),
        ({**MATRIX, "shape": []}, (), "float32", True),
        (MATRIX, (2, 3), "float32", False),
        (MATRIX, (2,), "float32", False),
        (MATRIX, (2, 2), "float64", False),
        ({**MATRIX, "type": "list"}, (2, 2), "float32", False),
    ],
)
def test_an_array_fits_by_shape_and_dtype(declaration, shape, dtype, fits):
    assert (check_tensor(declaration, shape, dtype, "image") == []) is fits


def test_a_wrong_array_is_told_apart():
    [mismatch] = check_tensor(MATRIX, (2, 3), "float64", "image")
    assert str(mismatch) == "image: expected a tensor of float32 [2, 2], found an array of float64 [2, 3]"


def test_all_names_are_checked_together():
    declared = {"a": {"type": "integer", "min": 1, "max": 3}, "b": {"type": "text"}}
    assert [str(one) for one in check_values(declared, {"a": 9, "c": "x" * 200}, "outputs")] == [
        f"outputs.c: expected nothing, it is not declared, found '{'x' * 76}...",
        "outputs.a: expected an integer of at least 1 and of at most 3, found 9",
        "outputs.b: expected text, found nothing",
    ]
    assert [str(one) for one in check_values({}, [1])] == ["value: expected an object of named values, found [1]"]


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=10,
)
declarations = st.fixed_dictionaries(
    {
        "type": st.sampled_from(VALUE_TYPES),
        "dtype": st.sampled_from(DTYPES),
        "shape": st.lists(st.integers(-1, 3), max_size=3),
    }
)


@given(declarations, anything)
def test_no_value_makes_the_check_raise(declaration, value):
    for mismatch in check_value(declaration, value, "x"):
        assert mismatch.expected
        assert mismatch.found


def nested(depth):
    value = 7
    for level in range(depth):
        value = [value] if level % 2 else {"x": value}
    return {"x": value}


@pytest.mark.parametrize(("depth", "fits"), [(MAX_DEPTH - 1, True), (MAX_DEPTH, False), (5000, False)])
def test_values_are_nested_so_deep_and_no_deeper(depth, fits):
    assert (check_value({"type": "object"}, nested(depth), "x") == []) is fits
    assert is_json(nested(depth)) == fits
