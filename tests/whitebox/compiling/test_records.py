"""Records that are none are refused, with the field and what was expected."""

import math
import sys

import numpy as np
import pytest

from tests.whitebox.compiling.support import built
from tests.whitebox.pipelines import attendees, sentiment
from walle.whitebox.compiling import RecordRefused
from walle.whitebox.compiling.records import MAX_BYTES, encode_text
from walle.whitebox.flour import Flour

GOOD = {"age": 30, "distance": 2.5, "price": None, "day": 1, "city": "Seoul"}


@pytest.mark.parametrize(
    ("change", "field", "expected"),
    [
        ({"age": "30"}, "age", "a finite number, or null if it is missing"),
        ({"age": math.inf}, "age", "a finite number, or null if it is missing"),
        ({"age": -math.inf}, "age", "a finite number, or null if it is missing"),
        ({"age": 10**400}, "age", "a finite number, or null if it is missing"),
        ({"day": [1]}, "day", "a finite number, or null if it is missing"),
        ({"city": 7}, "city", "a text, or null if it is missing"),
        ({"city": "x" * (MAX_BYTES + 1)}, "city", "a text, or null if it is missing"),
    ],
)
def test_a_wrong_value_is_refused_alone_and_in_a_batch(change, field, expected):
    _, plan = built(attendees)
    vectors = plan.vectors()
    with pytest.raises(RecordRefused) as refused:
        plan.predict(GOOD | change, vectors)
    assert (refused.value.index, refused.value.field, refused.value.expected) == (0, field, expected)
    batch = plan.parse([GOOD, GOOD | change, GOOD])
    plan.run_batch(batch, vectors)
    first, second, third = plan.predictions(batch)
    assert first == third == plan.predict(GOOD, vectors)
    assert (second.index, second.field, second.expected) == (1, field, expected)


@pytest.mark.parametrize("name", list(GOOD))
def test_a_missing_field_is_refused(name):
    _, plan = built(attendees)
    record = {key: value for key, value in GOOD.items() if key != name}
    with pytest.raises(RecordRefused, match=f"field {name}: expected"):
        plan.predict(record, plan.vectors())


@pytest.mark.parametrize("record", [None, 7, "Seoul", [1, 2], b"x"])
def test_what_is_no_record_is_refused(record):
    _, plan = built(attendees)
    with pytest.raises(RecordRefused, match="record 0, field : expected"):
        plan.predict(record, plan.vectors())


@pytest.mark.parametrize("text", [None, 7, b"aa", math.nan, ["aa"]])
def test_a_text_is_a_text(text):
    _, plan = built(sentiment)
    with pytest.raises(RecordRefused, match=f"field review: expected a text of at most {MAX_BYTES} bytes"):
        plan.predict({"review": text}, plan.vectors())


def test_a_text_may_be_as_long_as_the_bound_and_vectors_are_given_back():
    _, plan = built(sentiment)
    vectors = plan.vectors()
    small = vectors.size
    text = ("ab cd é " * MAX_BYTES)[: MAX_BYTES // 2]
    assert plan.predict(text, vectors).label in ("bad", "good")
    assert vectors.size > small
    vectors.shrink(small)
    assert vectors.size == small
    with pytest.raises(RecordRefused, match="of at most"):
        plan.predict("é" * MAX_BYTES, vectors)


def test_a_number_that_nothing_can_do_without_must_be_there():
    def program():
        known, scaled = Flour.numbers("known").impute([1.0]), Flour.numbers("scaled").affine(divisor=[2.0])
        return known.concat(scaled).linear([[1.0, 1.0]]).regression()

    _, plan = built(program)
    vectors = plan.vectors()
    assert plan.predict({"known": None, "scaled": 4}, vectors).value == 3.0
    with pytest.raises(RecordRefused) as refused:
        plan.predict({"known": 1.0, "scaled": math.nan}, vectors)
    assert refused.value.field == "scaled"
    assert refused.value.expected == "a finite number, which must not be missing"


def test_an_unknown_category_is_refused_where_training_said_so():
    def program():
        size = Flour.number("size").ordinal([1.0, 2.0], refuse_unknown=True)
        return Flour.category("city").fill("none").one_hot(["Seoul"], refuse_unknown=True).concat(size).regression()

    _, plan = built(program)
    vectors = plan.vectors()
    assert plan.predict({"city": "Seoul", "size": 2}, vectors).value == (1.0, 1.0)
    for record, field in (({"city": None, "size": 2}, "city"), ({"city": "Seoul", "size": 3}, "size")):
        with pytest.raises(RecordRefused) as refused:
            plan.predict(record, vectors)
        assert refused.value.field == field
        assert refused.value.expected == "one of the categories that were there in training"


def test_values_may_come_in_the_order_of_the_columns():
    _, plan = built(attendees)
    vectors = plan.vectors()
    by_name = plan.predict(GOOD, vectors)
    assert plan.predict([GOOD[each.name] for each in plan.plan.columns], vectors) == by_name
    assert plan.predict({**GOOD, "age": np.float64(30), "day": True, "more": 1}, vectors) == by_name


def test_a_run_of_whatever_spaces_becomes_one_and_a_single_one_stays():
    spaces = [each for each in map(chr, range(sys.maxunicode + 1)) if each.isspace()]
    assert {"\t", "\n", "\x85", "\xa0", "\u2003", "\u3000"} < set(spaces)
    for space in spaces:
        found, _ = encode_text(f"ä{space}ö{space} {space}ü", [("collapse_spaces", "")])
        assert found.decode() == f"ä{space}ö ü"
