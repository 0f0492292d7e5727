"""The location for nginx in docs/guides/artifacts.md serves a store's folder as a gateway does."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.waiting import ANSWER_S, wait_for
from walle.artifacts import LocalStore

pytestmark = pytest.mark.processes

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "artifacts.md"
CONTENT = os.urandom(100_000)
CONFIGURATION = """
daemon off; pid nginx.pid; error_log error.log; {user}
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {{ listen 127.0.0.1:{port}; {location} }}
}}
"""


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "artifacts")


@pytest.fixture
def address(tmp_path: Path, store: LocalStore) -> Iterator[str]:
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("no nginx here: apt-get install -y nginx-light")
    found = re.search(r"```nginx\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert found
    location = found[1].replace("/srv/walle/artifacts", str(store.root))
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    user = "user root;" if os.geteuid() == 0 else ""
    (tmp_path / "nginx.conf").write_text(CONFIGURATION.format(port=port, location=location, user=user))
    process = subprocess.Popen([program, "-p", tmp_path, "-c", tmp_path / "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, describe="nginx to listen")
        yield f"http://127.0.0.1:{port}/walle/v1/artifacts/"
    finally:
        process.terminate()
        process.wait(ANSWER_S)


def test_nginx_serves_the_folder(store: LocalStore, address: str) -> None:
    digest = store.put(CONTENT).digest
    whole = httpx.get(address + digest, timeout=ANSWER_S)
    assert (whole.status_code, whole.content) == (200, CONTENT)
    assert whole.headers["etag"] == f'"{digest}"'
    assert whole.headers["cache-control"] == "public, max-age=31536000, immutable"
    resumed = httpx.get(
        address + digest, headers={"Range": "bytes=70000-", "If-Range": f'"{digest}"'}, timeout=ANSWER_S
    )
    assert (resumed.status_code, resumed.content) == (206, CONTENT[70_000:])
    other = httpx.get(address + digest, headers={"Range": "bytes=70000-", "If-Range": '"other"'}, timeout=ANSWER_S)
    assert (other.status_code, other.content) == (200, CONTENT)


@pytest.mark.parametrize("name", ["0" * 64, "../nginx.conf", "incoming/x", "0" * 63])
def test_nginx_serves_nothing_else(address: str, name: str) -> None:
    assert httpx.get(address + name, timeout=ANSWER_S).status_code == 404
