"""What the sweeps of Figures 8 to 13 come to in numbers, beside what the paper says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite, nan

from benchmarks.support.placement.sweeps import Line, Sweep

GREEDY_ENDS = {"vqa": 51.0, "aicity": 8.0}
"""By dataset: the requests per second beyond which best fit and first fit have no plan (section 6.3)."""
NEAR_LOWER_BOUND = 0.942
"""How often the paper's plan is within 1 % of the lower bound, over rates of AICity (section 6.2)."""


def beside_the_paper(dataset: str, sweeps: Sequence[Sweep]) -> dict[str, float]:
    """Return the figures of a dataset's sweeps, those that the paper gives beside ours, with `_paper` at the end."""
    lines = {each.name.removeprefix(f"{dataset} "): each.lines for each in sweeps}
    changes = {each.name.removeprefix(f"{dataset} "): len(each.changes) for each in sweeps}
    capped = [line for name, line in lines["figure 13a"].items() if name != "no cap"]
    ratios = lines["figure 13b"]
    found = {
        "fig8_best_fit_ends_rps": _end(lines["figure 8"]["best fit"]),
        "fig8_first_fit_ends_rps": _end(lines["figure 8"]["first fit"]),
        "fig8_greedy_ends_rps_paper": GREEDY_ENDS[dataset],
        "fig8_proved_ends_rps": _end(lines["figure 8"]["proved optimum"]),
        "fig8_bare_beam_within_1_percent": _near(lines["figure 8"]),
        "fig8_bare_beam_within_1_percent_paper": NEAR_LOWER_BOUND if dataset == "aicity" else nan,
        "fig9_best_fit_dearest_of_cheapest": _range(lines["figure 9"]["best fit"]),
        "fig9_best_fit_dearest_of_cheapest_paper": 1.0,
        "fig10_cost_with_more_workers": _last_of_first(lines["figure 10"]["proved optimum"]),
        "fig10_first_fit_cost_with_more_workers": _last_of_first(lines["figure 10"]["first fit"]),
        "fig11_plan_changes": float(changes["figure 11"]),
        "fig13a_no_cap_ends_rps": _end(lines["figure 13a"]["no cap"]),
        "fig13a_capped_ends_rps": min(map(_end, capped)),
        "fig13b_ratios_with_a_plan": float(len(ratios["proved optimum"])),
        "fig13b_ratios_with_a_first_fit": float(len(ratios["first fit"])),
        **_percentiles(lines["percentiles"]),
    }
    return {f"{dataset}_{name}": value for name, value in found.items() if isfinite(value)}


def _percentiles(lines: Mapping[str, Line]) -> dict[str, float]:
    """Return what the medium setup costs with other percentiles of latencies, as a part of what it costs with P75."""
    costs = dict(lines["medium"])
    return {f"p{each:g}_cost_of_p75": cost / costs[75.0] for each, cost in costs.items() if each != 75.0}


def _end(line: Line) -> float:
    """Return the last point at which there is a plan."""
    return line[-1][0] if line else nan


def _range(line: Line) -> float:
    costs = [cost for _, cost in line]
    return max(costs) / min(costs) if costs else nan


def _last_of_first(line: Line) -> float:
    return line[-1][1] / line[0][1] if line else nan


def _near(lines: Mapping[str, Line]) -> float:
    """Return in which part of the points that have a plan the bare beam is within 1 % of the cheapest one."""
    beam, proved = dict(lines["bare beam"]), lines["proved optimum"]
    return sum(beam.get(at, inf) <= cost * 1.01 for at, cost in proved) / len(proved) if proved else nan
