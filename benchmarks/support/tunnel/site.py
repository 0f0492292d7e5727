"""The Walle that tunnels lead to: one app with a released task, servers with and without TLS, devices' headers."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.support import fleet
from benchmarks.support.certificate import make_certificate
from benchmarks.support.cores import SERVER_CPUS
from benchmarks.support.walle import Server, serving, serving_product
from walle.gateway.checkin import RawCheckIn
from walle.protocol.headers import short_digest, write_profile

MEMORY: Final = "benchmarks.support.tunnel.receiving:application"
SHORTER_WAY: Final = "walle.gateway.uvicorn_protocol:CheckInProtocol"
TUNNELS: Final = "walle.gateway.uvicorn_tunnels:TunnelProtocol"
TASK: Final = "bench/task-0"
_VALID_S: Final = 90 * 86_400


class Secured(NamedTuple):
    """A server that ends TLS, and the file of its certificate."""

    server: Server
    certificate: Path


class Devices:
    """Enrolled devices of the app, all with the released version installed."""

    def __init__(self) -> None:
        from devices_app.selectors.state import gateway_state

        self._keyring = gateway_state().apps[fleet.APP].keyring
        self.manifest = short_digest(fleet.manifest_digest(0))
        self._made = 0

    def headers(self) -> RawCheckIn:
        """Return the headers of a check-in of one more device."""
        self._made += 1
        device = f"tunnel-{self._made:09d}"
        credential = self._keyring.issue_credential(device, int(time.time()) + _VALID_S)
        app = f'"{fleet.APP}";v="{fleet.VERSIONS[0]}";os=android;osv="12";perf=mid;rg=eu'
        profile = write_profile({TASK: self.manifest})
        return RawCheckIn(f'"{device}";c="{credential}";n=0'.encode(), app.encode(), profile.encode())


def create() -> Devices:
    """Create the app and its release in the present database."""
    fleet.create_releases(1)
    return Devices()


@contextlib.contextmanager
def secured(folder: Path) -> Iterator[Secured]:
    """Run the product's web server with TLS of its own."""
    certificate, key = make_certificate(folder)
    with serving_product("--ssl-certfile", str(certificate), "--ssl-keyfile", str(key), cpus=SERVER_CPUS) as server:
        yield Secured(server, certificate)


@contextlib.contextmanager
def receiving() -> Iterator[Server]:
    """Run the gateway alone, with a sink that keeps features in memory."""
    options = ("--lifespan", "on", "--ws", TUNNELS, "--ws-per-message-deflate", "false")
    with serving(MEMORY, *options, cpus=SERVER_CPUS, protocol=SHORTER_WAY) as server:
        yield server


@contextlib.contextmanager
def plain() -> Iterator[Server]:
    """Run the product's web server without TLS, as behind nginx."""
    with serving_product(cpus=SERVER_CPUS) as server:
        yield server
