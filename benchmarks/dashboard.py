"""Claims: the dashboard is small, loads fast, stays smooth under many updates, and 500 people can keep it open.

In a real Chromium, with the real build, server and database (frontend/e2e/measure): the JavaScript of a first load, by
the build and as transferred. The time from an address to rows that respond to the keyboard, of devices, releases and
tasks, with an empty cache and once more; in the same rounds an empty page of the same server and the list's answer
alone, whose sum is the lower bound; with a small Walle and with a large one. The share of the main thread that the
fleet's page takes at ten messages a second, at its usual and its longest span, and without messages, and what shifts
by itself meanwhile. Frames while the list of devices is scrolled, near its beginning and far down. The largest
contentful paint beside that of an empty Walle, asked in turns, and interactions to the next paint (the 98th percentile
of all: palette, search, keys in lists, a click). Browser, servers and PostgreSQL share all cores.

Then the live channel: 500 sockets subscribe to a release and to the list of moves while 25 moves a second are committed
and the release's gauge changes twice a second, so that every client gets ten coalesced frames a second, the maximum.
Once more with 50 releases, each of which two people may see and ten sockets follow, which change in turns (`spread`).
The server has one core; clients, the writer and PostgreSQL share the other. Delivery is from commit to client. Beside
it, in the same run: a bare ASGI application on the same server that sends a text of the same length to as many sockets
as often, and the same channel with permessage-deflate.

`BENCH_PARTS=pages` or `live` measures one part only. `BENCH_KEEP=FOLDER` keeps the large Walle there, and uses it the
next time, also one of the benchmark `api`; the activity counts of its devices are written again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from benchmarks.support.api.seed import TINY, Size
from benchmarks.support.cores import leave_core_to_servers
from benchmarks.support.dashboard import live, pages
from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.walle import ROOT, temporary_walle

PARTS: Final = os.environ.get("BENCH_PARTS", "pages,live").split(",")
BENCHMARK: Final = Benchmark(
    "dashboard",
    scale={
        "devices": Dimension(1_000_000, 300),
        "rounds": Dimension(20, 1),
        "visits": Dimension(10, 1),
        "depth": Dimension(10_000, 100),
        "frames": Dimension(300, 20),
        "settle_s": Dimension(3.0, 0.2),
        "clients": Dimension(500, 10),
        "seconds": Dimension(20.0, 1.5),
    },
    targets=(*pages.TARGETS, *live.TARGETS),
    assumptions=(
        "pages: Chromium without a screen, the server and PostgreSQL share all cores of one machine, without a network",
        "live: the server has one core; clients, the writer and PostgreSQL share the other",
        "live: every client follows one release and the list of moves; nobody is slow to read",
    ),
)
DEVICES: Final = BENCHMARK.size("devices")
LARGE: Final = Size(
    devices=DEVICES, reports=5 * DEVICES, exposures=DEVICES // 2, audit=DEVICES // 2, jobs=DEVICES // 10,
    **(TINY | {"releases": 20, "features": 1_000} if is_tiny() else {}),
)  # fmt: skip
SMALL: Final = Size(devices=2_000, releases=50, reports=4_000, exposures=600, few_exposures=10, audit=1_000, jobs=200)
SMALL_ROUNDS: Final = 5


def main() -> int:
    BENCHMARK.announce()
    figures: dict[str, float] = {}
    left_out: list[str] = []
    if "pages" in PARTS:
        figures |= measure_pages()
    else:
        left_out += [target.figure for target in pages.TARGETS]
    if "live" in PARTS:
        leave_core_to_servers()
        with temporary_walle() as folder:
            figures |= live.measure(folder, BENCHMARK.size("clients"), BENCHMARK.amount("seconds"))
    else:
        left_out += [target.figure for target in live.TARGETS]
    return BENCHMARK.judge(figures, left_out=tuple(left_out))


def measure_pages() -> dict[str, float]:
    subprocess.run([sys.executable, "frontend/tools/web.py", "build"], cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory(prefix="walle-bench-") as folder:
        Path(folder).chmod(0o755)  # for the account that PostgreSQL runs under if root starts it
        rounds = BENCHMARK.size("rounds")
        if is_tiny():
            # One Walle for everything: a second one would be as small.
            few = many = pages.measured(
                Path(folder) / "tiny", LARGE, parts=["rows", "chart", "scroll", "paint"], rounds=rounds,
                **_watching(),
            )  # fmt: skip
            return _page_figures(few, many, DEVICES)
        few = pages.measured(Path(folder) / "small", SMALL, parts=["rows"], rounds=SMALL_ROUNDS)
        folder_of_large = Path(os.environ.get("BENCH_KEEP") or f"{folder}/large")
        parts = ["rows", "chart", "scroll", "paint"]
        many = pages.measured(folder_of_large, LARGE, parts=parts, rounds=rounds, **_watching())
    return _page_figures(few, many, SMALL.devices)


def _watching() -> dict[str, float]:
    """Return how often and for how long pages are watched (frontend/e2e/measure/visit.ts)."""
    return {
        "visits": BENCHMARK.size("visits"),
        "seconds": BENCHMARK.amount("seconds"),
        "settleSeconds": BENCHMARK.amount("settle_s"),
        "depth": BENCHMARK.size("depth"),
        "frames": BENCHMARK.size("frames"),
    }


def _page_figures(few: dict[str, Any], many: dict[str, Any], small_devices: int) -> dict[str, float]:
    figures = pages.bundle()
    small = pages.rows(few["rows"], small_devices)
    figures |= pages.rows(many["rows"], DEVICES) | pages.chart(many["chart"]) | pages.scroll(many["scroll"])
    figures |= pages.paint(many["paint"], DEVICES)
    return figures | {f"small_{name}": figure for name, figure in small.items() if name.startswith("rows_")}


if __name__ == "__main__":
    sys.exit(main())
