"""`walle pipeline ask`: predictions by the server, at the address for them."""

from __future__ import annotations

import json
from contextlib import contextmanager

import httpx
import pytest

from tests.cli.test_client import ACCOUNT
from walle.cli.client import ApiClient
from walle.cli.commands import pipeline

ANSWER = {
    "version": "1.2.0",
    "classes": ["no", "yes"],
    "predictions": [{"label": "yes", "probabilities": [0.25, 0.75]}, None],
    "problems": [{"record": 1, "field": "text", "expected": "a text of at most 1048576 bytes"}],
}


@pytest.fixture
def asked(monkeypatch):
    """What the server was asked; it answers with ANSWER, less its problems where one record was sent."""
    requests = []

    def answer(request):
        requests.append((request.url.path, json.loads(request.content)))
        alone = len(requests[-1][1]["records"]) == 1
        known = {**ANSWER, "predictions": ANSWER["predictions"][:1], "problems": []} if alone else ANSWER
        return httpx.Response(200, json=known)

    @contextmanager
    def connected():
        with ApiClient(ACCOUNT, transport=httpx.MockTransport(answer)) as client:
            yield client

    monkeypatch.setattr(pipeline, "connected", connected)
    return requests


def test_a_record_is_predicted_for_a_caller(walle, asked):
    done = walle("pipeline", "ask", "shop/mood", "--app", "market", "--caller", "ada", "--record", '{"text": "good"}')
    assert (done.status, done.rows[0][:2]) == (0, ["yes", "0.25 0.75"])
    assert "version 1.2.0 answered" in done.out
    assert asked == [("/predict/v1/market/shop/mood", {"records": [{"text": "good"}], "caller": "ada"})]


def test_a_record_that_is_refused_is_named_and_the_others_are_answered(walle, asked, tmp_path):
    (tmp_path / "two.jsonl").write_text('{"text": "good"}\n{"text": 1}\n')
    call = ("pipeline", "ask", "shop/mood", "--app", "market", "--caller", "ada", "--records", tmp_path / "two.jsonl")
    done = walle(*call)
    assert (done.status, done.rows[1][-1]) == (1, "text: expected a text of at most 1048576 bytes")
    assert walle(*call, "--json").json == ANSWER


def test_records_come_from_one_place(walle, asked):
    assert walle("pipeline", "ask", "shop/mood", "--app", "market", "--caller", "ada").status == 2
    assert asked == []
