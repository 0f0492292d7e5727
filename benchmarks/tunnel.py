"""Claim: an upload is durable in the cloud within half a second wherever its link carries it in half that.

Parts, which `BENCH_PARTS=links,peers` and so on chooses; with only a part, nothing is judged:

- `links`: devices' own tunnels (walle.device.tunnel: spool on the disk, TLS, zstd) reach the product over links that
  are shaped in user space: by recorded rates of a 5G operator (`BENCH_TRACES` names their folder), or else by synthetic
  ones from a seed. From `track` to the acknowledged commit, by payload, in seconds whose rate carries the payload in
  250 ms; the rest is counted apart. Overhead is what a frame takes to its receipt beyond what its compressed payload
  takes over the bare link at the same moment. The averages are printed beside the paper's (section 7.4): under 250 ms
  for uploads under 3 KB, about 450 ms for 30 KB.
- `handshakes`: full TLS handshakes against resumed ones, ended by the shipped nginx and by the server itself.
- `capacity`: thousands of tunnels on one server process: the memory of each, in nginx too; then one upload at a time
  on each: uploads per second, and per core of the server and of PostgreSQL; Redis as the sink instead.
- `peers`: against mosquitto with QoS 1 over the same links: the bytes of a feature of a page view, and delays, both
  without a disk and both with one. Durable uploads per second against what mosquitto takes into memory one at a time,
  beside how often this disk syncs in a second.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Final

from benchmarks.support.cores import leave_core_to_servers
from benchmarks.support.harness import Benchmark, Dimension, needs_idle_machine
from benchmarks.support.load import wait_until_idle
from benchmarks.support.tunnel import capacity_trials, delay_trials, handshake_trials, peer_trials, site
from benchmarks.support.tunnel.features import page_views
from benchmarks.support.walle import temporary_walle

_PARTS: Final = {
    "links": delay_trials.TARGETS,
    "handshakes": handshake_trials.TARGETS,
    "capacity": capacity_trials.TARGETS,
    "peers": peer_trials.TARGETS,
}
BENCHMARK = Benchmark(
    "tunnel",
    scale={
        "links": Dimension(32, 4),
        "link_s": Dimension(90.0, 2.0),
        "handshakes": Dimension(1000, 5),
        "tunnels": Dimension(5000, 20),
        "load_s": Dimension(10.0, 0.1),
    },
    targets=tuple(target for targets in _PARTS.values() for target in targets),
    assumptions=(
        "two cores: the server, nginx and mosquitto have one; devices, links and PostgreSQL share the other",
        "the recorded download rate stands in for the uplink, with 20 ms each way: the recordings have no delay",
        "payloads of `links` are random letters, which zstd shortens by a quarter; devices have no dictionary",
        "mosquitto acknowledges before it saves: one sync of this disk is added to its durable delays",
        "certificates are self-signed, P-256: with a chain of authorities a full handshake has more bytes",
    ),
)
_VIEWS: Final = 2000
_SEED: Final = 7


def main() -> int:
    BENCHMARK.announce()
    parts = os.environ.get("BENCH_PARTS", ",".join(_PARTS)).split(",")
    if unknown := set(parts) - _PARTS.keys():
        raise SystemExit(f"expected BENCH_PARTS of {', '.join(_PARTS)}, found {', '.join(sorted(unknown))}")
    leave_core_to_servers()
    if needs_idle_machine():
        wait_until_idle()
    figures: dict[str, float] = {}
    with temporary_walle() as folder:
        devices = site.create()
        figures |= with_tls(parts, folder, devices)
        figures |= without_tls(parts, folder, devices)
    left_out = tuple(target.figure for part in _PARTS.keys() - set(parts) for target in _PARTS[part])
    return BENCHMARK.judge(figures, left_out=left_out)


def with_tls(parts: Collection[str], folder: Path, devices: site.Devices) -> dict[str, float]:
    """Measure the parts whose server ends TLS."""
    figures: dict[str, float] = {}
    if "links" in parts or "handshakes" in parts:
        with site.secured(folder) as gateway:
            if "links" in parts:
                size = BENCHMARK.size("links"), BENCHMARK.amount("link_s")
                figures |= delay_trials.measure(folder, gateway, devices, *size)
            if "handshakes" in parts:
                figures |= handshake_trials.measure(folder, gateway, BENCHMARK.size("handshakes"))
    return figures


def without_tls(parts: Collection[str], folder: Path, devices: site.Devices) -> dict[str, float]:
    """Measure the parts whose server is reached as from nginx."""
    figures: dict[str, float] = {}
    if "capacity" in parts or "peers" in parts:
        seconds, views = BENCHMARK.amount("load_s"), page_views(_VIEWS, _SEED)
        tunnels, links = BENCHMARK.size("tunnels"), BENCHMARK.size("links")
        with site.plain() as server:
            if "capacity" in parts:
                figures |= capacity_trials.measure(folder, server, devices, tunnels, seconds=seconds, values=views)
            if "peers" in parts:
                figures |= peer_trials.measure(folder, server, devices, links, seconds=seconds, values=views)
    return figures


if __name__ == "__main__":
    sys.exit(main())
