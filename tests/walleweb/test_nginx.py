"""The shipped nginx configuration before two real servers: all that Walle answers, over HTTPS and through a failure."""

import hashlib
import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.utils import timezone
from websockets.exceptions import InvalidStatus

from accounts_app.actors import SYSTEM
from benchmarks.support.shipped_nginx import write_configuration
from devices_app.models import AppKey, PublishedTable
from devices_app.services.apps import create_app, create_secret_key
from devices_app.services.keys import ensure_keys
from tasks_app.models import TaskVersion
from tasks_app.services.content import artifact_store
from tasks_app.services.scenarios import create_scenario
from tests.support.nginx import PROGRAM, trusting
from tests.support.people import make_member, make_user, token_of
from tests.support.processes import Children, child_environment, free_port, run
from tests.support.tls_websocket import TlsWebSocket
from tests.support.waiting import ANSWER_S, wait_for
from tests.tasks_app.working_copy import GOOD, WorkingCopy
from walle.protocol.tunnel_frames import (
    RAW,
    SUBPROTOCOL,
    DeviceFrame,
    Feature,
    Hello,
    OpenStream,
    StreamOpened,
    read_frame,
    write_frame,
)

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(PROGRAM is None, reason="nginx is not installed: apt-get install -y nginx-light"),
]
WAIT_S = 30.0
PASSWORD = "a password for a test alone"
CONTENT = b"weights " * 100_000


@pytest.fixture
def site(children: Children, tmp_path: Path, settings) -> Iterator[SimpleNamespace]:
    """nginx before two servers, each of them gateway and web server."""
    tmp_path.chmod(0o755)
    https, http, servers = free_port(), free_port(), (free_port(), free_port())
    ensure_keys(now=timezone.now())
    settings.WALLE_PUBLIC_URL = f"https://localhost:{https}"
    settings.WALLE_ARTIFACTS_DIR, settings.WALLE_GIT_DIR = tmp_path / "data/artifacts", tmp_path / "data/git"
    app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=timezone.now())
    _, key = create_secret_key(app=app, kind=AppKey.Kind.ENROL, label="test", actor=SYSTEM)
    create_scenario(actor=SYSTEM, slug="camera")
    environment = child_environment(
        WALLE_DATA_DIR=str(tmp_path / "data"),
        WALLE_MASTER_KEY=settings.WALLE_MASTER_KEY,
        WALLE_HTTPS="on",
        WALLE_PUBLIC_URL=settings.WALLE_PUBLIC_URL,
        WALLE_TRUSTED_ORIGINS=settings.WALLE_PUBLIC_URL,
        WALLE_TRUSTED_PROXIES="127.0.0.1",
        WALLE_DATABASE_POOL="12",
    )
    argv = ("-m", "uvicorn", "walleweb.asgi:application", "--loop", "uvloop", "--lifespan", "on", "--port")
    protocol = ("--http", "walle.gateway.uvicorn_protocol:CheckInProtocol", "--no-proxy-headers")
    protocol += ("--ws", "walle.gateway.uvicorn_tunnels:TunnelProtocol", "--ws-per-message-deflate", "false")
    running = [children.python(*argv, str(port), *protocol, env=environment, name=f"web-{port}") for port in servers]
    for child, port in zip(running, servers, strict=True):
        wait_for(lambda port=port: _listens(port), timeout=60, describe=child.output)
    configuration = write_configuration(tmp_path, https=https, http=http, servers=servers)
    nginx = children.start(PROGRAM, "-c", str(configuration), "-p", str(tmp_path), name="nginx")
    wait_for(lambda: _listens(https), describe=nginx.output)
    with httpx.Client(base_url=f"https://localhost:{https}", verify=trusting(tmp_path), timeout=ANSWER_S) as client:
        yield SimpleNamespace(
            client=client, http=http, https=https, servers=running, nginx=nginx, key=key, folder=tmp_path
        )


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_all_of_walle_through_nginx(site: SimpleNamespace) -> None:
    """One test, because every start of the servers takes seconds."""
    device = _enrols_and_checks_in(site)
    _uploads(site, device)
    _pulls(site)
    _signs_in(site)
    _knows_who_asks(site)
    _pushes(site)
    _passes_predictions_on(site)
    _serves_static_files_of_any_version(site)
    _answers_only_what_is_for_everybody(site)
    _goes_on_with_one_server(site, device)


def _enrols_and_checks_in(site: SimpleNamespace) -> dict[str, str]:
    enrolled = site.client.post("/walle/v1/enrol", json={"app": "shop", "key": site.key})
    assert enrolled.status_code == 200, enrolled.text
    said = enrolled.json()
    device = {
        "walle-device": f'"{said["device"]}";c="{said["credential"]}";n=0',
        # About as large as a header may be.
        "walle-app": f'"shop";v="1.0.0";os="android";about="{"x" * 7900}"',
        "walle-profile": ", ".join(f"camera/{'t' * 30}{n};d=:AAECAwQFBgcICQoL:" for n in range(60)),
    }
    answered = site.client.post("/walle/v1/checkin", headers=device)
    assert answered.status_code == 204, answered.text
    assert int(answered.headers["walle-retry-after"]) >= 1
    assert len(answered.headers["x-request-id"]) == 32
    assert site.client.get("/walle/v1/roots/1.json").json()["signed"]["version"] == 1
    return device


def _uploads(site: SimpleNamespace, device: dict[str, str]) -> None:
    spool = b"a spool!"
    with pytest.raises(InvalidStatus) as refused:
        _open_tunnel(site, {})
    assert refused.value.response.status_code == 400
    with _open_tunnel(site, device) as tunnel:
        assert _answer(tunnel, Hello(spool, 1)).acknowledged == 0
        tunnel.send(write_frame(OpenStream(1, f"camera/{'t' * 30}1", bytes(range(12)), b"")))
        assert isinstance(read_frame(tunnel.recv()), StreamOpened)
        assert _answer(tunnel, Feature(1, 1, 1, 1, RAW, b'{"seen": 7}', 0)).sequence == 1
    # The other server, in its turn.
    for _ in site.servers:
        with _open_tunnel(site, device) as tunnel:
            assert _answer(tunnel, Hello(spool, 2)).acknowledged == 1


def _open_tunnel(site: SimpleNamespace, headers: dict[str, str]) -> TlsWebSocket:
    plain = socket.create_connection(("127.0.0.1", site.https), WAIT_S)
    tls = trusting(site.folder).wrap_socket(plain, server_hostname="localhost")
    address = f"ws://localhost:{site.https}/walle/v1/tunnel"
    return TlsWebSocket(tls, address, headers=headers, subprotocols=[SUBPROTOCOL])


def _answer(tunnel: TlsWebSocket, frame: DeviceFrame) -> Any:
    tunnel.send(write_frame(frame))
    return read_frame(tunnel.recv())


def _pulls(site: SimpleNamespace) -> None:
    digest = artifact_store().put(CONTENT).digest
    address = f"/walle/v1/artifacts/{digest}"
    whole = site.client.get(address)
    assert hashlib.sha256(whole.content).hexdigest() == digest
    assert whole.headers["etag"] == f'"{digest}"'
    rest = {"range": "bytes=700000-", "if-range": whole.headers["etag"]}
    part = site.client.get(address, headers=rest)
    assert (part.status_code, part.content) == (206, CONTENT[700_000:])
    assert part.headers["content-range"] == f"bytes 700000-{len(CONTENT) - 1}/{len(CONTENT)}"
    changed = site.client.get(address, headers={**rest, "if-range": '"another"'})
    assert (changed.status_code, len(changed.content)) == (200, len(CONTENT))
    assert site.client.get(f"/walle/v1/artifacts/{'0' * 64}").status_code == 404
    # From now on without a gateway: the file lies in the cache.
    artifact_store().delete(digest)
    assert site.client.get(address, headers=rest).content == CONTENT[700_000:]


def _signs_in(site: SimpleNamespace) -> None:
    plain = httpx.get(f"http://localhost:{site.http}/admin/login/?next=/x")
    assert (plain.status_code, plain.headers["location"]) == (308, "https://localhost/admin/login/?next=/x")
    user = make_user("root", superuser=True)
    # As the servers hash it, which are not in a hurry.
    user.password = PBKDF2PasswordHasher().encode(PASSWORD, "salt", iterations=1)
    user.save()
    page = site.client.get("/admin/login/")
    assert page.status_code == 200
    assert page.headers.get_list("strict-transport-security") == ["max-age=31536000"]
    token = site.client.cookies["csrftoken"]
    form = {"username": "root", "password": PASSWORD, "next": "/admin/", "csrfmiddlewaretoken": token}
    signed_in = site.client.post("/admin/login/", data=form, headers={"referer": str(page.url)})
    assert signed_in.status_code == 302, signed_in.text
    assert signed_in.headers["location"] == "/admin/"
    assert "Secure" in next(value for value in signed_in.headers.get_list("set-cookie") if "sessionid" in value)
    assert site.client.get("/admin/").status_code == 200


def _knows_who_asks(site: SimpleNamespace) -> None:
    transport = httpx.HTTPTransport(local_address="127.0.0.77", verify=trusting(site.folder))
    with httpx.Client(base_url=site.client.base_url, transport=transport) as client:
        client.get("/api/v1/session")
        said = {"x-csrftoken": client.cookies["csrftoken"], "x-forwarded-for": "203.0.113.5"}
        wrong = {"username": "root", "password": "wrong"}
        refused = client.post("/api/v1/session", json=wrong, headers={**said, "referer": f"{client.base_url}/"})
    assert refused.status_code == 401, refused.text
    logs = "".join(server.output() for server in site.servers)
    assert "address=127.0.0.77" in logs
    assert "203.0.113.5" not in logs


def _passes_predictions_on(site: SimpleNamespace) -> None:
    """To the servers in place of serving processes, of which there is none here."""
    answer = site.client.post("/predict/v1/shop/camera/digits", content=b"x" * 100_000)
    assert (answer.status_code, answer.json()["code"]) == (503, "serving-unavailable")
    assert answer.headers["retry-after"] == "2"
    assert site.client.post("/predict/v1/shop/../../metrics").status_code == 404


def _pushes(site: SimpleNamespace) -> None:
    secret = token_of(make_member("developer", "scenario:camera", "ada"))
    remote = f"https://git:{secret}@localhost:{site.https}/git/camera.git"
    copy = WorkingCopy(site.folder / "copy", remote=remote)
    # More than nginx takes by default, and sent in chunks.
    copy.commit({**GOOD, "model.bin": bytes(range(256)) * 12_000})
    copy.git("config", "http.postBuffer", "65536")
    copy.tag("digits/1.0.0")
    assert "digits/1.0.0" in copy.push("digits", "--tags", GIT_SSL_CAINFO=str(site.folder / "certificate.pem"))
    assert TaskVersion.objects.get().version == "1.0.0"


def _serves_static_files_of_any_version(site: SimpleNamespace) -> None:
    asset = site.folder / "static/dashboard/assets/index-earlier.js"
    asset.parent.mkdir(parents=True)
    asset.write_text("of a version that no server has any more")
    found = site.client.get("/static/dashboard/assets/index-earlier.js")
    assert (found.status_code, found.text) == (200, asset.read_text())
    assert found.headers["content-type"] == "application/javascript"
    assert found.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert found.headers.get_list("strict-transport-security") == ["max-age=31536000"]
    # Not collected: a server has it.
    assert site.client.get("/static/admin/css/base.css").status_code == 200
    assert site.client.get("/static/nothing.css").status_code == 404
    assert site.client.get("/static/../walle.conf").status_code == 404


def _answers_only_what_is_for_everybody(site: SimpleNamespace) -> None:
    assert site.client.get("/metrics").status_code == 404
    assert site.client.get("/healthz").status_code == 200
    upgrade = {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "origin": f"https://localhost:{site.https}",
    }
    # There are no sockets yet: a proper refusal shows that the handshake arrived.
    assert site.client.get("/ws/nothing", headers=upgrade).status_code == 403
    log = (site.folder / "access.log").read_text()
    assert '"path":"/walle/v1/checkin"' in log
    assert PASSWORD not in log
    assert "next=/x" not in log


def _goes_on_with_one_server(site: SimpleNamespace, device: dict[str, str]) -> None:
    for level in ("warn", "error", "crit", "alert"):
        assert f"[{level}]" not in site.nginx.output(), site.nginx.output()
    site.servers[0].kill()
    for _ in range(6):
        assert site.client.post("/walle/v1/checkin", headers=device).status_code == 204
        assert site.client.get("/walle/v1/roots/1.json").status_code == 200
        assert site.client.get("/admin/").status_code == 200
    assert PublishedTable.objects.count() == 1


def test_the_configuration_is_sound(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    configuration = write_configuration(tmp_path, https=free_port(), http=free_port(), servers=(8001, 8002))
    done = run([PROGRAM, "-t", "-c", str(configuration), "-p", str(tmp_path)])
    assert done.returncode == 0, done.stderr
    assert "[warn]" not in done.stderr
