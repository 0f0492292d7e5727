"""Claim: a gateway serves shared artifacts as fast as nginx tuned for it, and answers check-ins all the while.

A file of 50 MB is sent to 50 devices that request it at once, over the loopback interface, from one gateway process and
from nginx with one worker, each on the same core, in rounds that alternate; the devices have the other core. nginx is
measured with sendfile, with sendfile and a thread pool, and with large buffers instead; the best of them is the peer.
Then check-ins at a fixed rate: alone, while the gateway sends to 50 devices at full speed, and while nginx does that
beside the gateway on its core, which is what a check-in would cost with any server there. Last, the device SDK's
downloader is killed with two fifths of the file, and the bytes that it still downloads are counted.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from benchmarks.support import fleet
from benchmarks.support.cores import SERVER_CPUS, leave_core_to_servers
from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.load import Load, pace, run, wait_until_idle
from benchmarks.support.nginx import TUNINGS, nginx
from benchmarks.support.outcome import Target
from benchmarks.support.pulls import Pulls, fetched, pull, pulling, resumed
from benchmarks.support.walle import Server, serving, temporary_walle
from walle.device.updates.downloader import DownloadTarget

CHECK_INS = 20_000
CHECK_IN_RATE = 2000
BENCHMARK = Benchmark(
    "pull",
    scale={
        "file_mib": Dimension(50, 1),
        "devices": Dimension(50, 4),
        "most_devices": Dimension(200, 8),
        "rounds": Dimension(7, 1),
        "seconds": Dimension(5.0, 0.3),
    },
    targets=(
        Target("ratio_to_nginx", at_least=1.0),
        Target("check_in_p99_ratio_to_nginx", at_most=2.0),
        Target("check_in_p99_ratio_to_quiet", at_most=2.0),
        Target("resumed_bytes_ratio", at_most=1.001),
    ),
    assumptions=(
        "two cores: the server has one, devices and PostgreSQL share the other",
        "one file, which is in the page cache; the loopback interface, which loses and delays nothing; no TLS",
        "nginx has one worker process, as the gateway has one process; the best of its tunings is the peer",
        "devices take the bytes off their sockets without copying them",
    ),
)
SIZE = BENCHMARK.size("file_mib") << 20
DEVICES = BENCHMARK.size("devices")
CROWDS = (DEVICES,) if is_tiny() else (1, 10, DEVICES, BENCHMARK.size("most_devices"))
ROUNDS = BENCHMARK.size("rounds")
SECONDS = BENCHMARK.amount("seconds")
GATEWAY = "benchmarks.support.checkin_peers:gateway"
SENDING = "walle.gateway.uvicorn_protocol:CheckInProtocol"

console = Console()


def main() -> int:
    BENCHMARK.announce()
    leave_core_to_servers()
    with temporary_walle() as folder:
        fleet.create_releases(10 if is_tiny() else fleet.RELEASES)
        check_ins = fleet.requests(200 if is_tiny() else CHECK_INS, 0.0, np.random.default_rng(2022))
        fleet.register(check_ins)
        content = _new_artifact()
        figures = measure(folder, content, check_ins)
    return BENCHMARK.judge(figures)


def _new_artifact() -> DownloadTarget:
    from django.conf import settings

    from walle.artifacts import LocalStore

    stored = LocalStore(settings.WALLE_ARTIFACTS_DIR).put(os.urandom(SIZE))
    return DownloadTarget(stored.digest, stored.size)


def _nginx_root(folder: Path, content: DownloadTarget) -> Path:
    """Create a folder in which the artifact has the same path as at the gateway."""
    from django.conf import settings

    from walle.artifacts import LocalStore

    root = folder / "nginx"
    place = root / _path(content).removeprefix("/")
    place.parent.mkdir(parents=True)
    os.link(LocalStore(settings.WALLE_ARTIFACTS_DIR).path(content.digest), place)
    return root


def _path(content: DownloadTarget) -> str:
    return f"/walle/v1/artifacts/{content.digest}"


def measure(folder: Path, content: DownloadTarget, check_ins: list[bytes]) -> dict[str, float]:
    """Measure all figures, with the servers running side by side and loaded in turn."""
    root = _nginx_root(folder, content)
    with contextlib.ExitStack() as stack:
        start = stack.enter_context
        servers = {name: start(nginx(root, tuning, cpus=SERVER_CPUS)) for name, tuning in TUNINGS.items()}
        servers["gateway"] = start(serving(GATEWAY, "--factory", cpus=SERVER_CPUS, protocol=SENDING))
        # The same gateway with uvicorn's own protocol, which reads files in threads and sends them in chunks.
        servers["chunks"] = start(serving(GATEWAY, "--factory", cpus=SERVER_CPUS))
        for name, server in servers.items():
            fetched(server.port, _path(content), content, folder / f"device of {name}")
        figures = throughput(servers, content)
        figures |= latency(servers["gateway"], servers["nginx"], content, check_ins)
        missing, came = resumed(servers["gateway"].port, _path(content), content, folder / "killed device")
    console.print(f"killed with {content.size - missing} bytes, {missing} missing, {came} transferred then")
    return figures | {"resumed_bytes_ratio": came / missing}


def throughput(servers: dict[str, Server], content: DownloadTarget) -> dict[str, float]:
    """Measure MB/s, CPU and memory of each server, for crowds of several sizes; the claim is about the crowd of 50."""
    figures: dict[str, float] = {}
    for devices in CROWDS:
        turns = {name: _Turns(server, content, devices) for name, server in servers.items()}
        for _ in range(ROUNDS if devices == DEVICES else min(3, ROUNDS)):
            for turn in turns.values():
                turn.take()
        _show(devices, turns)
        figures |= {
            f"{figure}_{name.replace(' ', '_')}_{devices}": value
            for name, turn in turns.items()
            for figure, value in turn.figures().items()
        }
        peers = [turn.rates for name, turn in turns.items() if name.startswith("nginx")]
        best = max(peers, key=statistics.median)
        ratio = _median(one / other for one, other in zip(turns["gateway"].rates, best, strict=True))
        figures[f"ratio_to_nginx_{devices}"] = ratio
    return figures | {"ratio_to_nginx": figures[f"ratio_to_nginx_{DEVICES}"]}


class _Turns:
    """The rounds of one server with one crowd."""

    def __init__(self, server: Server, content: DownloadTarget, devices: int) -> None:
        self._server, self._content, self._devices = server, content, devices
        self._pulls: list[Pulls] = []
        self._cpu: list[float] = []
        self._memory = 0.0

    def take(self) -> None:
        before = _cpu_seconds(self._server)
        pulls = pull(self._server.port, _path(self._content), self._content.size, self._devices)
        self._cpu.append((_cpu_seconds(self._server) - before) / pulls.size * 1e9)
        self._pulls.append(pulls)
        self._memory = max(self._memory, sum(process.memory_info().rss for process in _family(self._server)) / 1e6)

    @property
    def rates(self) -> list[float]:
        return [pulls.rate_mb for pulls in self._pulls]

    def figures(self) -> dict[str, float]:
        return {
            "mb_per_second": _median(self.rates),
            "cpu_seconds_per_gb": _median(self._cpu),
            "p50_ms": _median(pulls.percentile_ms(50) for pulls in self._pulls),
            "p99_ms": _median(pulls.percentile_ms(99) for pulls in self._pulls),
            "memory_mb": self._memory,
        }


def _show(devices: int, turns: dict[str, _Turns]) -> None:
    columns = ("server", "MB/s", "CPU s per GB", "p50 ms", "p99 ms", "memory MB")
    table = Table(*columns, title=f"{SIZE >> 20} MiB to {devices} devices at once")
    for name, turn in turns.items():
        rate, cpu, p50, p99, memory = turn.figures().values()
        table.add_row(name, f"{rate:.0f}", f"{cpu:.3f}", f"{p50:.0f}", f"{p99:.0f}", f"{memory:.0f}")
    console.print(table)


def latency(gateway: Server, peer: Server, content: DownloadTarget, check_ins: list[bytes]) -> dict[str, float]:
    """Measure latencies of check-ins at a fixed rate, in rounds: quiet, the gateway sends, nginx sends."""
    loads: dict[str, list[Load]] = {"quiet": [], "gateway": [], "nginx": []}
    for _ in range(1 if is_tiny() else max(3, ROUNDS // 2)):
        for name, source in (("quiet", None), ("gateway", gateway), ("nginx", peer)):
            wait_until_idle()
            with pulling(source.port, _path(content), SIZE, DEVICES) if source else contextlib.nullcontext():
                loads[name].append(run(pace, gateway, check_ins, 0, SECONDS, CHECK_IN_RATE))
    table = Table("meanwhile", "p50 us", "p99 us", "statuses", title=f"{CHECK_IN_RATE} check-ins a second")
    figures = {}
    for name, found in loads.items():
        p50, p99 = (_median(load.percentile(q) for load in found) for q in (50, 99))
        table.add_row(name, f"{p50:.0f}", f"{p99:.0f}", str(found[-1].statuses))
        figures |= {f"check_in_p50_us_{name}": p50, f"check_in_p99_us_{name}": p99}
    console.print(table)
    for other in ("quiet", "nginx"):
        ratio = figures["check_in_p99_us_gateway"] / figures[f"check_in_p99_us_{other}"]
        figures[f"check_in_p99_ratio_to_{other}"] = ratio
    return figures


def _family(server: Server) -> Sequence[psutil.Process]:
    process = psutil.Process(server.process.pid)
    return [process, *process.children()]


def _cpu_seconds(server: Server) -> float:
    times = [one.cpu_times() for one in _family(server)]
    return float(sum(one.user + one.system for one in times))


def _median(values: Iterable[float]) -> float:
    return float(statistics.median(values))


if __name__ == "__main__":
    sys.exit(main())
