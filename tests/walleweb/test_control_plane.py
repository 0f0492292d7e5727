"""The demonstration's client of the REST API: what is sent again, and what is not."""

import httpx
import pytest

from walleweb.demo.control_plane import RETRIES, ControlPlane, ControlPlaneRefused


class Server(httpx.MockTransport):
    """Answers with each status in turn, the last one for good; None loses the connection."""

    def __init__(self, *statuses: int | None) -> None:
        super().__init__(self._answer)
        self._statuses = list(statuses)
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        self.client = ControlPlane("http://walle.example", "wl_t", transport=self, sleep=self.waits.append)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        if status is None:
            raise httpx.ReadError("connection reset", request=request)
        headers = {"retry-after": "7"} if status == 429 else {}
        return httpx.Response(status, json={"id": 12}, headers=headers)


def test_what_the_server_cannot_do_now_is_asked_again_under_the_same_key() -> None:
    server = Server(503, None, 429, 200)
    assert server.client.move(12, "start") == {"id": 12}
    assert len({request.headers["idempotency-key"] for request in server.requests}) == 1
    assert len(server.requests) == 4
    first, second, asked_for = server.waits
    assert (0.25 <= first <= 0.75, 0.5 <= second <= 1.5, asked_for) == (True, True, 7)
    server.client.move(12, "pause")
    assert server.requests[-1].headers["idempotency-key"] != server.requests[0].headers["idempotency-key"]


@pytest.mark.parametrize("status", [400, 404, 409, 500])
def test_a_refusal_is_an_answer(status: int) -> None:
    server = Server(status)
    with pytest.raises(ControlPlaneRefused) as refused:
        server.client.release(12)
    assert (refused.value.status, len(server.requests)) == (status, 1)


def test_a_version_that_is_not_there_is_none() -> None:
    assert Server(404).client.version("a/b", "1.0.0") is None
    with pytest.raises(ControlPlaneRefused):
        Server(403).client.version("a/b", "1.0.0")


def test_it_gives_up_in_the_end() -> None:
    away, busy = Server(None), Server(503)
    with pytest.raises(httpx.ReadError):
        away.client.release(12)
    with pytest.raises(ControlPlaneRefused):
        busy.client.put_list("shop", "testers", ["device-1"])
    assert len(away.requests) == len(busy.requests) == RETRIES + 1
