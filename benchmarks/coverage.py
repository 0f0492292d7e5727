"""Claim: a careful release reaches a fleet as fast as the paper's did (section 7.3, Figure 13).

22 million devices in virtual time, 6 million of them online at a time, and 2 million more that the release is not meant
for. They go through the plans, selections, pace, verdicts and moves of real releases (walle.forecast), with a beta,
soak times, minimum samples and a control group until the last stage. The clock starts with the first gray stage, as in
the paper. walle.forecast.availability documents when devices are online, walle.forecast.fleet what they do.

The pace is that of the paper's system in its last minute, 4 million devices. The number of gateways that it takes
follows from the capacity of one on this machine, measured first in the same run: check-ins with an offer that counts
against a pace and whose exposure is stored, and check-ins without one. The capacity of PostgreSQL that exposures and
reports need at the peak is not measured here.

All assumptions are printed beside the result (ASSUMPTIONS).

A second release, of which every fifth run fails, shows how many devices a bad version reaches before its rollback.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.support.coverage_figure import draw
from benchmarks.support.gateway_rates import measured_rates
from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.outcome import Target
from walle.forecast.availability import Availability
from walle.forecast.fleet import DeviceBehaviour, DeviceKind
from walle.forecast.prediction import ForecastScenario, Prediction, predict
from walle.release.states import ReleaseAction
from walle.release.strategy import Strategy

STATED_DEVICES = 22_000_000
SCALE = {
    "devices": Dimension(STATED_DEVICES, 60_000),
    "rounds": Dimension(3, 1),
    "gateway_check_ins": Dimension(60_000, 300),
    "slice_s": Dimension(4.0, 0.2),
}
PACE_OF_THE_PAPER = 4_000_000 / 60
"""The offers per second in the last minute of the paper's Figure 13."""
UTILIZATION = 0.7
"""The part of their time that gateways may be busy at the peak."""
BEHAVIOUR, CURVE = DeviceBehaviour(), Availability()
ASSUMPTIONS = (
    f"availability: {CURVE.online:.1%} of the devices are online at a time, for {CURVE.session_s:.0f} s on average "
    f"(log-normal, sigma {CURVE.session_sigma:g}); {CURVE.interruptions:.0%} of the times away last "
    f"{CURVE.interruption_s:g} s on average, the others {CURVE.away_s:g} s, none more than "
    f"{CURVE.away_at_most_s / 60:g} min; it is {CURVE.start_hour:g}:00, busiest at {CURVE.peak_hour:g}:00",
    f"devices check in every {BEHAVIOUR.interval} s, pull for {BEHAVIOUR.pull_s:g} s at the median and "
    f"{BEHAVIOUR.pull_at_most_s:g} s at most, run the task within {BEHAVIOUR.run_s} s; "
    f"{BEHAVIOUR.failure:.1%} of runs fail, of the version before, too, and {2 * BEHAVIOUR.failure:.1%} are allowed: "
    "with a limit at the very rate a stage waits until it was lucky, as any version at its limit does; "
    f"{BEHAVIOUR.lost:.1%} of devices are never heard of again",
    "time is virtual: devices are numbers, and nothing is sent over a network",
    f"as many gateways as keep the peak below {UTILIZATION:.0%} of their time, each as quick as the one that is "
    "measured on one core of this machine in the same run, without TLS",
    "PostgreSQL keeps up with draws and reports, and the network with pulls: neither is measured",
    "the simulation test and the approval are passed; the clock begins with the first gray step, as in the paper",
)
TARGETS = (
    Target("covered_of_online_at_7_min", at_least=0.99),
    Target("covered_of_all_at_19_min", at_least=0.99),
    Target("wrong_offers", at_most=0),
    Target("peak_offers_to_pace", at_most=1),
    Target("peak_utilization", at_most=1),
    Target("simulation_s", at_most=300),
)
RESULTS = Path(__file__).parent / "results"
SECONDS = 1500
"""The paper's clock, of 19 minutes, and what comes before the first gray step."""
FAILURE_LIMIT = 2 * BEHAVIOUR.failure
GRAY_PERCENT = (1, 5, 15, 40)
BENCHMARK = Benchmark("coverage", SCALE, targets=TARGETS, assumptions=ASSUMPTIONS)
DEVICES = BENCHMARK.size("devices")
OTHERS = DEVICES // 11
PACE = ceil(PACE_OF_THE_PAPER * DEVICES / STATED_DEVICES)


def evidence(stated: int) -> int:
    """Return the minimum of reports in a stage: a smaller fleet has fewer."""
    return ceil(stated * min(1.0, DEVICES / STATED_DEVICES))


STRATEGY = Strategy.from_dict(
    {
        "stages": [
            {"kind": "beta", "percent": 0.1, "dwell_s": 60, "evidence": evidence(200)},
            *(
                {"kind": "gray", "percent": step, "dwell_s": 60, "evidence": evidence(1000), "pace": PACE}
                for step in GRAY_PERCENT
            ),
            {"kind": "gray", "percent": 100, "dwell_s": 120, "evidence": evidence(1000), "pace": PACE},
        ],
        "control_percent": 5,
        "silence_s": 120,
        "limits": {"failure_rate": FAILURE_LIMIT},
    }
)
RULE: Mapping[str, Any] = {
    "all": [
        {"fact": "app_version", "version": ">=6.2.0"},
        {"not": {"fact": "performance", "equals": "low"}},
        {
            "any": [
                {"all": [{"fact": "os", "equals": "android"}, {"fact": "os_version", "version": ">=10"}]},
                {"all": [{"fact": "os", "equals": "ios"}, {"fact": "os_version", "version": ">=15"}]},
            ]
        },
    ]
}
SHARES = {
    "app_version": {"6.1.0": 0.1, "6.2.0": 0.3, "6.10.0": 0.6},
    "performance": {"low": 0.2, "mid": 0.5, "high": 0.3},
    "system": {("android", "9"): 0.1, ("android", "12"): 0.3, ("android", "14"): 0.3, ("ios", "14"): 0.1}
    | {("ios", "17"): 0.2},
}

console = Console()


def main() -> int:
    BENCHMARK.announce()
    rates = measured_rates(BENCHMARK.size("rounds"), BENCHMARK.size("gateway_check_ins"), BENCHMARK.amount("slice_s"))
    scenario = planned(rates)
    started, cpu = time.monotonic(), time.process_time()
    good = predict(scenario)
    spent = {"simulation_s": time.monotonic() - started, "simulation_cpu_s": time.process_time() - cpu}
    bad = predict(replace(scenario, behaviour=DeviceBehaviour(failure=0.2), seconds=400))
    figures = rates | {"gateways": scenario.gateways} | spent
    figures |= covered(good) | loaded(good, rates, scenario.gateways) | rolled_back(bad)
    figures["wrong_offers"] = int(good.series["wrong_offers"].sum() + bad.series["wrong_offers"].sum())
    figures["peak_memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    if is_tiny():
        with tempfile.TemporaryDirectory() as folder:
            save(good, bad, figures, Path(folder))
    else:
        save(good, bad, figures, RESULTS)
    return BENCHMARK.judge(figures)


def planned(rates: Mapping[str, float]) -> ForecastScenario:
    """Return the good release, with as many gateways as its peak requires."""
    scenario = ForecastScenario(RULE, STRATEGY, kinds(), seconds=SECONDS)
    curve, devices = scenario.availability, DEVICES + OTHERS
    starts = devices / (curve.session_s + curve.gap_s)
    check_ins = starts + devices * curve.online / scenario.behaviour.interval
    busy = PACE / rates["offers_per_s_of_a_gateway"] + (check_ins - PACE) / rates["check_ins_per_s_of_a_gateway"]
    gateways = ceil(busy / UTILIZATION)
    console.print(f"{PACE} offers/s among {check_ins:.0f} check-ins/s take {gateways} gateways")
    return replace(scenario, gateways=gateways)


def kinds() -> list[DeviceKind]:
    """Return devices by app version, performance and system, each independent of the others."""
    found = []
    for app_version, performance, system in product(*SHARES.values()):
        share = SHARES["app_version"][app_version] * SHARES["performance"][performance] * SHARES["system"][system]
        facts = {"app_version": app_version, "performance": performance, "os": system[0], "os_version": system[1]}
        targeted = app_version != "6.1.0" and performance != "low" and system not in {("android", "9"), ("ios", "14")}
        found.append((share, facts, targeted))
    return [*_counted(found, True, DEVICES), *_counted(found, False, OTHERS)]


def _counted(found: list[tuple[float, dict[str, str], bool]], targeted: bool, devices: int) -> Iterator[DeviceKind]:
    """Return this many devices, split over the kinds that are targeted or not by their shares."""
    chosen = [(share, facts) for share, facts, is_targeted in found if is_targeted == targeted]
    ends = np.rint(np.cumsum([share for share, _ in chosen]) / sum(share for share, _ in chosen) * devices)
    for (_, facts), count in zip(chosen, np.diff(ends, prepend=0), strict=True):
        yield DeviceKind(facts, int(count), targeted)


def covered(prediction: Prediction) -> dict[str, float]:
    """Return how far the release had come at the times of the paper's clock."""
    series, begun = prediction.series, begin(prediction)
    at7, at19 = begun + 7 * 60, begun + 19 * 60
    full = np.flatnonzero(series["covered_online"][begun:] >= 0.99 * series["online"][begun:])
    return {
        "online_at_start": int(series["online"][begun]),
        "covered_of_online_at_7_min": series["covered_online"][at7] / series["online"][at7],
        "covered_at_7_min": int(series["covered"][at7]),
        "covered_of_all_at_19_min": series["covered"][at19] / DEVICES,
        "covered_at_19_min": int(series["covered"][at19]),
        "minutes_to_99_percent_of_online": full[0] / 60 if len(full) else float("inf"),
    }


def loaded(prediction: Prediction, rates: Mapping[str, float], gateways: int) -> dict[str, float]:
    """Return the load of the gateways in their busiest second."""
    offers = prediction.series["offers"] + prediction.series["reverted"]
    plain = prediction.series["check_ins"] - offers
    busy = offers / rates["offers_per_s_of_a_gateway"] + plain / rates["check_ins_per_s_of_a_gateway"]
    return {
        "peak_offers_to_pace": int(prediction.series["offers"].max()) / PACE,
        "peak_offers_per_s": int(prediction.series["offers"].max()),
        "peak_check_ins_per_s": int(prediction.series["check_ins"].max()),
        "peak_utilization": float(busy.max()) / gateways,
    }


def rolled_back(prediction: Prediction) -> dict[str, float]:
    """Return how many devices the bad version reached, and when the last of those that stayed online was rid of it."""
    move = prediction.moves[-1]
    if move.action != ReleaseAction.ROLL_BACK:
        raise SystemExit(f"expected the bad release to be rolled back, found it {move.state}: {move.reason}")
    left = np.flatnonzero(prediction.series["stranded"])
    return {
        "bad_devices": int(prediction.series["covered"].max()),
        "bad_offered": int(prediction.series["reached"].max()),
        "bad_rolled_back_s": move.second,
        "bad_last_restored_s": int(left[-1]) + 1 - move.second if len(left) else 0,
    }


def begin(prediction: Prediction) -> int:
    """Return the second in which the first gray stage started."""
    return next(move.second for move in prediction.moves if move.position == 1)


def save(good: Prediction, bad: Prediction, figures: Mapping[str, float], folder: Path) -> None:
    """Save both predictions as JSON, every fifth second, and the good one as a picture."""
    folder.mkdir(exist_ok=True)
    written = {"figures": dict(figures), "good": _written(good), "bad": _written(bad)}
    (folder / "coverage.json").write_text(json.dumps(written, separators=(",", ":")) + "\n")
    draw(good, begin(good), STRATEGY, folder / "coverage.png")


def _written(prediction: Prediction) -> dict[str, Any]:
    moves = [[move.second, move.action, move.state, move.position, move.reason] for move in prediction.moves]
    return {
        "every_s": 5,
        "series": {name: values[::5].tolist() for name, values in prediction.series.items()},
        "moves": moves,
    }


if __name__ == "__main__":
    sys.exit(main())
