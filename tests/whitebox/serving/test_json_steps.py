"""What is decoded in steps is what Python decodes at once, and what Python refuses is refused with the same words."""

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.whitebox.serving import json_steps
from walle.whitebox.serving.json_steps import STEP, ValueTooLong, decode_in_steps

SIMPLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SIMPLE, lambda each: st.lists(each) | st.dictionaries(st.text(), each), max_leaves=20)
SPACES = st.text(" \t\n\r", max_size=2)


def decoded(text, longest=1 << 20):
    """What a text says, or why it says nothing, and in how many steps that is found."""
    steps = decode_in_steps(text, json.JSONDecoder(), longest)
    for taken in count():
        try:
            next(steps)
        except StopIteration as end:
            return end.value, taken
        except ValueError as error:
            return str(error), taken


def at_once(text):
    try:
        return json.loads(text)
    except ValueError as error:
        return str(error)


@pytest.fixture(scope="module", autouse=True)
def short_steps():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_steps, "STEP", 3)
        yield


@given(VALUES, SPACES, st.sampled_from([(", ", ": "), (",", ":"), ("\n,\t", "\r: ")]))
def test_it_is_what_is_decoded_at_once(value, space, separators):
    text = space + json.dumps(value, separators=separators) + space
    assert decoded(text)[0] == value


@given(VALUES, st.data())
def test_what_is_no_json_is_refused_at_the_same_place(value, data):
    text = json.dumps({"records": [value, value], "caller": value})
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 3))
    text = text[:at] + data.draw(st.text('[]{},:"1 x', max_size=3)) + text[at + cut :]
    assert decoded(text)[0] == at_once(text)


@given(st.lists(VALUES, min_size=1), SPACES, st.integers(1, 40))
def test_a_value_that_is_too_long_is_refused_by_its_place_before_it_is_decoded(values, space, longest):
    """Where less is left of the text than a value may have, none is too long any more."""
    texts = [json.dumps(value) for value in values]
    text = f"[{f',{space}'.join(texts)}]"
    starts = [1 + sum(len(each) + 1 + len(space) for each in texts[:place]) for place in range(len(texts))]
    long = [place for place, start in enumerate(starts) if len(texts[place]) > longest and len(text) - start > longest]
    found = refused_by(text, longest)
    assert found == (long[0] if long else "nobody")


def test_the_members_of_an_object_are_bounded_too():
    long = json.dumps({"text": "[" * 50})
    assert refused_by(f'{{"record": {long}, "caller": 1}}', 55) is None
    assert refused_by(f'{{"record": {long}, "caller": 1}}', len(long)) == "nobody"
    assert refused_by(f"{{{json.dumps('x' * 60)}: 1}}", 55) is None
    assert refused_by(f'{{"record": {"1" * 60}, "caller": 1}}', 55) is None


@pytest.mark.parametrize("record", ["{" * 300, '{"a": [', '"' + "x" * 300, '{"a": "' + "]" * 300, "1" * 300])
def test_a_value_that_never_ends_is_too_long(record):
    assert refused_by(f'{{"records": [{{}}, {record}' + " " * 200, 100) == 1


def refused_by(text, longest):
    """The place of the value that is refused for its length, None for a member; "nobody" if none is."""
    try:
        for _ in decode_in_steps(text, json.JSONDecoder(), longest):
            pass
    except ValueTooLong as error:
        return error.index
    except ValueError:
        return "nobody"
    return "nobody"


def test_a_long_list_takes_many_steps():
    text = json.dumps({"records": [{"text": "x" * 1000}] * 1000})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_steps, "STEP", STEP)
        assert decoded(text)[1] == len(text) // (STEP + 1013)


def test_the_last_of_members_with_one_name_counts():
    assert decoded('{"a": 1, "a": [2]}')[0] == {"a": [2]}
