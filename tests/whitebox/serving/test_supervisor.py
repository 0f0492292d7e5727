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

from tests.support.waiting import wait_for
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


@pytest.fixture
def supervised(tmp_path: Path) -> Iterator[Supervised]:
    """A lazy supervisor of two pipelines, in which nothing is loaded yet."""
    site = Site(tmp_path)
    for release, task in enumerate(("reviews/mood", "reviews/other"), 1):
        site.cloud.entries.append(site.version("1.0.0", task=task, bias=0.0, release=release))
    keep(site)
    path = tmp_path / "socket"
    program = ("-m", "walle.whitebox.serving", "tests.whitebox.serving.program:load_light")
    options = ("--listen", str(path), "--folder", str(tmp_path / "serving"), "--lazy")
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *program, *options],
            cwd=ROOT,
            env={**os.environ, "WALLE_TEST_SITE": str(tmp_path)},
            stdout=log,
            stderr=log,
        )
    transport = httpx.HTTPTransport(uds=str(path))
    headers = {"authorization": f"Bearer {TOKEN}"}
    with httpx.Client(transport=transport, base_url="http://serving", headers=headers, timeout=30) as client:
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
    assert supervised.process.wait(30) == 0


def test_what_was_begun_is_answered_before_the_end(supervised: Supervised) -> None:
    supervised.answered()

    def slowly() -> Iterator[bytes]:
        yield b'{"record": {"text": "abc"}, '
        supervised.process.terminate()
        yield b'"caller": "user-1"}'

    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(lambda: supervised.client.post(ADDRESS, content=slowly())).result(30)
    assert answer.status_code == 200
    assert supervised.process.wait(30) == 0


def test_a_heartbeat_is_shared_with_a_fork() -> None:
    heartbeat = Heartbeat()
    child = os.fork()
    if child == 0:
        heartbeat.begin(PLAN.encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert heartbeat.read().plan == PLAN
