"""The serving process as a process: what dies or hangs is replaced, what was begun is answered, plans are isolated."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.support.processes import free_port
from tests.support.waiting import ANSWER_S, wait_for
from tests.whitebox.serving.program import keep
from tests.whitebox.serving.simulator import ADDRESS, TOKEN, Site
from walle.whitebox.serving.heartbeat import Heartbeat
from walle.whitebox.serving.isolation import IsolationFile

pytestmark = pytest.mark.processes

ROOT = Path(__file__).parents[3]
PLAN = "f" * 64
OTHER = "/predict/v1/shop/reviews/other"


@dataclass
class Supervised:
    """A supervisor that runs, and a client of what it supervises."""

    process: subprocess.Popen[bytes]
    client: httpx.Client
    folder: Path

    def predict(self, text: str = "x" * 75, path: str = ADDRESS) -> httpx.Response:
        return self.client.post(path, json={"record": {"text": text}, "caller": "user-1"})

    @property
    def child(self) -> int:
        """The serving process, 0 as long as there is none."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return int(children[0]) if children else 0

    def answered(self, path: str = ADDRESS) -> httpx.Response:
        """The first answer that is a prediction."""

        def ask() -> httpx.Response | None:
            with contextlib.suppress(httpx.TransportError):
                answer = self.predict(path=path)
                return answer if answer.status_code == 200 else None
            return None

        return wait_for(ask, describe=self.log)  # type: ignore[return-value]

    def refuses_huge_heads(self) -> bool:
        """Whether a head of 100 KB is refused with words; a slow reader may find the connection closed instead."""
        with contextlib.suppress(httpx.TransportError):
            return self.client.get("/healthz", headers={"x-huge": "x" * 100_000}).status_code == 431
        return False

    def log(self) -> str:
        return f"a prediction; {(self.folder / 'log').read_text()[-2000:]}"


def release_two(folder: Path) -> None:
    """Have two pipelines in a folder that a serving process is to find."""
    site = Site(folder)
    for release, task in enumerate(("reviews/mood", "reviews/other"), 1):
        site.cloud.entries.append(site.version("1.0.0", task=task, bias=0.0, release=release))
    keep(site)


def supervise(folder: Path, address: str) -> subprocess.Popen[bytes]:
    """Start a lazy supervisor."""
    program = ("-m", "walle.whitebox.serving", "tests.whitebox.serving.program:load_light")
    options = ("--listen", address, "--folder", str(folder / "serving"), "--lazy")
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, *program, *options],
            cwd=ROOT,
            env={**os.environ, "WALLE_TEST_SITE": str(folder)},
            stdout=log,
            stderr=log,
        )


@pytest.fixture
def supervised(tmp_path: Path) -> Iterator[Supervised]:
    """A lazy supervisor of two pipelines, in which nothing is loaded yet."""
    release_two(tmp_path)
    path = tmp_path / "socket"
    process = supervise(tmp_path, str(path))
    transport = httpx.HTTPTransport(uds=str(path))
    headers = {"authorization": f"Bearer {TOKEN}"}
    with httpx.Client(transport=transport, base_url="http://serving", headers=headers, timeout=ANSWER_S) as client:
        try:
            wait_for(path.exists, describe="the socket")
            yield Supervised(process, client, tmp_path)
        finally:
            process.kill()
            process.wait()


def test_a_process_is_started_when_needed_and_replaced_when_it_dies_hangs_or_crashes(supervised: Supervised) -> None:
    assert supervised.child == 0, "nothing is loaded before somebody asks"
    assert supervised.answered().json()["prediction"]["label"] == "good"

    assert wait_for(supervised.refuses_huge_heads, describe=supervised.log)

    killed = supervised.child
    os.kill(killed, signal.SIGKILL)
    assert supervised.answered().json()["prediction"]["label"] == "good"
    assert supervised.child not in (0, killed)
    isolated = supervised.folder / "serving" / "isolated-socket.json"
    assert not isolated.exists(), "whoever kills it says nothing about plans"

    hanging = supervised.child
    with pytest.raises(httpx.TransportError):
        supervised.predict("loop")
    assert supervised.answered(OTHER).json()["prediction"]["label"] == "good", "other plans go on"
    assert supervised.child != hanging
    refused = supervised.predict()
    assert (refused.status_code, refused.headers["walle-error"]) == (503, "plan-isolated")
    assert "a plan " in refused.json()["detail"]

    with pytest.raises(httpx.TransportError):
        supervised.predict("crash", path=OTHER)
    wait_for(lambda: len(IsolationFile(supervised.folder / "serving" / "isolated-socket.json").read()) == 2)

    supervised.process.terminate()
    assert supervised.process.wait(ANSWER_S) == 0


def test_what_was_begun_is_answered_before_the_end(supervised: Supervised) -> None:
    supervised.answered()

    def slowly() -> Iterator[bytes]:
        yield b'{"record": {"text": "abc"}, '
        supervised.process.terminate()
        yield b'"caller": "user-1"}'

    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(lambda: supervised.client.post(ADDRESS, content=slowly())).result(ANSWER_S)
    assert answer.status_code == 200
    assert supervised.process.wait(ANSWER_S) == 0


@pytest.mark.parametrize("place", ["port", "path"])
def test_after_a_killed_supervisor_its_process_answers_until_the_next_one_serves(tmp_path: Path, place: str) -> None:
    release_two(tmp_path)
    address = f"127.0.0.1:{free_port()}" if place == "port" else str(tmp_path / "socket")
    transport = httpx.HTTPTransport(uds=address if place == "path" else None)
    headers = {"authorization": f"Bearer {TOKEN}"}
    url = f"http://{address}" if place == "port" else "http://serving"
    client = httpx.Client(transport=transport, base_url=url, headers=headers, timeout=ANSWER_S)
    found = Supervised(supervise(tmp_path, address), client, tmp_path)
    with client:
        try:
            found.answered()
            first = found.child

            def slowly() -> Iterator[bytes]:
                yield b'{"record": {"text": "abc"}, '
                found.process.kill()
                found.process.wait()
                yield b'"caller": "user-1"}'

            assert client.post(ADDRESS, content=slowly()).status_code == 200, "what was begun is answered"
            for _ in range(5):
                assert found.predict().status_code == 200, "and what comes afterwards"

            found.process = supervise(tmp_path, address)

            def has_ended() -> bool:
                with contextlib.suppress(httpx.RemoteProtocolError, httpx.ReadError):  # of a connection that was kept
                    assert found.predict().status_code == 200, "there is no moment without an answer"
                return not is_alive(first)

            wait_for(has_ended, describe=found.log)
            assert found.predict().json()["prediction"]["label"] == "good"
            assert found.child not in (0, first)
            found.process.terminate()
            assert found.process.wait(ANSWER_S) == 0
            assert not list((tmp_path / "serving").glob("*handover*"))
        finally:
            found.process.kill()
            found.process.wait()


def test_a_process_that_stands_still_is_ended_without_a_supervisor_too() -> None:
    child = os.fork()
    if child == 0:
        Heartbeat().end_without(0.01)
        while True:
            pass
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGALRM


def is_alive(process: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet does not."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_heartbeat_is_shared_with_a_fork() -> None:
    heartbeat = Heartbeat()
    child = os.fork()
    if child == 0:
        heartbeat.begin(PLAN.encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert heartbeat.read().plan == PLAN
