"""Samples: how expectations are held against outputs, in words and in real runs."""

from __future__ import annotations

import pytest

from tests.container.support import manifest, write_bundle
from walle.container.samples import SampleCase, check_expectation, run_samples

DECLARED = manifest(inputs={"x": {"type": "integer"}}, outputs={"y": {"type": "number"}, "word": {"type": "text"}})


@pytest.mark.parametrize(
    ("expectation", "good", "bad"),
    [
        ({"equals": 7}, [7, 7.0], [8, "7", True, None, [7]]),
        ({"equals": 1}, [1], [True]),
        ({"equals": True}, [True], [1, 1.0]),
        (
            {"equals": {"a": [1, False]}},
            [{"a": [1.0, False]}],
            [{"a": [1, 0]}, {"a": [1]}, {}, {"a": [1, False], "b": 1}],
        ),
        ({"approx": 0.5, "tolerance": 0.1}, [0.5, 0.6, 0.4], [0.61, "0.5", None, True]),
        ({"approx": 1}, [1, 1.0000005], [1.00001]),
        ({"approx": [[1.0], [2.0]], "tolerance": 0.5}, [[[1.4], [2]]], [[[1.6], [2]], [[1.0]], [1.0, 2.0]]),
        ({"approx": {"a": 1, "b": "x"}, "tolerance": 1}, [{"a": 2, "b": "x"}], [{"a": 2, "b": "y"}, {"a": 1}]),
        ({"one_of": [1, "a"]}, [1, 1.0, "a"], [2, True, "A"]),
        ({"contains": "ev"}, ["seven", ["ev"], {"ev": 1}], ["six", ["seven"], {}, 5, None]),
        ({"contains": 1}, [[1, 2], [1.0]], [[True], "1", {"1": 1}]),
    ],
)
def test_expectations(expectation, good, bad):
    for value in good:
        assert check_expectation(expectation, value) is None
    for value in bad:
        assert check_expectation(expectation, value) is not None, value


@pytest.mark.parametrize(
    ("expectation", "value", "words"),
    [
        ({"equals": 7}, 8, "expected 7, found 8"),
        ({"approx": 0.5, "tolerance": 0.1}, 2, "expected about 0.5, found 2"),
        ({"one_of": [1, 2]}, 3, "expected one of [1, 2], found 3"),
        ({"contains": "a"}, "xyz", "expected what contains 'a', found 'xyz'"),
        ({"is": 1}, 1, "expected one of equals, approx, one_of, contains, found {'is': 1}"),
    ],
)
def test_mismatches_are_put_in_words(expectation, value, words):
    assert check_expectation(expectation, value) == words


def test_samples_run_in_the_sandbox_and_are_judged_one_by_one(sandbox, tmp_path):
    source = "def run(i, c):\n    return {'y': 10 / i['x'], 'word': 'ten'}"
    write_bundle(tmp_path, source)
    cases = [
        SampleCase("right", {"x": 4}, {"y": {"equals": 2.5}, "word": {"contains": "te"}}),
        SampleCase("wrong", {"x": 5}, {"y": {"equals": 3}, "word": {"equals": "two"}}),
        SampleCase("broken", {"x": 0}, {"y": {"equals": 3}}),
        SampleCase("nothing expected", {"x": 1}, {}),
    ]
    results = run_samples(sandbox.run, tmp_path, DECLARED, cases)
    assert [(one.name, one.passed) for one in results] == [
        ("right", True),
        ("wrong", False),
        ("broken", False),
        ("nothing expected", True),
    ]
    assert results[1].mismatches == ("y: expected 3, found 2.0", "word: expected 'two', found 'ten'")
    assert results[2].run.error_class == "exception:ZeroDivisionError"
    assert results[2].mismatches == ()
