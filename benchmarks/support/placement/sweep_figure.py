"""The pictures of the sweeps, beside what the paper says of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.support.placement.sweep_numbers import GREEDY_ENDS
from benchmarks.support.placement.sweeps import Sweep

PAPER = {
    "figure 8": "paper: JB near LB; BF and FF have no plan beyond 51 rps (VQA) and 8 fps (AICity)",
    "figure 9": "paper: JB near LB; BF and FF constant, JB joins FF at the highest accuracies (AICity)",
    "figure 10": "paper: more workers do not make JB dearer; BF and FF may be",
    "figure 11": "paper: nearly linear in the price (AICity), few changes of plan (VQA)",
    "figure 13a": "paper: more compute at the edge under the cap, which ends early",
    "figure 13b": "paper: a plan for all ratios; more cloud, more traffic",
    "percentiles": "paper: P75 lies between P50 and P90; the effect is small",
}


def draw(sweeps: Sequence[Sweep], path: Path) -> None:
    """Draw sweeps below each other into a file."""
    # Loaded for the first time on a machine, it starts programs that look for fonts.
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    mpl.use("svg")
    figure, axes = plt.subplots(len(sweeps), 1, figsize=(7, 3.4 * len(sweeps)), constrained_layout=True)
    for axis, sweep in zip(axes, sweeps, strict=True):
        for index, (name, line) in enumerate(sweep.lines.items()):
            if line:
                axis.plot(*zip(*line, strict=True), marker="o", markersize=3, label=name, color=f"C{index}")
        dataset, _, figure_name = sweep.name.partition(" ")
        if figure_name == "figure 8":
            axis.axvline(GREEDY_ENDS[dataset], color="gray", linestyle=":", label="paper: BF and FF end here")
        if sweep.changes:
            axis.plot(*zip(*sweep.changes, strict=True), "k.", label="plan changes")
        said = next((text for key, text in PAPER.items() if sweep.name.endswith(key)), "")
        axis.set_title(f"{sweep.name}\n{said}", fontsize=8)
        axis.set_xlabel(sweep.across, fontsize=8)
        axis.set_ylabel("USD per hour", fontsize=8)
        axis.legend(fontsize=7)
    figure.savefig(path)
    plt.close(figure)
