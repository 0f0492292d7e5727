"""The picture of latency against throughput."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def draw(result: Mapping[str, Any], path: Path) -> None:
    """Draw latencies, in ms on a logarithmic axis, and throughput over the offered load into a file."""
    # Loaded for the first time on a machine, it starts programs that look for fonts.
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    mpl.use("svg")
    rows = result["loads"]
    offered = [row["offered_records_per_s"] / 1000 for row in rows]
    figure, (latency, rate) = plt.subplots(2, 1, sharex=True, figsize=(7, 6), constrained_layout=True)
    for kind, label in (("singles", "single records"), ("batches", "batches of 100"), ("reserved", "reserved plan")):
        for part, style in (("p50", "--"), ("p99", "-")):
            values = [max(1e-3, row[f"{kind}_{part}_us"] / 1000) for row in rows]
            latency.plot(offered, values, style, marker="o", markersize=3, label=f"{label}, {part}")
    latency.set_yscale("log")
    latency.set_ylabel("latency, ms")
    latency.legend(fontsize=7)
    rate.plot(offered, [row["records_per_s"] / 1000 for row in rows], marker="o", label="answered")
    rate.plot(offered, offered, ":", label="offered")
    rate.set_ylabel("thousand records/s")
    rate.set_xlabel("offered, thousand records/s")
    rate.legend(fontsize=7)
    figure.savefig(path)
    plt.close(figure)
