"""Claim: over HTTP, Walle answers five times as many requests a second as MLServer, and its p99 is a fifth.

PRETZEL (thesis, 4.4.3): clients observe 8.2 ms (text) and 10 ms (structured) at p99, ML.NET with Clipper 18 and 25 ms.

- Walle's own serving process with its supervisor: the API token, the table, the choice of a version for the caller, the
  record of what callers got are in it. It has one core; what loads it, in slices that alternate, has the other one.
- MLServer with adaptive batching on the same core, in an environment of its own, in the best of some configurations:
  the highest rate, and the lowest p99, each of its own best. Beside it scikit-learn behind a bare ASGI application.
- Each is saturated over many connections (requests a second), and asked over few (p99). One record a request.

Where MLServer cannot be installed, it is left out, and nothing is judged.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from rich.console import Console

from benchmarks.support.cores import SERVER_CPUS, leave_core_to_servers
from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.outcome import Target
from benchmarks.support.ratios import Ratio
from benchmarks.support.walle import ROOT, serving
from benchmarks.support.whitebox.archives import Archives, Family
from benchmarks.support.whitebox.control_plane import AUTHORIZATION, ControlPlane, address, release_all
from benchmarks.support.whitebox.families import SCALE, TRAINED, as_records, families, raw_records
from benchmarks.support.whitebox.http_load import Answers, http_request, saturate
from benchmarks.support.whitebox.mlserver_peer import (
    CONFIGURATIONS,
    Batching,
    install_mlserver,
    mlserver,
    mlserver_request,
)
from benchmarks.support.whitebox.served import serving_pipelines

BENCHMARK = Benchmark(
    "whitebox_http",
    scale={
        **SCALE,
        "served": Dimension(24, 2),
        "records": Dimension(500, 10),
        "rounds": Dimension(5, 1),
        "seconds": Dimension(2, 0.2),
        "search_s": Dimension(1.5, 0.1),
        "many": Dimension(64, 4),
        "few": Dimension(4, 2),
    },
    targets=(
        Target("sa_rate_to_peers", at_least=5),
        Target("ac_rate_to_peers", at_least=5),
        Target("sa_p99_to_peers", at_least=5),
        Target("ac_p99_to_peers", at_least=5),
    ),
    assumptions=(
        *TRAINED,
        "Walle serves several pipelines of a family, of which the first one is asked; the peers serve that one alone",
        "the figures are against the best peer of each round: MLServer, or the bare application",
        "Walle's executors share its core; single records are answered in the thread of its event loop",
        "structured records have no missing numbers, for which MLServer's protocol has no JSON",
    ),
)
console = Console(highlight=False, width=130)


def main() -> int:
    BENCHMARK.announce()
    leave_core_to_servers()
    missing = "not at a tiny scale" if is_tiny() else install_mlserver()
    if missing:
        console.print(f"MLServer is left out, so nothing is judged: {missing}", markup=False)
    figures: dict[str, float] = {}
    for name, family in families(BENCHMARK).items():
        figures |= family_figures(name, family, with_mlserver=not missing)
    return BENCHMARK.judge(figures, left_out=("mlserver",) if missing else ())


def family_figures(name: str, family: Family, *, with_mlserver: bool) -> dict[str, float]:
    raw = [
        np.nan_to_num(each) if not isinstance(each, str) else each
        for each in raw_records(family, BENCHMARK.size("records"))
    ]
    best = best_batching(name, family, raw) if with_mlserver else {}
    with tempfile.TemporaryDirectory() as folder, contestants(family, raw, best, Path(folder)) as asked:
        rates: dict[str, list[float]] = {peer: [] for peer in asked}
        p50s, p99s = ({peer: [] for peer in asked} for _ in range(2))
        for round_ in range(BENCHMARK.size("rounds")):
            for peer in sorted(asked, reverse=bool(round_ % 2)):
                many, few = (asked[peer](BENCHMARK.size(each)) for each in ("many", "few"))
                rates[peer].append(many.rate)
                p50s[peer].append(few.percentile(50))
                p99s[peer].append(few.percentile(99))
    for peer in asked:
        console.print(
            f"{name} {peer:14} {np.median(rates[peer]):8.0f} requests/s; p50 {np.median(p50s[peer]):8.0f}, "
            f"p99 {np.median(p99s[peer]):8.0f} us"
        )
    others = [peer for peer in asked if peer != "walle"]
    by_rate = [own / max(each) for own, *each in zip(rates["walle"], *(rates[peer] for peer in others), strict=True)]
    by_p99 = [min(each) / own for own, *each in zip(p99s["walle"], *(p99s[peer] for peer in others), strict=True)]
    figures = Ratio.of(by_rate).figures(f"{name}_rate_to_peers") | Ratio.of(by_p99).figures(f"{name}_p99_to_peers")
    for peer in asked:
        figures[f"{name}_{peer}_rate"] = float(np.median(rates[peer]))
        figures[f"{name}_{peer}_p50_us"] = float(np.median(p50s[peer]))
        figures[f"{name}_{peer}_p99_us"] = float(np.median(p99s[peer]))
    return figures


def best_batching(name: str, family: Family, raw: list[Any]) -> dict[str, Batching]:
    """Return the configurations of MLServer with the highest rate and with the lowest p99."""
    found: dict[Batching, tuple[float, float]] = {}
    requests = [mlserver_request(0, each) for each in raw]
    for batching in CONFIGURATIONS:
        with (
            tempfile.TemporaryDirectory() as folder,
            mlserver(Path(folder), family, [0], batching, SERVER_CPUS) as server,
        ):
            many, few = (
                saturate(server.port, requests, BENCHMARK.size(each), BENCHMARK.amount("search_s"))
                for each in ("many", "few")
            )
        found[batching] = many.rate, few.percentile(99)
        console.print(
            f"{name} MLServer, {batching}: {many.rate:.0f} requests/s, p99 {few.percentile(99):.0f} us, "
            f"{many.unanswered + few.unanswered} never answered"
        )
    return {
        "mlserver": max(found, key=lambda batching: found[batching][0]),
        "mlserver_quick": min(found, key=lambda batching: found[batching][1]),
    }


@contextmanager
def contestants(
    family: Family, raw: list[Any], best: dict[str, Batching], folder: Path
) -> Iterator[dict[str, Callable[[int], Answers]]]:
    """Start all servers; yield what loads each over so many connections."""
    plane = ControlPlane(folder / "walle")
    (pipeline, *others) = release_all(plane, Archives(family).folders(BENCHMARK.size("served")), "p")
    model = folder / "model.joblib"
    joblib.dump(family.pipeline(0), model)
    records = as_records(raw)
    as_json = [{"record": each if isinstance(each, str) else each.tolist()} for each in raw]
    with ExitStack() as stack:
        served = stack.enter_context(serving_pipelines(plane, SERVER_CPUS))
        served.wait_until_ready([pipeline, *others], records[0])
        environment = {**os.environ, "BENCH_BARE": str(model), "PYTHONPATH": str(ROOT)}
        module = "benchmarks.support.whitebox.bare_server:application"
        bare = stack.enter_context(serving(module, cpus=SERVER_CPUS, environment=environment))
        asked = {
            "walle": _loads(served.port, [
                http_request(address(pipeline), {"record": record, "caller": "u1"}, Authorization=AUTHORIZATION)
                for record in records
            ]),
            "bare": _loads(bare.port, [http_request("/", each) for each in as_json]),
        }  # fmt: skip
        for name, batching in best.items():
            server = stack.enter_context(mlserver(folder / name, family, [0], batching, SERVER_CPUS))
            asked[name] = _loads(server.port, [mlserver_request(0, each) for each in raw])
        yield asked


def _loads(port: int, requests: list[bytes]) -> Callable[[int], Answers]:
    return lambda connections: saturate(port, requests, connections, BENCHMARK.amount("seconds"))


if __name__ == "__main__":
    sys.exit(main())
