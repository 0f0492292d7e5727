"""Artifacts over HTTP, against a real server on the loopback interface."""

from __future__ import annotations

import asyncio
import hashlib
import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.artifacts.serving import Traffic, serving
from tests.support.waiting import ANSWER_S, wait_for
from walle.artifacts import ArtifactError, LocalStore
from walle.artifacts.http import CHUNK, ArtifactApplication, serve_file
from walle.gateway.uvicorn_sending import FileSendingProtocol

pytestmark = pytest.mark.slow

CONTENT = os.urandom(2 * CHUNK + 12_345)
ABSENT = "0" * 64
HUGE = 64 << 20
VARIANT = b"walle-variant"


class Site:
    """A store, its artifact application and a route that serves one exclusive file."""

    def __init__(self, root: Path) -> None:
        self.store = LocalStore(root / "artifacts")
        self.exclusive = root / "prefs.json"
        self.exclusive.write_bytes(b'{"theme":"dark"}')
        self.traffic = Traffic(self.application)
        self.artifacts = ArtifactApplication(self.store)
        self.digest = self.store.put(CONTENT).digest
        self.port = 0

    async def application(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].startswith("/exclusive/"):
            path = self.exclusive.with_name(scope["path"].removeprefix("/exclusive/"))
            headers = [(VARIANT, b"signed")]
            await serve_file(
                scope, receive, send, path, etag='"v1"', cache_control="private, no-store", extra_headers=headers
            )
        else:
            await self.artifacts(scope, receive, send)

    def url(self, digest: str) -> str:
        return f"/artifacts/{digest}"

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=ANSWER_S)


@pytest.fixture(scope="module", params=["httptools", FileSendingProtocol], ids=["chunks", "sendfile"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    found = Site(tmp_path_factory.mktemp("site"))
    with serving(found.traffic, request.param) as found.port:
        yield found


@pytest.fixture(scope="module")
def client(site: Site) -> Iterator[httpx.Client]:
    with site.client() as found:
        yield found


def get(site: Site, client: httpx.Client, digest: str = "", **headers: str) -> httpx.Response:
    return client.get(site.url(digest or site.digest), headers={key.replace("_", "-"): headers[key] for key in headers})


def test_an_artifact_is_immutable_and_resumable(site: Site, client: httpx.Client) -> None:
    response = get(site, client)
    assert response.status_code == 200
    assert response.content == CONTENT
    assert dict(response.headers) | {"date": "", "server": ""} == {
        "etag": f'"{site.digest}"',
        "cache-control": "public, max-age=31536000, immutable",
        "content-type": "application/octet-stream",
        "x-content-type-options": "nosniff",
        "accept-ranges": "bytes",
        "content-length": str(len(CONTENT)),
        "date": "",
        "server": "",
    }


def test_head_tells_the_same_without_the_content(site: Site, client: httpx.Client) -> None:
    head, whole = client.head(site.url(site.digest), headers={"Range": "bytes=1-2"}), get(site, client)
    assert (head.status_code, head.content) == (200, b"")
    head.headers["date"] = whole.headers["date"]
    assert head.headers == whole.headers


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK])
def test_content_of_any_size(site: Site, client: httpx.Client, size: int) -> None:
    content = os.urandom(size)
    response = get(site, client, site.store.put(content).digest)
    assert (response.status_code, response.content) == (200, content)
    assert response.headers["content-length"] == str(size)


positions = st.integers(0, len(CONTENT) - 1) | st.sampled_from([0, CHUNK - 1, CHUNK, CHUNK + 1, len(CONTENT) - 1])


@settings(deadline=None, max_examples=80)
@given(bounds=st.tuples(positions, positions | st.integers(len(CONTENT), 2 * len(CONTENT))).map(sorted))
def test_any_range_is_a_slice(site: Site, client: httpx.Client, bounds: list[int]) -> None:
    first, last = bounds
    for field, expected in {
        f"bytes={first}-{last}": CONTENT[first : last + 1],
        f"bytes={first}-": CONTENT[first:],
        f"bytes=-{last + 1}": CONTENT[-last - 1 :],
    }.items():
        response = get(site, client, Range=field)
        assert (response.status_code, response.content) == (206, expected)
        start = len(CONTENT) - len(expected) if field.startswith("bytes=-") else first
        assert response.headers["content-range"] == f"bytes {start}-{start + len(expected) - 1}/{len(CONTENT)}"
        assert response.headers["content-length"] == str(len(expected))
        assert response.headers["etag"] == f'"{site.digest}"'


@pytest.mark.parametrize("field", [f"bytes={len(CONTENT)}-", "bytes=-0", "bytes=99999999-100000000"])
def test_a_range_beyond_the_end_is_refused(site: Site, client: httpx.Client, field: str) -> None:
    response = get(site, client, Range=field)
    assert response.status_code == 416
    assert response.headers["content-range"] == f"bytes */{len(CONTENT)}"
    assert response.headers["cache-control"] == "no-store"
    assert response.json()["code"] == "range-not-satisfiable"


@pytest.mark.parametrize("field", ["bytes=0-1,4-5", "bytes=5-3", "items=0-1", "bytes=x-", "0-1", "bytes=" + "9" * 5000])
def test_other_ranges_get_the_whole(site: Site, client: httpx.Client, field: str) -> None:
    response = get(site, client, Range=field)
    assert (response.status_code, response.content) == (200, CONTENT)


def test_content_that_the_client_has_is_not_sent(site: Site, client: httpx.Client) -> None:
    response = get(site, client, If_None_Match=f'"x", W/"{site.digest}"')
    assert (response.status_code, response.content) == (304, b"")
    assert response.headers["etag"] == f'"{site.digest}"'
    assert "immutable" in response.headers["cache-control"]
    assert get(site, client, If_None_Match='"x"').status_code == 200


def test_a_condition_on_other_content_fails(site: Site, client: httpx.Client) -> None:
    response = get(site, client, If_Match='"x"')
    assert (response.status_code, response.json()["code"]) == (412, "precondition-failed")


@pytest.mark.parametrize("validator", ['"other"', 'W/"{digest}"', "Sat, 29 Oct 2033 19:43:31 GMT", "{digest}"])
def test_a_resumption_of_other_content_gets_the_whole(site: Site, client: httpx.Client, validator: str) -> None:
    response = get(site, client, Range="bytes=5-9", If_Range=validator.format(digest=site.digest))
    assert (response.status_code, response.content) == (200, CONTENT)


@settings(deadline=None, max_examples=25)
@given(cuts=st.lists(st.integers(1, len(CONTENT)), max_size=4))
def test_a_download_that_breaks_off_is_resumed(site: Site, client: httpx.Client, cuts: list[int]) -> None:
    received = b""
    for cut in sorted(cuts):
        received += read_some(site, len(received), cut - len(received))
    if len(received) < len(CONTENT):
        rest = get(site, client, Range=f"bytes={len(received)}-", If_Range=f'"{site.digest}"')
        assert rest.status_code == 206
        received += rest.content
    assert hashlib.sha256(received).hexdigest() == site.digest


def read_some(site: Site, start: int, length: int) -> bytes:
    """What a client gets that hangs up after `length` bytes of the body."""
    if length == 0:
        return b""
    headers = {"Range": f"bytes={start}-", "If-Range": f'"{site.digest}"'}
    with site.client() as client, client.stream("GET", site.url(site.digest), headers=headers) as response:
        assert response.status_code == 206
        chunks, received = response.iter_bytes(1024), b""
        while len(received) < length:
            received += next(chunks)
    return received[:length]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_only_reading_is_allowed(site: Site, client: httpx.Client, method: str) -> None:
    response = client.request(method, site.url(site.digest))
    assert (response.status_code, response.headers["allow"]) == (405, "GET, HEAD")
    assert response.headers["content-type"] == "application/problem+json"


def test_what_is_missing_is_not_cached(site: Site, client: httpx.Client) -> None:
    for response in (get(site, client, ABSENT), client.head(site.url(ABSENT)), client.get("/elsewhere")):
        assert response.status_code == 404
        assert response.headers["cache-control"] == "no-store"
    problem = get(site, client, ABSENT).json()
    assert (problem["status"], problem["code"]) == (404, "artifact-missing")


@pytest.mark.parametrize("digest", ["x", "0" * 63, "0" * 65, "A" * 64, "..%2f..%2fetc%2fpasswd", ABSENT + "/", "%00"])
def test_malformed_digests_are_refused(site: Site, client: httpx.Client, digest: str) -> None:
    response = get(site, client, digest)
    assert (response.status_code, response.json()["code"]) == (400, "digest-malformed")


def test_exclusive_files_are_private_and_carry_their_statement(site: Site, client: httpx.Client) -> None:
    response = client.get("/exclusive/prefs.json")
    assert (response.status_code, response.content) == (200, site.exclusive.read_bytes())
    assert response.headers["cache-control"] == "private, no-store"
    assert (response.headers["etag"], response.headers["walle-variant"]) == ('"v1"', "signed")
    part = client.get("/exclusive/prefs.json", headers={"Range": "bytes=2-6", "If-Range": '"v1"'})
    assert (part.status_code, part.content, part.headers["walle-variant"]) == (206, b"theme", "signed")
    unmodified = client.get("/exclusive/prefs.json", headers={"If-None-Match": '"v1"'})
    assert (unmodified.status_code, unmodified.headers["walle-variant"]) == (304, "signed")
    assert client.get("/exclusive/none.json").status_code == 404


async def test_many_clients_read_different_ranges_at_once(site: Site) -> None:
    limits = httpx.Limits(max_connections=32)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{site.port}", limits=limits, timeout=60) as client:

        async def read(start: int) -> bool:
            headers = {"Range": f"bytes={start}-{start + CHUNK + 10}"}
            response = await client.get(site.url(site.digest), headers=headers)
            return response.content == CONTENT[start : start + CHUNK + 11]

        assert all(await asyncio.gather(*[read(start) for start in range(0, len(CONTENT), 3001)]))


# Connections that misbehave


@pytest.fixture(scope="module")
def huge(site: Site) -> str:
    block = os.urandom(1 << 20)
    return site.store.put(block for _ in range(HUGE >> 20)).digest


def start_download(site: Site, digest: str) -> socket.socket:
    """A connection that has asked for an artifact and has seen the beginning of the response, no more."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    connection.connect(("127.0.0.1", site.port))
    connection.sendall(f"GET {site.url(digest)} HTTP/1.1\r\nHost: walle\r\n\r\n".encode())
    assert connection.recv(12) == b"HTTP/1.1 200"
    return connection


def open_artifacts(site: Site) -> list[str]:
    """The artifacts that this process, which is also the server, has open."""
    links = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            links.append(str(descriptor.readlink()))
        except FileNotFoundError:
            continue
    return [link for link in links if link.startswith(str(site.store.root))]


def test_a_slow_client_holds_back_the_reading(site: Site, client: httpx.Client, huge: str) -> None:
    wait_for(lambda: not site.traffic.active)
    before = site.traffic.sent
    with closing(start_download(site, huge)):
        stalled = -1
        while stalled != site.traffic.sent:
            stalled = site.traffic.sent
            for _ in range(30):
                assert get(site, client, Range="bytes=0-0").content == CONTENT[:1]
            stalled += 30
        assert site.traffic.sent - before < HUGE // 2
        wait_for(lambda: site.traffic.active == 1, describe="only the stalled download to be left")
    wait_for(lambda: not site.traffic.active, describe="the end of the abandoned download")


def test_nothing_is_read_for_a_client_that_has_gone(site: Site, huge: str) -> None:
    wait_for(lambda: not site.traffic.active)
    before = site.traffic.sent
    connections = [start_download(site, huge) for _ in range(5)]
    assert open_artifacts(site)
    for connection in connections:
        connection.close()
    wait_for(lambda: not site.traffic.active, describe="the end of the abandoned downloads")
    assert site.traffic.sent - before < 5 * HUGE // 2
    assert open_artifacts(site) == []
    assert site.traffic.failures == []


def test_a_file_cut_short_while_it_is_sent_ends_the_connection(site: Site) -> None:
    digest = site.store.put(os.urandom(1 << 20) for _ in range(32)).digest
    with closing(start_download(site, digest)) as connection:
        path = site.store.path(digest)
        path.chmod(0o600)
        os.truncate(path, 1000)
        received = 0
        while chunk := connection.recv(1 << 20):
            received += len(chunk)
    assert received < 32 << 20
    wait_for(lambda: not site.traffic.active)
    assert isinstance(site.traffic.failures.pop(), ArtifactError)
    assert open_artifacts(site) == []


# What uvicorn does not offer: the rest of ASGI


async def call(application: Any, scope: dict[str, Any]) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"} if sent else {"type": "http.request"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await application(scope, receive, send)
    return sent


def scope_of(site: Site, *headers: tuple[bytes, bytes], method: str = "GET") -> dict[str, Any]:
    extensions = {"http.response.pathsend": {}}
    path = site.url(site.digest)
    return {"type": "http", "method": method, "path": path, "headers": list(headers), "extensions": extensions}


async def test_a_server_that_sends_files_gets_the_path(site: Site) -> None:
    start, body = await call(site.artifacts, scope_of(site))
    assert (start["status"], dict(start["headers"])[b"content-length"]) == (200, b"%d" % len(CONTENT))
    assert body == {"type": "http.response.pathsend", "path": str(site.store.path(site.digest))}


async def test_a_server_that_sends_files_gets_parts_as_bytes(site: Site) -> None:
    start, body = await call(site.artifacts, scope_of(site, (b"range", b"bytes=0-9")))
    assert (start["status"], body["body"]) == (206, CONTENT[:10])
    start, body = await call(site.artifacts, scope_of(site, method="HEAD"))
    assert (start["status"], body["body"]) == (200, b"")


async def test_other_protocols_are_refused(site: Site) -> None:
    with pytest.raises(ValueError, match="expected an HTTP request, got websocket"):
        await site.artifacts({"type": "websocket", "path": "/artifacts/x"}, None, None)
