"""A really running server for pushes: uvicorn on the product's ASGI application, the test database behind it."""

import base64
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
from django.conf import settings as django_settings

from tests.support.processes import Child, Children, child_environment, free_port
from tests.support.waiting import ANSWER_S, wait_for
from tests.tasks_app.working_copy import WorkingCopy
from walleweb.embedded.commands import WEB_DATABASE_POOL


class GitServer:
    """Where the server listens, what it keeps, what it logged."""

    def __init__(self, child: Child, port: int, data: Path) -> None:
        self.child, self.port, self.data = child, port, data

    def url(self, slug: str, secret: str = "") -> str:
        user = f"git:{secret}@" if secret else ""
        return f"http://{user}127.0.0.1:{self.port}/git/{slug}.git"

    def log(self) -> str:
        return self.child.output()

    def copy(self, folder: Path, slug: str, secret: str, *, clone: bool = False) -> WorkingCopy:
        return WorkingCopy(folder, remote=self.url(slug, secret), clone=clone)


@contextmanager
def running_server(data: Path, master_key: str, **settings: str) -> Iterator[GitServer]:
    """Start a server on its own data folder, with the pool of connections of `make run`; wait until it answers."""
    children, port = Children(logs=data / "logs"), free_port()
    own = {"WALLE_DATA_DIR": str(data), "WALLE_MASTER_KEY": master_key, "WALLE_DATABASE_POOL": WEB_DATABASE_POOL}
    environment = child_environment(**own | settings)
    protocol = ("--http", "walle.gateway.uvicorn_protocol:CheckInProtocol", "--no-proxy-headers")
    argv = ("-m", "uvicorn", "walleweb.asgi:application", "--port", str(port), "--log-level", "info", *protocol)
    child = children.start(sys.executable, *argv, env=environment, name="uvicorn")
    server = GitServer(child, port, data)
    try:
        wait_for(lambda: _answers(server), timeout=60, describe=server.log)
        yield server
    finally:
        children.stop_all()


@contextmanager
def shared_server(data: Path, blocker: Any) -> Iterator[GitServer]:
    """A server for the tests of a whole package, on a folder that goes with it; files may be of 1 MiB."""
    with blocker.unblock(), running_server(data, django_settings.WALLE_MASTER_KEY, WALLE_MAX_FILE_MB="1") as server:
        yield server
    shutil.rmtree(data, ignore_errors=True)


def _answers(server: GitServer) -> bool:
    if server.child.ended():
        raise AssertionError(server.log())
    try:
        return httpx.get(server.url("nothing"), timeout=ANSWER_S).status_code == 404
    except httpx.TransportError:
        return False


def basic(secret: str) -> dict[str, str]:
    """The header with which git sends a token."""
    return {"Authorization": "Basic " + base64.b64encode(f"git:{secret}".encode()).decode()}


def discover(server: GitServer, slug: str, service: str, secret: str | None = None) -> httpx.Response:
    """The first request of a fetch (git-upload-pack) or push (git-receive-pack)."""
    headers = basic(secret) if secret else {}
    return httpx.get(f"{server.url(slug)}/info/refs", params={"service": service}, headers=headers)


def git_processes(server: GitServer, word: str = "") -> list[psutil.Process]:
    """Processes of pushes that are going on, those whose command line has the word."""
    found = []
    for process in psutil.process_iter(["cmdline", "environ"]):
        environment, command = process.info["environ"] or {}, process.info["cmdline"] or []
        ours = environment.get("WALLE_DATA_DIR") == str(server.data) and "WALLE_PUSH_SCENARIO" in environment
        if ours and word in " ".join(command):
            found.append(process)
    return found
