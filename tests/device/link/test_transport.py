"""The check-in riding on an app's own requests: it arrives, it is answered, and it never hurts."""

from __future__ import annotations

import logging

import httpx
import pytest

from tests.device.conftest import TASK
from tests.support.waiting import wait_for
from walle.device.background import BackgroundAgent
from walle.device.embedding import embedded
from walle.device.link.cloud import CloudAnswer
from walle.device.link.transport import AsyncWalleTransport, WalleTransport

HEADERS = {"Walle-Device": '"d";c="secret"', "Walle-App": '"shop";v="1.0.0"'}


class Passenger:
    """Stands for a device's check-ins: what it is asked for, and what it receives."""

    def __init__(self, headers=HEADERS) -> None:
        self.given, self.received, self.expecting = headers, list[CloudAnswer](), False

    def headers(self):
        if isinstance(self.given, Exception):
            raise self.given
        return self.given

    def receive(self, answer: CloudAnswer) -> None:
        self.received.append(answer)

    def expect_carriers(self) -> None:
        self.expecting = True


class Backend:
    """The app's server, in memory; `answer` makes its responses."""

    def __init__(self, answer=lambda request: httpx.Response(200, text="business")) -> None:
        self.requests: list[httpx.Request] = []
        self.answer = answer

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.answer(request)


def client_of(passenger: Passenger, backend: Backend, **more) -> httpx.Client:
    transport = WalleTransport(passenger, httpx.MockTransport(backend), origins=["https://api.shop.example"])
    return httpx.Client(transport=transport, **more)


def test_a_request_carries_the_check_in_and_the_answer_is_handed_over():
    passenger = Passenger()
    backend = Backend(lambda request: httpx.Response(200, text="business", headers={"Walle-Retry-After": "30"}))
    with client_of(passenger, backend) as client:
        response = client.post("https://api.shop.example/cart", json={"item": 1}, headers={"X-Own": "yes"})
    assert response.text == "business"
    sent = backend.requests[0]
    assert {name: sent.headers[name] for name in HEADERS} == HEADERS
    assert (sent.headers["x-own"], sent.read()) == ("yes", b'{"item":1}')
    assert passenger.received == [CloudAnswer(retry_after=30)]
    assert passenger.expecting


@pytest.mark.parametrize(
    "url", ["https://elsewhere.example/", "http://api.shop.example/", "https://api.shop.example:8443/"]
)
def test_another_origin_never_sees_the_credential(url):
    passenger = Passenger()
    backend = Backend(lambda request: httpx.Response(200, headers={"Walle-Retry-After": "30"}))
    with client_of(passenger, backend) as client:
        client.get(url)
    assert "walle-device" not in backend.requests[0].headers
    assert passenger.received == []


def test_a_redirect_to_another_origin_does_not_take_the_credential_along():
    def answer(request):
        away = request.url.host == "api.shop.example"
        return httpx.Response(302, headers={"Location": "https://evil.example/"}) if away else httpx.Response(200)

    backend = Backend(answer)
    with client_of(Passenger(), backend, follow_redirects=True) as client:
        client.get("https://api.shop.example/")
    assert [("walle-device" in request.headers) for request in backend.requests] == [True, False]


def test_when_no_check_in_is_due_the_request_is_the_apps_alone():
    passenger, backend = Passenger({}), Backend()
    with client_of(passenger, backend) as client:
        client.get("https://api.shop.example/")
    assert "walle-device" not in backend.requests[0].headers
    assert passenger.received == []


def test_a_server_that_does_not_know_walle_is_no_answer():
    passenger = Passenger()
    with client_of(passenger, Backend()) as client:
        client.get("https://api.shop.example/")
    assert passenger.received == []


@pytest.mark.parametrize("headers", [{"Walle-Offers": "((("}, {"Walle-Retry-After": "soon"}, {"Walle-Offers": b"\xff"}])
def test_nonsense_in_the_answer_does_not_reach_the_app(headers, caplog):
    caplog.set_level(logging.CRITICAL)
    passenger = Passenger()
    backend = Backend(lambda request: httpx.Response(200, text="business", headers=headers))
    with client_of(passenger, backend) as client:
        assert client.get("https://api.shop.example/").text == "business"
    assert passenger.received == []


def test_a_failure_of_walle_does_not_reach_the_app(caplog):
    caplog.set_level(logging.CRITICAL)
    backend = Backend()
    with client_of(Passenger(RuntimeError("a bug")), backend) as client:
        assert client.get("https://api.shop.example/").text == "business"
    assert len(backend.requests) == 1


def test_a_failure_of_the_apps_server_stays_the_apps():
    def answer(request):
        raise httpx.ConnectError("down")

    with client_of(Passenger(), Backend(answer)) as client, pytest.raises(httpx.ConnectError):
        client.get("https://api.shop.example/")


async def test_the_same_for_asyncio():
    passenger = Passenger()
    backend = Backend(lambda request: httpx.Response(200, text="business", headers={"Walle-Error": "app-unknown"}))
    transport = AsyncWalleTransport(passenger, httpx.MockTransport(backend), origins=["https://api.shop.example"])
    async with httpx.AsyncClient(transport=transport) as client:
        assert (await client.get("https://api.shop.example/")).text == "business"
    assert passenger.received == [CloudAnswer(error="app-unknown")]


async def test_a_streamed_upload_passes_through():
    def parts():
        yield b"one"
        yield b"two"

    backend = Backend()
    with client_of(Passenger(), backend) as client:
        client.post("https://api.shop.example/", content=parts())
    assert backend.requests[0].read() == b"onetwo"
    assert "walle-device" in backend.requests[0].headers


async def test_an_apps_requests_bring_an_update_without_a_check_in_of_its_own(repository, address, devices):
    """The whole way: an agent in its own thread, a blocking app, a business server with Walle in it."""
    enrolled = await devices.start()
    await enrolled.agent.once()
    device = await devices.restart(enrolled, interval=30.0)
    repository.publish(TASK, "1.0.0", {"main.py": b"one"})
    before = len(repository.seen("/checkin"))
    transport = WalleTransport(device.parts.check_ins, httpx.HTTPTransport(), origins=[address])
    with BackgroundAgent(device.parts), httpx.Client(transport=transport) as app:
        wait_for(lambda: app.get(f"{address}/cart").text == "business" and device.version() == "1.0.0")
        wait_for(lambda: any(report["kind"] == "install" for report in repository.reports))
    assert len(repository.seen("/checkin")) == before
    carried = [headers for path, headers, *_ in repository.requests if path == "/cart" and "walle-device" in headers]
    assert carried
    assert not device.store.markers()


@pytest.mark.processes
def test_walle_inside_an_app_in_a_few_lines(repository, address, tmp_path):
    code = b"def run(inputs, context):\n    return {'y': inputs['x'] * 2}\n"
    repository.publish(TASK, "1.0.0", {"main.py": code}, trigger={"every_s": 0.2})
    told = []
    with (
        embedded(
            server=address,
            app="shop",
            app_version="1.2.0",
            app_key="app-key",
            os="android",
            os_version="14",
            folder=tmp_path / "walle",
            inputs=lambda task, manifest: {"x": 21},
            interval=0.5,
            initial_root=repository.roots[1],
            on_notice=told.append,
        ) as walle,
        httpx.Client(transport=walle.transport(origins=[address])) as client,
    ):
        assert client.get(f"{address}/cart").text == "business"
        wait_for(lambda: any(notice.name == "ran" for notice in told), describe=lambda: str(told))
        with pytest.raises(ValueError, match="expected one of idle, active, busy"):
            walle.app_is("asleep")
        walle.app_is("busy")
    assert next(notice for notice in told if notice.name == "ran").data["output"] == {"y": 42}
    assert not any(notice.name == "error" for notice in told)
