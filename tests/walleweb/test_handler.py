"""Requests to Django's part: the thread of each, and what becomes of it."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from django.core.signals import request_started
from django.http import HttpResponse
from django.urls import path

from walleweb.handler import IDLE_THREADS, Handler
from walleweb.settings import MIDDLEWARE

GOES_ON = threading.Event()
WAITING = threading.Semaphore(0)


def tell_thread(request):
    return HttpResponse(str(threading.get_ident()))


def wait(request):
    WAITING.release()
    assert GOES_ON.wait(60)
    return tell_thread(request)


urlpatterns = [path("thread", tell_thread), path("wait", wait)]


@pytest.fixture
def client(settings):
    settings.ROOT_URLCONF, settings.MIDDLEWARE = __name__, MIDDLEWARE
    settings.ALLOWED_HOSTS = ["localhost"]
    settings.SERVESTATIC_AUTOREFRESH = False
    GOES_ON.clear()
    yield httpx.AsyncClient(transport=httpx.ASGITransport(Handler()), base_url="http://localhost")
    GOES_ON.set()


async def waiting_requests(client, count):
    """Return as many requests under way, each of which waits in its view."""
    requests = [asyncio.create_task(client.get("/wait")) for _ in range(count)]
    for _ in range(count):
        assert await asyncio.to_thread(WAITING.acquire, timeout=60)
    return requests


async def threads_of(requests):
    return {(await request).text for request in requests}


async def test_a_thread_is_used_by_one_request_after_another(client):
    assert len({(await client.get("/thread")).text for _ in range(3)}) == 1


async def test_signals_middleware_and_view_of_a_request_have_one_thread(client):
    seen = []

    def note(**_):
        seen.append(str(threading.get_ident()))

    request_started.connect(note)
    try:
        answered = await client.get("/thread")
    finally:
        request_started.disconnect(note)
    assert seen == [answered.text]


async def test_middleware_and_view_are_one_piece_of_work_for_it(client, monkeypatch):
    submit, pieces = ThreadPoolExecutor.submit, []
    monkeypatch.setattr(ThreadPoolExecutor, "submit", lambda *work: pieces.append(work) or submit(*work))
    await client.get("/thread")
    before_and_after = 2  # signals, and closing the response
    assert len(pieces) == before_and_after + 1


async def test_requests_at_the_same_time_have_threads_of_their_own(client):
    requests = await waiting_requests(client, 3)
    GOES_ON.set()
    assert len(await threads_of(requests)) == 3


async def test_no_more_threads_are_kept_than_are_often_needed(client):
    requests = await waiting_requests(client, IDLE_THREADS + 3)
    before = threading.active_count()
    GOES_ON.set()
    await threads_of(requests)
    await client.get("/thread")
    async with asyncio.timeout(60):
        while threading.active_count() > before - 3:
            await asyncio.sleep(0.01)


async def test_what_was_broken_off_holds_up_nobody(client):
    (request,) = await waiting_requests(client, 1)
    request.cancel()
    await asyncio.wait([request])
    async with asyncio.timeout(60):
        assert (await client.get("/thread")).status_code == 200


async def test_answers_have_the_headers_of_security(client):
    assert (await client.get("/thread")).headers["x-content-type-options"] == "nosniff"
