"""Who answers which connection."""

from ipaddress import ip_network
from types import SimpleNamespace

import httpx
import pytest

from walleweb.asgi import Router, build_application
from walleweb.plain_answers import answer_text


def part(name):
    async def application(scope, receive, send):
        scope["answered_by"].append(name)

    return application


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ({"type": "http", "path": "/walle/v1/checkin"}, "gateway"),
        ({"type": "http", "path": "/git/camera.git/info/refs"}, "git"),
        ({"type": "http", "path": "/walle/v10"}, "django"),
        ({"type": "http", "path": "/"}, "django"),
        ({"type": "websocket", "path": "/walle/v1/live"}, "sockets"),
        ({"type": "websocket", "path": "/walle/v1/tunnel"}, "gateway"),
        ({"type": "websocket", "path": "/walle/v1/tunnel/"}, "sockets"),
        ({"type": "lifespan"}, "gateway"),
    ],
)
async def test_each_connection_has_its_part(scope, expected):
    router = Router(**{name: part(name) for name in ("django", "gateway", "git", "sockets")})
    answered = []
    await router({**scope, "answered_by": answered}, None, None)
    assert answered == [expected]


@pytest.fixture
async def client():
    from walleweb.asgi import application

    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


async def test_a_tunnel_is_refused_by_the_gateway_and_not_for_its_missing_origin():
    from walleweb.asgi import application

    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "websocket", "path": "/walle/v1/tunnel", "headers": [], "client": ("127.0.0.1", 5000)}
    await application(scope, receive, send)
    assert (sent[0]["type"], sent[0]["status"]) == ("websocket.http.response.start", 400)
    assert dict(sent[0]["headers"])[b"walle-error"] == b"header-malformed"


async def test_the_real_application_sends_people_to_a_page(client):
    response = await client.get("/")
    assert response.headers["content-type"].startswith("text/html")
    assert "<title>Walle</title>" in response.text


async def test_an_unknown_address_of_the_api_is_a_problem_document(client):
    response = await client.get("/api/v1/no-such-thing")
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["code"] == "not-found"


@pytest.mark.parametrize(
    "path",
    ["/", "/api/v1/no-such-thing", "/static/none.css", "/git/camera.git/info/refs?service=git-upload-pack", "/none"],
)
@pytest.mark.parametrize("hosts", [["evil.example"], ["localhost", "evil.example"], ["localhost.evil.example"], [""]])
@pytest.mark.parametrize("debug", [False, True])
async def test_a_host_that_is_not_ours_is_refused(client, settings, path, hosts, debug):
    settings.DEBUG = debug
    response = await client.get(path, headers=[("host", host) for host in hosts])
    assert (response.status_code, response.text) == (400, "this host is not one of WALLE_ALLOWED_HOSTS\n")


@pytest.mark.parametrize("path", ["/healthz", "/walle/v1/checkin"])
async def test_watchers_and_devices_may_come_by_any_name(client, path):
    assert (await client.get(path, headers={"host": "10.0.0.7:8101"})).status_code in (200, 400, 401)
    assert "WALLE_ALLOWED_HOSTS" not in (await client.get(path, headers={"host": "10.0.0.7:8101"})).text


async def test_a_check_in_without_a_device_is_answered_by_the_gateway(client):
    response = await client.get("/walle/v1/checkin")
    assert response.status_code in (400, 401)
    assert "walle-error" in response.headers


class SaysAddress:
    """A gateway that answers with the address that it sees."""

    tunnel = None

    def __init__(self):
        self.gateway = SimpleNamespace(tables=SimpleNamespace(watchers=[]))

    async def __call__(self, scope, receive, send):
        await answer_text(send, 200, scope["client"][0])


async def test_the_gateway_sees_devices_behind_our_proxies(monkeypatch, settings):
    settings.WALLE_TRUSTED_PROXIES = (ip_network("127.0.0.1/32"),)
    monkeypatch.setattr("devices_app.gateway.build_application", lambda *ports: SaysAddress())
    for peer, seen in (("127.0.0.1", "203.0.113.7"), ("198.51.100.1", "198.51.100.1")):
        transport = httpx.ASGITransport(build_application(), client=(peer, 5000))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            response = await client.post("/walle/v1/enrol", headers={"x-forwarded-for": "203.0.113.7"})
            assert response.text == seen
