"""The part `handshakes`: full TLS handshakes against resumed ones, where nginx ends TLS and where the server does."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from benchmarks.support.cores import SERVER_CPUS
from benchmarks.support.nginx import MISSING
from benchmarks.support.outcome import Target
from benchmarks.support.shipped_nginx import write_configuration
from benchmarks.support.tunnel import site
from benchmarks.support.tunnel.handshakes import Handshakes, shake_hands
from benchmarks.support.walle import Server, free_port, wait_for_port

TARGETS = (
    Target("handshake_resumed_share", at_least=1.0),
    Target("handshake_time_ratio_nginx", at_most=0.85),
    Target("handshake_time_ratio_server", at_most=0.85),
    Target("handshake_bytes_ratio", at_most=0.8),
)


def measure(folder: Path, gateway: site.Secured, count: int) -> dict[str, float]:
    """Shake hands so often in each way; return the figures."""
    table = Table("TLS ends at", "handshake", "p50 ms", "CPU us of the server", "bytes", "resumed", title="handshakes")
    figures: dict[str, float] = {}
    resumed: list[float] = []
    server = gateway.server
    found = {"server": shake_hands(server.port, gateway.certificate, "/healthz", count, server.cpu_seconds)}
    with tempfile.TemporaryDirectory(dir=folder) as name, shipped_nginx(Path(name), server.port) as nginx:
        # What nginx answers by itself.
        certificate, cpu_seconds = Path(name, "certificate.pem"), NginxWorker(nginx).cpu_seconds
        found["nginx"] = shake_hands(nginx.port, certificate, "/metrics", count, cpu_seconds)
    for place, kinds in found.items():
        for kind, shaken in kinds.items():
            table.add_row(place, kind, *_columns(shaken))
            figures[f"handshake_ms_{place}_{kind}"] = shaken.median_ms
            figures[f"handshake_cpu_us_{place}_{kind}"] = shaken.cpu_us
            figures[f"handshake_bytes_{place}_{kind}"] = shaken.bytes_median
        full, again = kinds["full"], kinds["resumed"]
        figures[f"handshake_cpu_ratio_{place}"] = again.cpu_us / full.cpu_us
        figures[f"handshake_time_ratio_{place}"] = again.median_ms / full.median_ms
        resumed.append((again.resumed - full.resumed) / count)
    Console(width=130, highlight=False).print(table)
    bytes_full, bytes_resumed = (figures[f"handshake_bytes_nginx_{kind}"] for kind in ("full", "resumed"))
    return figures | {
        "handshake_resumed_share": min(resumed),
        "handshake_bytes_ratio": bytes_resumed / bytes_full,
    }


def _columns(shaken: Handshakes) -> tuple[str, ...]:
    share = shaken.resumed / len(shaken.seconds)
    return f"{shaken.median_ms:.2f}", f"{shaken.cpu_us:.0f}", f"{shaken.bytes_median:.0f}", f"{share:.0%}"


@contextlib.contextmanager
def shipped_nginx(folder: Path, target: int) -> Iterator[Server]:
    """Run nginx with the shipped configuration before one server, on the servers' core."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        raise SystemExit(MISSING)
    port = free_port()
    configuration = write_configuration(folder, https=port, http=free_port(), servers=(target, target))
    configuration.write_text(configuration.read_text().replace("worker_processes 2;", "worker_processes 1;"))
    process = subprocess.Popen([program, "-c", configuration, "-p", folder])
    try:
        wait_for_port(port, process)
        for child in psutil.Process(process.pid).children():
            child.cpu_affinity(SERVER_CPUS)
        yield Server(port, process)
    finally:
        process.terminate()
        process.wait(20)


class NginxWorker:
    """The one process of an nginx that serves connections."""

    def __init__(self, nginx: Server) -> None:
        children = psutil.Process(nginx.process.pid).children()
        # Beside it there are those that manage the cache.
        self._process = next(child for child in children if "worker" in " ".join(child.cmdline()))

    def cpu_seconds(self) -> float:
        return time.clock_gettime(~self._process.pid << 3 | 2)

    def resident_mb(self) -> float:
        return self._process.memory_info().rss / 1e6
