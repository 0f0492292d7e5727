"""Downloads against a real HTTP server that is made to misbehave."""

import asyncio
import contextlib
import hashlib
import socket
import threading
from collections.abc import Callable

import httpx
import pytest
import pytest_asyncio

from tests.support.waiting import ANSWER_S
from walle.device.errors import DigestMismatch, Missing, ServerRefused, TooLarge, Unreachable
from walle.device.storage.disk import Disk
from walle.device.storage.files import Files
from walle.device.updates.downloader import Downloader, DownloadTarget

DATA = bytes(range(256)) * 400
CONTENT = DownloadTarget(hashlib.sha256(DATA).hexdigest(), len(DATA))
ETAG = f'"{CONTENT.digest}"'
Handler = Callable[[int, str], bytes]


class RawServer:
    """Answers each connection with the bytes that `handler(number, request head)` gives, then closes it."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.heads: list[str] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/file"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                with connection:
                    head = b""
                    while b"\r\n\r\n" not in head:
                        head += connection.recv(65536)
                    self.heads.append(head.decode().lower())
                    connection.sendall(self.handler(len(self.heads), self.heads[-1]))

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(timeout=ANSWER_S)


def response(status: int, body: bytes, **headers: str) -> bytes:
    lines = {"content-length": str(len(body)), **{name.replace("_", "-"): value for name, value in headers.items()}}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body


def complete(etag: str = ETAG) -> bytes:
    return response(200, DATA, etag=etag)


def broken_off(after: int, etag: str = ETAG) -> bytes:
    return response(200, DATA, etag=etag)[: after - len(DATA)] if after < len(DATA) else complete(etag)


def rest(head: str) -> bytes:
    """The rest that a Range asks for."""
    start = int(head.split("range: bytes=")[1].split("-", maxsplit=1)[0])
    return response(206, DATA[start:], etag=ETAG, content_range=f"bytes {start}-{len(DATA) - 1}/{len(DATA)}")


@pytest.fixture
def serve():
    servers = []

    def start(handler: Handler) -> RawServer:
        servers.append(RawServer(handler))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


class Naps(list[float]):
    """Sleeps that take no time and are remembered."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path / "files", tmp_path / "partial", Disk(sync=False))


@pytest.fixture
def naps():
    return Naps()


@pytest_asyncio.fixture
async def downloader(files, naps):
    async with httpx.AsyncClient(timeout=ANSWER_S) as client:
        yield Downloader(client, files, randomness=lambda: 0.5, attempts=3, sleep=naps)


async def test_a_file_is_complete_verified_and_read_only(serve, downloader):
    path = await downloader.fetch(serve(lambda *_: complete()).url, CONTENT)
    assert path.read_bytes() == DATA
    assert path.stat().st_mode & 0o777 == 0o444


async def test_a_file_that_is_here_is_not_asked_for(serve, downloader):
    server = serve(lambda *_: complete())
    await downloader.fetch(server.url, CONTENT)
    await downloader.fetch(server.url, CONTENT)
    assert len(server.heads) == 1


async def test_a_broken_transfer_goes_on_where_it_broke_off(serve, downloader, files):
    server = serve(lambda number, head: broken_off(70_000) if number == 1 else rest(head))
    path = await downloader.fetch(server.url, CONTENT)
    assert path.read_bytes() == DATA
    assert "range: bytes=" in server.heads[1]
    assert f"if-range: {ETAG}" in server.heads[1]
    assert not files.partial(CONTENT.digest).etag_path.exists()


async def test_headway_allows_more_attempts_than_failing_does(serve, downloader):
    def a_little_more(number: int, head: str) -> bytes:
        if number == 1:
            return broken_off(10_000)
        start = int(head.split("range: bytes=")[1].split("-", maxsplit=1)[0])
        return rest(head)[: start + 10_000 - len(DATA)] if start + 10_000 < len(DATA) else rest(head)

    server = serve(a_little_more)
    assert (await downloader.fetch(server.url, CONTENT)).read_bytes() == DATA
    assert len(server.heads) > 5


async def test_attempts_that_bring_nothing_are_bounded_and_spaced(serve, downloader, naps):
    server = serve(lambda *_: response(503, b""))
    with pytest.raises(Unreachable, match="503"):
        await downloader.fetch(server.url, CONTENT)
    assert (len(server.heads), naps) == (3, [0.25, 0.5])


async def test_the_servers_wish_to_be_left_alone_is_heard(serve, downloader, naps):
    server = serve(lambda number, _: response(503, b"", retry_after="7") if number == 1 else complete())
    await downloader.fetch(server.url, CONTENT)
    assert naps == [7.0]


async def test_a_download_resumes_in_another_process(serve, downloader, files, tmp_path):
    server = serve(lambda number, head: broken_off(50_000) if number == 1 else response(500, b""))
    with pytest.raises(Unreachable):
        await downloader.fetch(server.url, CONTENT)
    offset = files.partial(CONTENT.digest).offset
    assert 0 < offset <= 50_000
    server.handler = lambda _, head: rest(head)
    async with httpx.AsyncClient(timeout=ANSWER_S) as client:
        files = Files(tmp_path / "files", tmp_path / "partial", Disk(sync=False))
        again = Downloader(client, files, randomness=lambda: 0)
        assert (await again.fetch(server.url, CONTENT)).read_bytes() == DATA
    assert f"range: bytes={offset}-" in server.heads[-1]


async def test_a_server_without_ranges_sends_the_whole_again(serve, downloader):
    server = serve(lambda number, _: broken_off(50_000) if number == 1 else complete())
    assert (await downloader.fetch(server.url, CONTENT)).read_bytes() == DATA


@pytest.mark.parametrize("etag", ['W/"weak"', "none"])
async def test_without_a_strong_etag_nothing_is_resumed(serve, downloader, etag):
    headers = {} if etag == "none" else {"etag": etag}
    server = serve(lambda number, _: response(200, DATA, **headers)[: -40_000 if number == 1 else None])
    assert (await downloader.fetch(server.url, CONTENT)).read_bytes() == DATA
    assert not any("range:" in head for head in server.heads)


@pytest.mark.parametrize("answer", [416, "other part", "no part named"])
async def test_a_part_that_was_not_asked_for_is_thrown_away(serve, downloader, answer):
    parts = {
        416: response(416, b""),
        "other part": response(206, DATA[10:], content_range=f"bytes 10-{len(DATA) - 1}/{len(DATA)}"),
        "no part named": response(206, DATA[10:]),
    }
    server = serve(lambda number, _: {1: broken_off(50_000), 2: parts[answer]}.get(number, complete()))
    assert (await downloader.fetch(server.url, CONTENT)).read_bytes() == DATA


async def test_a_content_that_changed_under_the_same_address_is_not_mixed(serve, downloader):
    """If-Range fails, so the server sends the new whole; it starts over instead of being appended."""
    server = serve(lambda number, _: broken_off(50_000, '"old"') if number == 1 else complete('"new"'))
    assert (await downloader.fetch(server.url, CONTENT)).read_bytes() == DATA


async def test_a_wrong_content_is_thrown_away_and_named(serve, downloader, files):
    wrong = DATA[:-1] + b"!"
    server = serve(lambda *_: response(200, wrong, etag=ETAG))
    with pytest.raises(DigestMismatch, match=hashlib.sha256(wrong).hexdigest()):
        await downloader.fetch(server.url, CONTENT)
    assert not files.partial(CONTENT.digest).path.exists()
    assert not files.path(CONTENT.digest).exists()
    assert len(server.heads) == 1, "the same content would come again"


@pytest.mark.parametrize("length", [True, False])
async def test_more_than_was_declared_is_cut_off(serve, downloader, files, length):
    more = response(200, DATA + b"more") if length else b"HTTP/1.1 200 X\r\n\r\n" + DATA + b"m" * 10_000_000
    server = serve(lambda *_: more)
    with pytest.raises(TooLarge, match=str(len(DATA))):
        await downloader.fetch(server.url, CONTENT)
    assert not files.partial(CONTENT.digest).path.exists()


async def test_a_partial_file_longer_than_the_content_starts_over(serve, downloader, files):
    partial = files.partial(CONTENT.digest)
    partial.restart(ETAG)
    partial.path.write_bytes(DATA + b"more")
    server = serve(lambda *_: complete())
    assert (await downloader.fetch(server.url, CONTENT)).read_bytes() == DATA
    assert "range:" not in server.heads[0]


async def test_a_complete_partial_file_needs_no_request(downloader, files):
    partial = files.partial(CONTENT.digest)
    partial.restart(ETAG)
    partial.path.write_bytes(DATA)
    assert (await downloader.fetch("http://127.0.0.1:9/none", CONTENT)).read_bytes() == DATA


async def test_a_damaged_partial_file_is_found_out(serve, downloader, files):
    partial = files.partial(CONTENT.digest)
    partial.restart(ETAG)
    partial.path.write_bytes(b"\0" * 1000)
    server = serve(lambda _, head: rest(head) if "range:" in head else complete())
    with pytest.raises(DigestMismatch):
        await downloader.fetch(server.url, CONTENT)
    assert (await downloader.fetch(server.url, CONTENT)).read_bytes() == DATA


@pytest.mark.parametrize(
    ("status", "error"), [(404, Missing), (410, Missing), (403, ServerRefused), (302, ServerRefused)]
)
async def test_an_answer_that_will_not_change_is_not_asked_for_again(serve, downloader, status, error):
    server = serve(lambda *_: response(status, b""))
    with pytest.raises(error):
        await downloader.fetch(server.url, CONTENT)
    assert len(server.heads) == 1


async def test_an_encoded_answer_is_refused(serve, downloader):
    server = serve(lambda *_: response(200, DATA, content_encoding="gzip"))
    with pytest.raises(ServerRefused, match="identity"):
        await downloader.fetch(server.url, CONTENT)
    assert "accept-encoding: identity" in server.heads[0]


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/none", "nonsense", "ftp://x/y", "http://[bad"])
async def test_an_address_where_nobody_is(downloader, url):
    with pytest.raises(Unreachable):
        await downloader.fetch(url, CONTENT)


async def test_a_content_shorter_than_declared_does_not_go_round_for_ever(serve, downloader):
    def shorter(number: int, head: str) -> bytes:
        return response(416, b"") if "range:" in head else response(200, DATA[:1000], etag=ETAG)

    server = serve(shorter)
    with pytest.raises(Unreachable):
        await downloader.fetch(server.url, CONTENT)
    assert len(server.heads) <= 4


async def test_an_empty_file(serve, downloader):
    empty = DownloadTarget(hashlib.sha256(b"").hexdigest(), 0)
    server = serve(lambda *_: response(200, b"", etag='"e"'))
    assert (await downloader.fetch(server.url, empty)).read_bytes() == b""


# -- files announced by the head of their answer


async def test_an_announced_file_takes_one_request(serve, downloader):
    server = serve(lambda *_: complete())
    content, path = await downloader.fetch_announced(server.url, lambda response: CONTENT)
    assert (content, path.read_bytes(), len(server.heads)) == (CONTENT, DATA, 1)


async def test_an_announced_file_resumes(serve, downloader):
    server = serve(lambda number, head: rest(head) if "range:" in head else broken_off(50_000))
    _, path = await downloader.fetch_announced(server.url, lambda response: CONTENT)
    assert path.read_bytes() == DATA
    assert f"if-range: {ETAG}" in server.heads[-1]


async def test_an_announcement_may_refuse(serve, downloader, files):
    def refuse(response: httpx.Response) -> DownloadTarget:
        raise TooLarge("no")

    with pytest.raises(TooLarge):
        await downloader.fetch_announced(serve(lambda *_: complete()).url, refuse)
    assert list((files._partial).iterdir()) == []
