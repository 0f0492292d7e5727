"""The halves of a placed workflow, given what strangers may upload."""

import json

import pytest

from walle_task.workflows import MOST_JOINED, WorkflowHalf


@pytest.fixture
def half(tmp_path):
    """One that joins what it is given as `a` and as `b`, which cross to it."""
    document = {"inputs": ["a", "b"], "crossing": ["a", "b"], "sink": "pairs", "tensors": {}}
    steps = [{"operator": "pairs", "kind": "join", "inputs": ["a", "b"]}]
    (tmp_path / "walle_half.json").write_text(json.dumps({**document, "steps": steps}))
    return WorkflowHalf(tmp_path)


def test_a_feature_that_is_nested_too_deep_is_none_that_a_device_half_uploads(half):
    nested = ["t"]
    for _ in range(5000):
        nested = ["l", nested]
    assert half.arrived({"crossing": {"a": ["t", 1], "b": ["t", "x"]}}) == {"a": (1,), "b": ("x",)}
    assert half.arrived({"crossing": {"a": ["t", 1], "b": ["t", nested]}}) is None


def test_no_feature_joins_to_more_records_than_fit(half):
    many, two = tuple(range(MOST_JOINED // 2)), ("x", "y")
    assert len(half.run({"a": [many], "b": [two]})["pairs"][0]) == MOST_JOINED
    with pytest.raises(ValueError, match=f"at most {MOST_JOINED} records, found {MOST_JOINED + 2}"):
        half.run({"a": [(*many, -1)], "b": [two]})
