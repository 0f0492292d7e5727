"""Files go out by sendfile: the connection stays an ordinary HTTP connection, and nobody waits for anybody."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.artifacts.serving import Traffic, serving
from tests.support.waiting import ANSWER_S, wait_for
from walle.artifacts import LocalStore
from walle.artifacts.http import CHUNK, ZERO_COPY, ArtifactApplication
from walle.artifacts.sending import PORTION, FileSender
from walle.gateway.uvicorn_sending import FileSendingProtocol

pytestmark = pytest.mark.slow

CONTENT = os.urandom(3 * PORTION + 777)
HUGE = 64 << 20


class Site:
    """An artifact application, and which ways its server offered to send files."""

    def __init__(self, root: Path) -> None:
        self.store = LocalStore(root)
        self.digest = self.store.put(CONTENT).digest
        self.artifacts = ArtifactApplication(self.store)
        self.traffic = Traffic(self.application)
        self.offered: list[bool] = []
        self.port = 0

    async def application(self, scope: Any, receive: Any, send: Any) -> None:
        self.offered.append(ZERO_COPY in (scope.get("extensions") or {}))
        if scope["path"] == "/large":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"3000000")]})
            await send({"type": "http.response.body", "body": b"L" * 3_000_000})
        elif scope["path"].startswith("/wrong"):
            await self.wrong(scope["path"], send)
        else:
            await self.artifacts(scope, receive, send)

    async def wrong(self, path: str, send: Any) -> None:
        """An application that asks for what cannot be."""
        with self.store.open(self.digest) as file:
            message = {"type": ZERO_COPY, "file": file, "offset": 0, "count": 11}
            if path != "/wrong/early":
                length = [(b"content-length", b"10")] if path == "/wrong/long" else []
                await send({"type": "http.response.start", "status": 200, "headers": length})
            await send(message)

    def request(self, *, path: str = "", version: str = "1.1", digest: str = "", headers: str = "") -> bytes:
        target = path or f"/artifacts/{digest or self.digest}"
        return f"GET {target} HTTP/{version}\r\nHost: walle\r\n{headers}\r\n".encode()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=ANSWER_S)

    def stalled(self, digest: str) -> socket.socket:
        """A connection that has asked for an artifact and takes almost nothing of it."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
        connection.connect(("127.0.0.1", self.port))
        connection.sendall(self.request(digest=digest))
        assert connection.recv(12) == b"HTTP/1.1 200"
        return connection


@pytest.fixture(scope="module", params=["uvloop", "asyncio"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    found = Site(tmp_path_factory.mktemp("store"))
    with serving(found.traffic, FileSendingProtocol, loop=request.param) as found.port:
        yield found


@pytest.fixture(scope="module")
def huge(site: Site) -> str:
    return site.store.put(os.urandom(1 << 20) for _ in range(HUGE >> 20)).digest


def read_answer(connection: socket.socket) -> tuple[bytes, bytes]:
    """Head and body of the next answer on a connection."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(1 << 16)
    head, _, body = received.partition(b"\r\n\r\n")
    size = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index]
    while len(body) < size:
        body += connection.recv(1 << 20)
    return head, body


def test_a_connection_is_used_again_and_again(site: Site) -> None:
    with closing(site.connect()) as connection:
        for _ in range(3):
            connection.sendall(site.request())
            assert read_answer(connection)[1] == CONTENT
            connection.sendall(site.request(headers=f"Range: bytes=5-{CHUNK + 99}\r\n"))
            assert read_answer(connection)[1] == CONTENT[5 : CHUNK + 100]
    assert all(site.offered)


def test_requests_in_a_pipeline_are_answered_in_their_order(site: Site) -> None:
    """Behind an answer that fills the transport's buffer because the client reads late, too."""
    large, part = site.request(path="/large"), site.request(headers="Range: bytes=0-9\r\n")
    with closing(site.connect()) as connection:
        connection.sendall(large + site.request() + part + large + site.request())
        wait_for(lambda: site.traffic.active)
        bodies = [read_answer_exactly(connection) for _ in range(5)]
    assert bodies == [b"L" * 3_000_000, CONTENT, CONTENT[:10], b"L" * 3_000_000, CONTENT]


def read_answer_exactly(connection: socket.socket) -> bytes:
    """The body of the next answer, taking no byte of the one behind it."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(1)
    left = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index]
    body = bytearray()
    while len(body) < left:
        body += connection.recv(left - len(body))
    return bytes(body)


@pytest.mark.parametrize(("version", "headers"), [("1.0", ""), ("1.1", "Connection: close\r\n")])
def test_a_connection_that_is_not_kept_ends_after_the_file(site: Site, version: str, headers: str) -> None:
    with closing(site.connect()) as connection:
        connection.sendall(site.request(version=version, headers=headers))
        assert read_answer(connection)[1] == CONTENT
        assert connection.recv(1) == b""


def test_slow_readers_keep_nobody_waiting(site: Site, huge: str) -> None:
    before = threading.active_count()
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(closing(site.stalled(huge)))
        for _ in range(3):
            answer = httpx.get(f"http://127.0.0.1:{site.port}/artifacts/{site.digest}", timeout=ANSWER_S)
            assert answer.content == CONTENT
        wait_for(lambda: site.traffic.active == 100, describe="the stalled downloads alone to be left")
        assert threading.active_count() <= before + 4
    wait_for(lambda: not site.traffic.active, describe="the end of the abandoned downloads")
    assert site.traffic.failures == []


def test_a_slow_reader_gets_everything_in_the_end(site: Site, huge: str) -> None:
    with closing(site.stalled(huge)) as connection:
        digest, received = sha256(), b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(1 << 10)
        body = received.partition(b"\r\n\r\n")[2]
        taken = len(body)
        digest.update(body)
        while taken < HUGE:
            body = connection.recv(1 << 16)
            taken += len(body)
            digest.update(body)
    assert digest.hexdigest() == huge


@pytest.mark.parametrize("path", ["/wrong/early", "/wrong/long", "/wrong/chunked"])
def test_an_application_that_breaks_the_rules_is_told(site: Site, path: str) -> None:
    with closing(site.connect()) as connection:
        connection.sendall(site.request(path=path))
        answer = connection.recv(1 << 16)
    assert CONTENT[:11] not in answer
    wait_for(lambda: site.traffic.failures)
    assert isinstance(site.traffic.failures.pop(), RuntimeError)


def test_a_server_that_stops_lets_a_download_end(tmp_path: Path) -> None:
    site = Site(tmp_path)
    digest = site.store.put(os.urandom(1 << 20) for _ in range(HUGE >> 20)).digest
    received = []

    def finish(connection: socket.socket) -> None:
        while chunk := connection.recv(1 << 20):
            received.append(len(chunk))

    with Stoppable(site.traffic) as server:
        site.port = server.port
        with closing(site.stalled(digest)) as connection:
            server.stop()
            thread = threading.Thread(target=finish, args=(connection,))
            thread.start()
            thread.join(ANSWER_S)
    assert sum(received) > HUGE


def test_a_download_that_outlasts_a_servers_patience_is_cut(tmp_path: Path) -> None:
    site = Site(tmp_path)
    digest = site.store.put(os.urandom(1 << 20) for _ in range(HUGE >> 20)).digest
    with Stoppable(site.traffic, timeout_graceful_shutdown=1) as server:
        site.port = server.port
        with closing(site.stalled(digest)) as connection:
            server.stop()
            while connection.recv(1 << 20):
                server.wait()  # by then it has given up on this client
    assert isinstance(site.traffic.failures.pop(), asyncio.CancelledError)


class Stoppable:
    """A server that stops as it does upon SIGTERM: gracefully."""

    def __init__(self, application: Any, **settings: Any) -> None:
        import uvicorn

        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        usual = {"loop": "uvloop", "http": FileSendingProtocol, "lifespan": "off", "log_level": "critical"}
        self._server = uvicorn.Server(uvicorn.Config(application, **(usual | settings)))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._listener]})

    def __enter__(self) -> Stoppable:
        self._thread.start()
        wait_for(lambda: self._server.started)
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()
        self.wait()
        self._listener.close()

    def stop(self) -> None:
        self._server.should_exit = True

    def wait(self) -> None:
        self._thread.join(ANSWER_S)
        assert not self._thread.is_alive()


def test_encrypted_connections_get_the_file_as_well(tmp_path: Path) -> None:
    key, certificate = write_certificate(tmp_path)
    site = Site(tmp_path / "store")
    with serving(site.traffic, FileSendingProtocol, ssl_keyfile=key, ssl_certfile=certificate) as site.port:
        context = ssl.create_default_context(cafile=certificate)
        answer = httpx.get(f"https://127.0.0.1:{site.port}/artifacts/{site.digest}", verify=context, timeout=ANSWER_S)
    assert answer.content == CONTENT
    assert site.offered == [False]


def write_certificate(folder: Path) -> tuple[str, str]:
    """The paths of a fresh key and of a certificate for 127.0.0.1 that it signed itself."""
    from ipaddress import ip_address

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "walle")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    pem, private = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (folder / "key.pem").write_bytes(key.private_bytes(pem, private, serialization.NoEncryption()))
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(pem))
    return str(folder / "key.pem"), str(folder / "certificate.pem")


async def test_no_descriptor_is_left_behind(tmp_path: Path) -> None:
    """Whether a transfer ends, breaks off, or is given up by its task."""
    content = tmp_path / "content"
    content.write_bytes(os.urandom(8 << 20))
    counts = []
    sender = FileSender()
    with content.open("rb") as file:
        for end in ("whole", "broken", "given up"):
            here, there = socket.socketpair()
            here.setblocking(False)
            there.setblocking(False)
            task = asyncio.create_task(send_all(sender, here, file))
            await asyncio.sleep(0)
            taken = 0
            while taken < (8 << 20 if end == "whole" else 1000):
                taken += len(await asyncio.get_running_loop().sock_recv(there, 1 << 20))
            if end == "given up":
                task.cancel()
            here.close()
            there.close()
            with ExitStack() as stack:
                if end != "whole":
                    stack.enter_context(pytest.raises((ConnectionError, asyncio.CancelledError)))
                await task
            counts.append(len(os.listdir("/proc/self/fd")))
    assert len(set(counts)) == 1


async def send_all(sender: FileSender, connection: socket.socket, file: BinaryIO) -> None:
    await sender.start(connection.fileno(), file.fileno(), range(8 << 20)).finished()
