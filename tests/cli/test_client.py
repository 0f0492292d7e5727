"""Requests: what is sent again and how, and what refusals become."""

from __future__ import annotations

import httpx
import pytest

from walle.cli.accounts import StoredAccount
from walle.cli.client import ApiClient
from walle.cli.errors import Exit, RequestRefused, ServerUnreachable

ACCOUNT = StoredAccount("http://walle.example", "wl_secret", "test")


class Server:
    """Answers with what it was given, one after the other, and remembers what it was asked."""

    def __init__(self, *answers):
        self._answers = list(answers)
        self.asked = []
        self.slept = []

    def __call__(self, request):
        request.read()
        self.asked.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, **options):
        return ApiClient(
            ACCOUNT, transport=httpx.MockTransport(self), sleep=self.slept.append, rng=lambda: 0.5, **options
        )


def ok(**document):
    return httpx.Response(200, json=document)


def test_a_token_and_a_key_are_sent():
    server = Server(ok(), ok(), ok())
    with server.client() as client:
        client.get("me")
        client.post("releases", {"app": "shop"})
        client.post("releases", {"app": "shop"})
    get, first, second = server.asked
    assert get.headers["authorization"] == "Bearer wl_secret"
    assert "idempotency-key" not in get.headers
    assert first.headers["idempotency-key"] != second.headers["idempotency-key"]


def test_a_lost_connection_is_tried_again_with_the_same_key():
    server = Server(httpx.ReadError("reset"), httpx.ConnectError("refused"), ok(id=4))
    with server.client() as client:
        assert client.post("releases", {}) == {"id": 4}
    assert len({request.headers["idempotency-key"] for request in server.asked}) == 1
    assert server.slept == [0.5, 1.0]


def test_retry_after_is_followed():
    server = Server(httpx.Response(429, headers={"retry-after": "7"}), httpx.Response(503), ok())
    with server.client() as client:
        client.get("releases")
    assert server.slept == [7.0, 1.0]


def test_who_is_to_wait_too_long_gives_up_at_once():
    problem = {"status": 429, "code": "throttled", "detail": "come back tomorrow"}
    server = Server(httpx.Response(429, headers={"retry-after": "86400"}, json=problem))
    with server.client() as client, pytest.raises(RequestRefused, match="come back tomorrow") as refused:
        client.get("releases")
    assert refused.value.status == Exit.UNREACHABLE
    assert server.slept == []


def test_it_ends_after_a_while():
    server = Server(*[httpx.ConnectError("refused")] * 5)
    with (
        server.client() as client,
        pytest.raises(ServerUnreachable, match=r"cannot reach http://walle\.example: refused"),
    ):
        client.get("me")
    assert len(server.asked) == 5


def test_a_body_is_made_anew_for_each_attempt():
    server = Server(httpx.Response(503), ok())
    with server.client() as client:
        client.send("PUT", "x", content=lambda: iter([b"abc", b"def"]))
    assert [request.content for request in server.asked] == [b"abcdef", b"abcdef"]


@pytest.mark.parametrize(
    ("status", "exit_status"),
    [(400, 1), (401, 3), (403, 3), (404, 4), (409, 5), (412, 5), (413, 1), (500, 6)],
)
def test_refusals_have_their_exit_status(status, exit_status):
    server = Server(httpx.Response(status, json={"status": status, "code": "x", "detail": "because"}))
    with server.client() as client, pytest.raises(RequestRefused, match="because") as refused:
        client.get("me")
    assert refused.value.status == exit_status
    assert len(server.asked) == 1


def test_all_field_errors_are_told():
    errors = [{"field": "slug", "detail": "Expected a letter."}, {"field": "name", "detail": "Too long."}]
    refused = RequestRefused(
        400, {"code": "invalid", "detail": "slug: Expected a letter.; name: Too long.", "errors": errors}
    )
    assert refused.message == "the server refused it:"
    assert refused.lines == ["slug: Expected a letter.", "name: Too long."]


def test_the_only_reason_is_told_with_what_it_is_the_reason_of():
    errors = [{"field": "plan", "detail": "plan: expected a feasible plan"}]
    refused = RequestRefused(400, {"code": "plan-refused", "detail": "the plan cannot be applied", "errors": errors})
    assert (refused.message, refused.lines) == ("the plan cannot be applied:", ["plan: expected a feasible plan"])


def test_the_detail_alone_is_enough_where_there_are_no_fields():
    refused = RequestRefused(409, {"code": "move-refused", "detail": "cannot promote a release that is draft"})
    assert (refused.message, refused.lines) == ("cannot promote a release that is draft", [])
    assert "walle release show" in refused.hint


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>"),
        httpx.Response(302, headers={"location": "https://walle.example"}),
    ],
)
def test_an_address_that_is_not_walles_is_told(answer):
    with Server(answer).client() as client, pytest.raises(ServerUnreachable) as unreachable:
        client.get("me")
    assert unreachable.value.hint


def test_a_refusal_that_is_no_problem_document_is_told():
    with (
        Server(httpx.Response(404, text="nginx")).client() as client,
        pytest.raises(RequestRefused, match="404 Not Found"),
    ):
        client.get("me")


def test_what_devices_say_cannot_steer_the_terminal():
    said = {"message": "a\x1b]0;owned\x07\x9bb\tc\nd", "facts": {"m\x1b": ["\x7f"]}, "n": 1}
    with Server(ok(**said), httpx.Response(400, json={"detail": "\x1b[2J"})).client() as client:
        shown = client.get("devices")
        assert shown == {"message": "a\\x1b]0;owned\\x07\\x9bb\tc\nd", "facts": {"m\\x1b": ["\\x7f"]}, "n": 1}
        with pytest.raises(RequestRefused, match=r"\\x1b\[2J"):
            client.get("devices")


def test_a_list_is_read_over_as_many_pages_as_it_takes():
    server = Server(ok(results=[1, 2], next="c"), ok(results=[3], next="d"))
    with server.client() as client:
        assert client.listed("audit", 3, action=None, scope="app:shop") == {"results": [1, 2, 3], "next": "d"}
    first, second = (dict(request.url.params) for request in server.asked)
    assert first == {"scope": "app:shop", "limit": "3"}
    assert second == {"scope": "app:shop", "limit": "1", "cursor": "c"}
