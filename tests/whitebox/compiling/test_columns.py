"""Records given as columns are answered, and refused, as they are one by one."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.whitebox.compiling.support import built
from tests.whitebox.compiling.test_predictions import EVERY, odd_records
from tests.whitebox.compiling.test_records import GOOD
from tests.whitebox.pipelines import attendees, sentiment
from walle.whitebox.columns import RecordColumns
from walle.whitebox.compiling import RecordRefused

WRONG = [7, 7.5, "7", None, math.nan, math.inf, True, [1], b"x", 10**400, "x" * 2_000_000, "é"]


def column(values):
    """An array where all values are numbers or missing, else a list."""
    if all(each is None or isinstance(each, float) for each in values):
        return np.array([math.nan if each is None else each for each in values])
    return list(values)


def columns_of(records, names):
    return RecordColumns.of({name: column([each[name] for each in records]) for name in names})


def outcomes(plan, given_records):
    """What a batch is answered: predictions, and refusals as tuples; numbers as text, as NaN is not itself."""
    batch = plan.parse(given_records)
    plan.run_batch(batch, plan.vectors())
    return [
        (each.index, each.field, each.expected) if isinstance(each, RecordRefused) else repr(each)
        for each in plan.predictions(batch)
    ]


@pytest.mark.parametrize("program", EVERY)
@given(data=st.data())
def test_columns_are_answered_as_their_records(program, data):
    _, plan = built(program)
    records = data.draw(st.lists(odd_records(plan), min_size=1, max_size=5))
    names = data.draw(st.permutations([each.name for each in plan.plan.columns]))
    columns = columns_of(records, names)
    assert outcomes(plan, columns) == outcomes(plan, records)
    assert outcomes(plan, columns[1:]) == outcomes(plan, records[1:])


@pytest.mark.parametrize("program", [attendees, sentiment])
@given(data=st.data())
def test_wrong_values_of_columns_are_refused_as_those_of_records(program, data):
    _, plan = built(program)
    names = [each.name for each in plan.plan.columns]
    good = {name: GOOD.get(name, "ab") for name in names}
    changes = data.draw(st.lists(st.dictionaries(st.sampled_from(names), st.sampled_from(WRONG)), max_size=6))
    records = [good | change for change in [{}, *changes]]
    given_names = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    columns = columns_of([record | {"unknown": 1.0} for record in records], [*given_names, "unknown"])
    assert outcomes(plan, columns) == outcomes(
        plan, [{name: record[name] for name in given_names} for record in records]
    )


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.uint8, np.bool_, ">f8"])
def test_arrays_of_numbers_are_taken_whatever_their_type(kind):
    _, plan = built(attendees)
    given = {**GOOD, "price": 1.0}
    arrays = {name: np.array([value], kind) for name, value in given.items() if name != "city"}
    columns = RecordColumns.of({**arrays, "city": ["Seoul"]})
    as_numbers = {name: float(array[0]) for name, array in arrays.items()}
    assert outcomes(plan, columns) == outcomes(plan, [{**given, **as_numbers}])


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_is_a_batch_of_its_rows(order):
    columns = RecordColumns.of_matrix(("a", "b"), np.array([[1.0, math.nan], [2.0, 3.0]], order=order))
    assert list(columns) == [{"a": 1.0, "b": None}, {"a": 2.0, "b": 3.0}] == [columns[0], columns[1]]
    assert columns.values("b") == [None, 3.0]
    assert columns.values("c") is None


@pytest.mark.parametrize(
    "columns",
    [{}, {"a": np.zeros(2), "b": np.zeros(3)}, {"a": np.zeros((2, 2))}, {"a": ["x"], "b": np.zeros(0)}],
)
def test_columns_whose_lengths_or_dimensions_differ_are_refused(columns):
    with pytest.raises(ValueError, match="expected"):
        RecordColumns.of(columns)


@pytest.mark.parametrize("names", [("a",), ("a", "a"), ("a", "b", "c")])
def test_a_matrix_has_the_columns_that_are_named(names):
    with pytest.raises(ValueError, match="expected a matrix"):
        RecordColumns.of_matrix(names, np.zeros((3, 2)))


def test_numbers_are_sent_as_they_lie_in_memory():
    buffers = []
    columns = RecordColumns.of({"a": np.arange(1000.0), "b": ["x"] * 1000})[100:900]
    raw = pickle.dumps(columns, protocol=5, buffer_callback=buffers.append)
    (numbers,) = buffers
    assert bytes(numbers.raw()) == np.arange(100.0, 900.0).tobytes()
    assert list(pickle.loads(raw, buffers=buffers)) == list(columns)
    assert columns.sizes().tolist() == [16 + 8 + 17] * 800
