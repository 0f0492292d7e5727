"""Cloud halves that are called: what they say, what they must not, and one feature that spoils a call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.container.support import write_bundle
from walle.container.cloud_half import (
    MAX_BATCH,
    MAX_CALLS,
    CloudHalf,
    ask,
    uploaded,
    write_entry,
)
from walle.container.result import SandboxError, failure
from walle.protocol.tunnel_frames import MAX_ANSWER

HALF = CloudHalf("cloud/recommend.py", time_ms=5000, memory_mb=64)
ODD = """
def answer(features):
    kinds = {"nothing": None, "list": [1], "large": {"text": "x" * 40_000}}
    return [kinds.get(each["n"], {"twice": each["n"]}) for each in features]
"""
SHY = """
def answer(features):
    if any(each["n"] == 37 for each in features):
        raise ValueError("37")
    return [{"n": each["n"]} for each in features]
"""


@pytest.fixture
def answers(sandbox, tmp_path):
    """Asks a cloud half with this source about features that are these values."""

    def call(source, values, half=HALF):
        write_bundle(tmp_path, "", {half.main: source})
        write_entry(tmp_path, half)
        return ask(sandbox.run, tmp_path, half, [{"n": value} for value in values])

    return call


def test_what_goes_up_is_what_the_task_names_of_the_runs_that_it_asks_for():
    output = {"encoding": [0.5], "unsure": True, "page": "item/1"}
    assert uploaded({"outputs": ["encoding"]}, output) == {"encoding": [0.5]}
    assert uploaded({"outputs": ["page", "encoding"], "when": "unsure"}, output) == {
        "page": "item/1",
        "encoding": [0.5],
    }
    assert uploaded({"outputs": ["encoding"], "when": "unsure"}, output | {"unsure": False}) is None


@pytest.mark.processes
def test_each_feature_gets_its_answer_or_why_there_is_none(answers):
    found = answers(ODD, [1, "nothing", "list", "large", "ü"])
    assert [one.body for one in found.answers] == [b'{"twice":1}', None, None, None, '{"twice":"ü"}'.encode()]
    assert [one.reason for one in found.answers] == [
        "",
        "the cloud half has no answer to this",
        "expected an object or None as an answer, found list",
        f"expected an answer of at most {MAX_ANSWER} bytes, found 40011",
        "",
    ]
    assert (found.failed, len(found.calls)) == (None, 1)


@pytest.mark.processes
def test_what_a_call_has_loaded_stays_for_the_next_one(answers):
    source = (
        "calls = []\ndef answer(features):\n    calls.append(1)\n    return [{'calls': len(calls)}] * len(features)"
    )
    assert [answers(source, [0]).answers[0].body for _ in range(2)] == [b'{"calls":1}', b'{"calls":2}']


@pytest.mark.processes
def test_a_feature_on_which_it_fails_costs_the_others_nothing(answers):
    found = answers(SHY, range(MAX_BATCH))
    assert [at for at, one in enumerate(found.answers) if one.body is None] == [37]
    assert found.answers[37].reason == "the cloud half failed: exception:ValueError"
    assert "ValueError: 37" in found.failed.message
    assert len(found.calls) <= MAX_CALLS


@pytest.mark.processes
@pytest.mark.parametrize(
    ("source", "error", "calls"),
    [
        ("def answer(features): return []", "output-invalid", MAX_CALLS),
        ("def answer(features): return 1 / 0", "exception:ZeroDivisionError", MAX_CALLS),
        ("def answer(features): return [{'x': float('nan')}] * len(features)", "output-invalid", MAX_CALLS),
        ("def answer(features):\n    while True: pass", "timeout", 1),
    ],
)
def test_one_that_always_fails_ends_after_so_many_calls(answers, source, error, calls):
    half = replace(HALF, time_ms=300) if error == "timeout" else HALF
    found = answers(source, range(MAX_BATCH), half)
    assert {one.reason for one in found.answers} == {f"the cloud half failed: {error}"}
    assert (found.failed.error_class, len(found.calls) <= calls) == (error, True)


def test_no_more_features_are_put_to_it_than_a_batch_has(tmp_path):
    with pytest.raises(ValueError, match=f"expected at most {MAX_BATCH} features, found {MAX_BATCH + 1}"):
        ask(lambda *_: failure("timeout", ""), tmp_path, HALF, [{}] * (MAX_BATCH + 1))
    assert ask(lambda *_: failure("timeout", ""), tmp_path, HALF, []).calls == ()


def test_a_machine_that_fails_is_not_for_the_task_to_answer_for(tmp_path):
    with pytest.raises(SandboxError, match="no fork"):
        ask(lambda *_: failure("sandbox-error", "no fork"), tmp_path, HALF, [{}])
