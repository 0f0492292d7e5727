"""What stands before the tunnel's endpoint: TLS that resumes, ended by nginx or by the server; time-outs."""

import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from benchmarks.support.certificate import make_certificate
from benchmarks.support.shipped_nginx import SHIPPED, write_configuration
from tests.support.nginx import PROGRAM, trusting
from tests.support.processes import Children, free_port
from tests.support.tls_websocket import TlsWebSocket
from tests.support.waiting import ANSWER_S, wait_for

pytestmark = pytest.mark.processes
needs_nginx = pytest.mark.skipif(PROGRAM is None, reason="nginx is not installed: apt-get install -y nginx-light")
APPLICATION = ("-m", "uvicorn", "tests.walleweb.echoing_socket:application", "--lifespan", "off", "--port")
LIMIT = "limit_conn walle_tunnels"
TUNNELS = rf"{LIMIT} (\d+);"
LOWERED_TUNNELS = 3


class Way:
    """A port of this machine where TLS ends, and the connections that a test opened to it."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port = port
        self.context = trusting(folder)
        self._opened = ExitStack()

    def shake_hands(self, session: ssl.SSLSession | None = None) -> ssl.SSLSocket:
        """Open a TLS connection, offering a session of an earlier one."""
        plain = socket.create_connection(("127.0.0.1", self.port), ANSWER_S)
        return self._opened.enter_context(self.context.wrap_socket(plain, server_hostname="localhost", session=session))

    def open(self, path: str, *, over: ssl.SSLSocket | None = None) -> TlsWebSocket:
        """Open a WebSocket that pings nobody, so that only what it is told to send passes."""
        return self._opened.enter_context(TlsWebSocket(over or self.shake_hands(), f"ws://localhost{path}"))

    def close(self) -> None:
        self._opened.close()


@pytest.fixture
def echo(children: Children) -> int:
    """The port of a server without TLS."""
    return _serving(children)


@pytest.fixture
def by_nginx(children: Children, tmp_path: Path, echo: int) -> Iterator[Way]:
    """The shipped nginx before a server; the time-out of other requests and the limit of tunnels are lowered."""
    tmp_path.chmod(0o755)
    https = free_port()
    configuration = write_configuration(tmp_path, https=https, http=free_port(), servers=(echo, echo))
    lowered = (tmp_path / "walle.conf").read_text()
    for shipped, used in (
        ("proxy_read_timeout 30s;", "proxy_read_timeout 1s;"),
        (TUNNELS, f"{LIMIT} {LOWERED_TUNNELS};"),
    ):
        lowered, found = re.subn(shipped, used, lowered)
        assert found == 1, shipped
    (tmp_path / "walle.conf").write_text(lowered)
    nginx = children.start(str(PROGRAM), "-c", str(configuration), "-p", str(tmp_path), name="nginx")
    wait_for(lambda: _listens(https), describe=nginx.output)
    way = Way(https, tmp_path)
    yield way
    way.close()


@pytest.fixture
def by_the_server(children: Children, tmp_path: Path) -> Iterator[Way]:
    """A server that ends TLS itself."""
    make_certificate(tmp_path)
    certificate = ("--ssl-certfile", str(tmp_path / "certificate.pem"), "--ssl-keyfile", str(tmp_path / "key.pem"))
    way = Way(_serving(children, *certificate), tmp_path)
    yield way
    way.close()


def shipped_limit() -> int:
    """How many tunnels one address may have in the shipped configuration."""
    (most,) = re.findall(TUNNELS, (SHIPPED / "walle.conf").read_text())
    return int(most)


def _serving(children: Children, *options: str) -> int:
    port = free_port()
    server = children.python(*APPLICATION, str(port), *options, name="echo")
    wait_for(lambda: _listens(port), timeout=60, describe=server.output)
    return port


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("way", [pytest.param("by_nginx", marks=needs_nginx), "by_the_server"])
def test_the_second_connection_resumes_the_session_of_the_first(way: str, request: pytest.FixtureRequest) -> None:
    to: Way = request.getfixturevalue(way)
    first = to.shake_hands()
    _echoes(to.open("/walle/v1/tunnel", over=first))
    assert (first.version(), first.session_reused) == ("TLSv1.3", False)
    assert first.session is not None
    assert first.session.has_ticket
    second = to.shake_hands(first.session)
    _echoes(to.open("/walle/v1/tunnel", over=second))
    assert second.session_reused


@needs_nginx
def test_an_idle_tunnel_stays_open_beyond_the_time_out_of_other_requests(by_nginx: Way) -> None:
    tunnel, other = by_nginx.open("/walle/v1/tunnel"), by_nginx.open("/walle/v1/checkin")
    for socket_ in (tunnel, other):
        _echoes(socket_)
    with pytest.raises(ConnectionClosed):
        other.recv()
    _echoes(tunnel)


@needs_nginx
def test_an_address_has_a_limit_of_tunnels_far_above_what_a_mobile_network_puts_behind_one(by_nginx: Way) -> None:
    for _ in range(LOWERED_TUNNELS):
        _echoes(by_nginx.open("/walle/v1/tunnel"))
    with pytest.raises(InvalidStatus) as refused:
        by_nginx.open("/walle/v1/tunnel")
    assert refused.value.response.status_code == 429
    assert shipped_limit() >= 20_000


def _echoes(over: TlsWebSocket) -> None:
    over.send(b"a frame")
    assert over.recv() == b"a frame"
