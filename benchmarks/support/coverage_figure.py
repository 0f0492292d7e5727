"""The picture of a release's coverage: devices over minutes as in the paper's Figure 13, offers per second below."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from walle.forecast.prediction import Prediction
from walle.release.states import ReleaseState
from walle.release.strategy import Strategy

PAPER = ((6, 2.0, "2 M"), (7, 6.0, "6 M"), (19, 22.0, "almost 22 M"))
"""Minutes and millions of covered devices in section 7.3 of the paper, with its words."""
COVERED, ONLINE, QUIET, BAND, MARK = "#1f5fa8", "#d9822b", "#5b6570", "#eef2f6", "#b3261e"


def draw(prediction: Prediction, begun: int, strategy: Strategy, path: Path) -> None:
    """Draw a prediction whose first gray stage started in a given second, as a PNG."""
    # Loaded for the first time on a machine, it starts programs that look for fonts.
    import matplotlib as mpl
    from matplotlib import pyplot

    mpl.use("agg")
    figure, (above, below) = pyplot.subplots(
        2, 1, sharex=True, figsize=(9, 6.4), height_ratios=(3, 1), layout="constrained"
    )
    minutes = (np.arange(len(prediction.series["online"])) - begun) / 60
    _coverage(above, prediction, minutes)
    _offers(below, prediction, minutes, strategy)
    _stages(above, below, prediction, begun, strategy)
    for axes in (above, below):
        axes.set_xlim(minutes[0], 20)
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(colors=QUIET)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def _coverage(axes: Any, prediction: Prediction, minutes: Any) -> None:
    millions = {name: prediction.series[name] / 1e6 for name in ("covered", "online", "covered_online")}
    axes.plot(minutes, millions["online"], color=ONLINE, linewidth=1.6)
    axes.plot(minutes, millions["covered"], color=COVERED, linewidth=2.4)
    axes.plot(minutes, millions["covered_online"], color=COVERED, linewidth=1.6, linestyle=(0, (4, 2)))
    at = {minute: int(np.searchsorted(minutes, minute)) for minute in (7, 12, 19)}
    share = millions["covered_online"][at[7]] / millions["online"][at[7]]
    axes.text(12.2, millions["covered"][at[12]] - 0.6, "devices that have the new version", color=COVERED, va="top")
    axes.text(19.9, 6.3, "online", color=ONLINE, ha="right", va="bottom")
    axes.text(7.2, 4.8, f"of those online, {share * 100:.1f} % have it after 7 minutes", color=COVERED, va="top")
    millions_at_19 = millions["covered"][at[19]]
    axes.text(19.3, millions_at_19 - 0.9, f"{millions_at_19:.1f} M", color=COVERED, ha="right", va="top")
    for minute, covered, words in PAPER:
        axes.plot(minute, covered, "o", color=MARK, markersize=6)
        axes.annotate(
            f"paper: {words}",
            (minute, covered),
            xytext=(8, -3) if covered < 6 else (8, 7),
            textcoords="offset points",
            ha="right" if minute > 10 else "left",
            color=MARK,
            fontsize=9,
        )
    axes.set_ylim(top=25)
    axes.set_ylabel("devices, millions")
    axes.set_title("A release to 22 million devices, 6 million of them online at a time", loc="left", fontweight="bold")
    axes.grid(axis="y", color="#e3e7eb", linewidth=0.8)


def _offers(axes: Any, prediction: Prediction, minutes: Any, strategy: Strategy) -> None:
    axes.fill_between(minutes, prediction.series["offers"] / 1e3, color=COVERED, alpha=0.75, linewidth=0)
    pace = strategy.stages[-1].pace
    if pace is not None:
        axes.axhline(pace / 1e3, color=MARK, linewidth=1.0, linestyle=":")
        axes.annotate(f"pace {pace:,}/s", (19.9, pace / 1e3), ha="right", va="bottom", color=MARK, fontsize=9)
    axes.set_ylabel("offers/s, thousands")
    axes.set_xlabel("minutes since the first gray step")
    axes.set_xticks(range(0, 21))


def _stages(above: Any, below: Any, prediction: Prediction, begun: int, strategy: Strategy) -> None:
    """Draw bands for the stages, with their shares at the top."""
    moves = [move for move in prediction.moves if move.state in (ReleaseState.RUNNING, ReleaseState.COMPLETE)]
    top = above.get_ylim()[1]
    for number, (move, following) in enumerate(pairwise(moves)):
        start, end = ((second - begun) / 60 for second in (move.second, following.second))
        for axes in (above, below):
            axes.axvspan(start, end, color=BAND if number % 2 else "white", zorder=0, linewidth=0)
        stage = strategy.stages[move.position or 0]
        name = "beta" if stage.kind == "beta" else f"{stage.share / 10_000:g} %"
        above.text((start + end) / 2, top, name, ha="center", va="top", color=QUIET, fontsize=9)
    above.text((moves[-1].second - begun) / 60 + 0.1, top, "complete", va="top", color=QUIET, fontsize=9)
