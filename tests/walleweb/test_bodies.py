"""Who may send large bodies, before anything of them is taken in."""

import httpx
import pytest
from asgiref.sync import sync_to_async

from tests.support.people import make_staff, token_of
from walleweb.bodies import LARGEST_OF_STRANGERS, BodyGuard

pytestmark = pytest.mark.django_db(transaction=True)


class Taken:
    """Takes in every body that reaches it."""

    def __init__(self):
        self.bytes = 0

    async def __call__(self, scope, receive, send):
        more = True
        while more:
            message = await receive()
            self.bytes += len(message.get("body", b""))
            more = message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def taken():
    return Taken()


@pytest.fixture
async def secret():
    return await sync_to_async(lambda: token_of(make_staff()))()


async def put(taken, content, **headers):
    transport = httpx.ASGITransport(BodyGuard(taken))
    async with httpx.AsyncClient(transport=transport, base_url="http://walle") as client:
        return await client.put("/api/v1/anything", content=content, headers=headers)


async def pieces():
    for _ in range(3):
        yield b"x" * 100


async def test_what_everybody_may_send_passes(taken):
    assert (await put(taken, b"x" * LARGEST_OF_STRANGERS)).status_code == 200
    assert taken.bytes == LARGEST_OF_STRANGERS


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wl_0123abcd_" + "0" * 64}, {"Authorization": "x"}])
async def test_nothing_large_of_strangers_is_taken_in(taken, headers):
    for content in (b"x" * (LARGEST_OF_STRANGERS + 1), pieces()):
        answer = await put(taken, content, **headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "not-authenticated")
        assert answer.headers["www-authenticate"] == 'Bearer realm="Walle"'
    assert taken.bytes == 0


@pytest.mark.parametrize("length", ["9" * 20, "9" * 5000, "-1", "1e3", "0x10", "5, 6"])
async def test_a_length_that_is_none_is_a_large_one(taken, length):
    answer = await put(taken, b"x", **{"Content-Length": length})
    assert (answer.status_code, taken.bytes) == (401, 0)


async def test_a_good_token_may_send_more(taken, secret):
    bearer = {"Authorization": f"Bearer {secret}"}
    assert (await put(taken, b"x" * (LARGEST_OF_STRANGERS + 1), **bearer)).status_code == 200
    assert (await put(taken, pieces(), **bearer)).status_code == 200
    assert taken.bytes == LARGEST_OF_STRANGERS + 1 + 300
