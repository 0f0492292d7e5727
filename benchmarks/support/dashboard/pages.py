"""The pages in a real Chromium (frontend/e2e/measure): bytes loaded, time to the first rows, cost of charts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support.api.large import large_server, large_walle, run_in
from benchmarks.support.api.seed import Size
from benchmarks.support.harness import is_tiny
from benchmarks.support.outcome import Target
from benchmarks.support.walle import ROOT

FRONTEND = ROOT / "frontend"
TARGETS = [
    Target("most_first_load_kib", at_most=250),
    Target("most_transferred_kib", at_most=250),
    Target("rows_cold_p99_ms", at_most=1500),
    Target("rows_warm_p99_ms", at_most=1500),
    Target("chart_main_thread_share", at_most=0.15),
    Target("scroll_far_frame_p99_ms", at_most=50),
    Target("paint_most_times_empty", at_most=1.3),
    Target("interaction_p98_ms", at_most=100),
    Target("live_shift", at_most=0.05),
]

console = Console(width=160)


def measured(folder: Path, size: Size, **plan: Any) -> dict[str, Any]:
    """Return the browser's measurements with a Walle of this size; `plan` as in frontend/e2e/measure/visit.ts.

    An empty Walle is served beside it where paints are compared; in a tiny run it is itself the empty one.
    """
    from walleweb.dashboard.journeys import find_browser

    plan_file, found = (folder.with_name(f"{folder.name}-{name}.json") for name in ("plan", "measured"))
    compared = "paint" in plan["parts"] and not is_tiny()
    with ExitStack() as stack:
        full = stack.enter_context(visited(folder, size))
        empty = stack.enter_context(visited(folder.with_name(f"{folder.name}-empty"), None)) if compared else full
        plan_file.write_text(json.dumps({**full, "empty": empty, "chromium": find_browser(), **plan}))
        node = Path(sys.executable).with_name("node")
        subprocess.run([node, "e2e/measure/main.ts", plan_file, found], cwd=FRONTEND, check=True)
    results: dict[str, Any] = json.loads(found.read_text())
    return results


@contextmanager
def visited(folder: Path, size: Size | None) -> Iterator[dict[str, str]]:
    """Serve a Walle of this size, or an empty one; yields its address and the session of somebody who may see all."""
    cookie = folder / "session"
    with large_walle(folder, size) as walle:
        run_in(walle, "-m", "benchmarks.support.dashboard.visitor", str(cookie))
        with large_server(walle) as server:
            yield {"url": f"http://127.0.0.1:{server.port}", "session": cookie.read_text()}


def bundle() -> dict[str, float]:
    """Return the sizes in the build by page, as the build kept them."""
    loads = json.loads((FRONTEND / "dist" / "first-loads.json").read_text())
    table = Table("page", "KiB gzipped", title="JavaScript of a first load, by the build")
    for load in loads:
        table.add_row(load["page"], f"{load['bytes'] / 1024:.1f}")
    console.print(table)
    return {"most_first_load_kib": max(load["bytes"] for load in loads) / 1024}


def rows(found: Mapping[str, Any], devices: int) -> dict[str, float]:
    """Return the times by list, beside the lower bounds: an empty page of the same server, and the list's answer."""
    empty = float(np.median(found["empty"]))
    console.print(f"{devices:,} devices, {len(found['empty'])} rounds; a page without anything: {empty:.0f} ms")
    table = Table("list", "cache", "rows p50", "p99", "keyboard p50", "p99", "answer p50", "times least", "transferred")
    figures: dict[str, float] = {"empty_page_ms": empty}
    for cache in ("cold", "warm"):
        every: list[float] = []
        for name, times in found["lists"].items():
            shown, moved = ([one[seen] for one in times[cache]] for seen in ("shown", "moved"))
            answer = float(np.median(times["answer"]))
            least = float(np.median(moved)) / (empty + answer)
            kib = times["script"] / 1024 if cache == "cold" else 0
            cells = [f"{value:.0f}" for times_ms in (shown, moved) for value in np.percentile(times_ms, [50, 99])]
            table.add_row(name, cache, *cells, f"{answer:.0f}", f"{least:.2f}", f"{kib:.0f} KiB" if kib else "")
            every += moved
            figures[f"rows_{name}_{cache}_p50_ms"] = float(np.median(moved))
            figures[f"rows_{name}_{cache}_times_least"] = least
        figures[f"rows_{cache}_p99_ms"] = float(np.percentile(every, 99))
    console.print(table)
    figures["most_transferred_kib"] = max(times["script"] for times in found["lists"].values()) / 1024
    return figures


def chart(found: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return shares of the main thread; the server itself updates the fleet twice a second at most."""
    console.print("Gauges of the fleet, as the server told them but with other rates, put on the page's own socket:")
    names = ("messages", "task", "script", "style", "layout")
    table = Table("fleet page", "messages/s", "main thread", "script", "style", "layout", "shifts")
    for name, shares in found.items():
        parts = (f"{shares[part]:.1%}" for part in names[1:])
        table.add_row(name, f"{shares['messages']:.1f}", *parts, f"{shares['shift']:.4f}")
    console.print(table)
    return {
        "chart_main_thread_share": max(shares["task"] for shares in found.values()),
        "chart_usual_main_thread_share": found["usual"]["task"],
        "chart_idle_main_thread_share": found["idle"]["task"],
        "chart_messages_per_s": min(found[name]["messages"] for name in ("usual", "longest")),
        "live_shift": max(shares["shift"] for shares in found.values()),
    }


def scroll(found: Mapping[str, Any]) -> dict[str, float]:
    """Return the frames of the list of devices near its beginning, far down, and between."""
    table = Table("", "rows", "frame p50", "p99", "longest", "tasks over 50 ms", title="scrolling devices (ms)")
    movements = {"near": "a wheel turned fast", "down": "a window each frame", "far": "a wheel turned fast"}
    for name, how in movements.items():
        part = found[name]
        times = (*np.percentile(part["frames"], [50, 99]), max(part["frames"]))
        table.add_row(how, f"{part['rows']:,}", *(f"{value:.1f}" for value in times), str(len(part["long"])))
    console.print(table)
    near, far = (float(np.percentile(found[name]["frames"], 99)) for name in ("near", "far"))
    way = found["down"]
    figures = {"scroll_rows": way["rows"], "scroll_near_frame_p99_ms": near, "scroll_far_frame_p99_ms": far}
    return figures | {"scroll_rows_per_s": way["rows"] / way["ms"] * 1000}


def paint(found: Mapping[str, Any], devices: int) -> dict[str, float]:
    """Return the largest contentful paint of pages beside an empty Walle's, and interactions to the next paint."""
    table = Table("page", "paint p50", "empty", "times", "interactions", "p98", "most", "shift p50", title="paint (ms)")
    figures: dict[str, float] = {}
    for name, times in found.items():
        own, empty, took = times["full"], times["empty"], times["interactions"]
        figures[f"paint_{name}_times_empty"] = ratio = float(np.median(own) / np.median(empty))
        cells = (f"{np.median(own):.0f}", f"{np.median(empty):.0f}", f"{ratio:.2f}", f"{len(took)}")
        slow = (f"{np.percentile(took, 98):.0f}", f"{max(took):.0f}")
        table.add_row(name, *cells, *slow, f"{np.median(times['shifts']):.4f}")
    console.print(f"{devices:,} devices, cold cache, in turns with an empty Walle")
    console.print(table)
    every = [each for times in found.values() for each in times["interactions"]]
    figures["paint_most_times_empty"] = max(figures.values())
    return figures | {
        "interaction_p98_ms": float(np.percentile(every, 98)),
        "interaction_most_ms": max(every),
        "interactions": len(every),
    }
