"""Claim: 250 pipelines take Walle a thirtieth of scikit-learn's memory, and are loaded a hundred times as fast.

PRETZEL (thesis, 4.4.2): 250 structured pipelines take 164 MB, 25 times less than in ML.NET; they are loaded in 2.8 s
against 270 s. 250 text pipelines are loaded in 37.3 s, where ML.NET swaps after 75.

- Each system loads the pipelines of a family one by one in a process of its own and predicts with each. Memory is that
  of the process, with its part of what it shares (PSS), less what it was before the first pipeline; Walle's includes
  the mapped pages of parameters.
- Walle's loading is that of a host at a restart: files were verified and plans compiled when pipelines were installed,
  by the process before (`*_walle_install_s`; the thesis compiles off-line, too), and each plan is read and bound to its
  parameters.
- scikit-learn loads each pipeline with objects of its own, as from a file of its own. Text pipelines do not fit: as
  many are loaded as leave memory free; of the others each is taken for the median of those with the same dictionaries
  (`extrapolated`).
- Walle without its parameter store: the plans have copies of their parameters.
- One more pipeline that differs in its linear model only: what it takes beside its own weights, and with them.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from rich.console import Console

from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.outcome import Target
from benchmarks.support.whitebox.archives import Archives, Family
from benchmarks.support.whitebox.families import SCALE, TRAINED, families
from benchmarks.support.whitebox.loading import Loaded, increments, load_in_process, process_mb
from benchmarks.support.whitebox.plans import read_folder
from benchmarks.support.whitebox.sentiment import Sentiment
from walle.whitebox.archive import parameter_path
from walle.whitebox.zero_packing import pack_zeros

BENCHMARK = Benchmark(
    "whitebox_memory",
    scale=SCALE
    | {"sa_in_sklearn": Dimension(40, 3), "copied": Dimension(24, 2), "least_free_mb": Dimension(4000, 200)},
    targets=(
        Target("ac_memory_to_walle", at_least=25),
        Target("sa_memory_to_walle", at_least=30),
        Target("one_more_kb", at_most=100),
        Target("ac_loading_to_walle", at_least=100),
        Target("sa_loading_to_walle", at_least=100),
    ),
    assumptions=(
        *TRAINED,
        "memory is what pipelines add to a process; the libraries themselves are given apart, for both",
        "one more text pipeline takes its own weights besides (0.9 to 10 MB in float64, without zeros 0.5 to 4)",
        "loading structured pipelines was seen to be a quarter putting parameters into sealed memory, a fifth their"
        " addresses, and a third reading, verifying and parsing a file of 40 KB for each: 0.5 ms of processor"
        " time, where scikit-learn was seen to take 25, and 3 for the smallest",
        "files are in the page cache for both; Walle verified and compiled at installation, which is given apart",
    ),
)
_WALLE, _KERNELS = ("walle.whitebox.runtime.service", "walle.whitebox.kernels"), "walle.whitebox.kernels.load_kernels()"
_SKLEARN = ("sklearn.ensemble", "sklearn.pipeline", "sklearn.linear_model", "sklearn.decomposition", "sklearn.cluster")
console = Console(highlight=False, width=130)


def main() -> int:
    BENCHMARK.announce()
    figures: dict[str, float] = {}
    if not is_tiny():
        figures = {"walle_process_mb": process_mb(_WALLE, _KERNELS), "sklearn_process_mb": process_mb(_SKLEARN)}
    for name, family in families(BENCHMARK).items():
        figures |= family_figures(name, family)
    return BENCHMARK.judge(figures)


def family_figures(name: str, family: Family) -> dict[str, float]:
    count = BENCHMARK.size("pipelines")
    Archives(family).folders(count)
    in_sklearn = min(count, BENCHMARK.size("sa_in_sklearn")) if name == "sa" else count
    with tempfile.TemporaryDirectory() as folder:
        installed = load(family, "walle", count, Path(folder))
        loaded = {
            "walle": load(family, "walle", count, Path(folder)),
            "sklearn": load(family, "sklearn", in_sklearn, Path(folder)),
            "copied": load(family, "copied", min(count, BENCHMARK.size("copied")), Path(folder)),
        }
    walle, sklearn, copied = (Growth(family, each, count) for each in loaded.values())
    some = loaded["walle"][len(loaded["copied"]) - 1].proportional - loaded["walle"][0].proportional
    console.print(
        f"{name}: {count} pipelines: walle {walle.megabytes:,.0f} MB in {walle.seconds:.2f} s, "
        f"after {sum(each.seconds for each in installed):.1f} s at installation; "
        f"scikit-learn {sklearn.megabytes:,.0f} MB in {sklearn.seconds:.1f} s "
        f"({len(loaded['sklearn']) - 1} loaded, the rest extrapolated)"
    )
    figures = {
        f"{name}_memory_to_walle": sklearn.megabytes / walle.megabytes,
        f"{name}_loading_to_walle": sklearn.seconds / walle.seconds,
        f"{name}_walle_mb": walle.megabytes,
        f"{name}_walle_load_s": walle.seconds,
        f"{name}_walle_install_s": sum(each.seconds for each in installed),
        f"{name}_sklearn_loaded": float(len(loaded["sklearn"]) - 1),
        f"{name}_sklearn_extrapolated_mb": sklearn.megabytes,
        f"{name}_sklearn_extrapolated_load_s": sklearn.seconds,
        f"{name}_without_store": copied.of(len(loaded["copied"]) - 1) / some,
    }
    for system in ("walle", "sklearn"):
        whole = {"walle": walle, "sklearn": sklearn}[system].megabytes
        figures[f"{name}_{system}_by_pipeline_mb"] = whole / count
    return figures | (one_more(family, loaded["walle"]) if isinstance(family, Sentiment) else {})


def load(family: Family, system: str, count: int, folder: Path) -> list[Loaded]:
    """Load the pipelines; Walle installs in the folder what is not there."""
    return load_in_process(system, family, count, BENCHMARK.amount("least_free_mb"), folder)


class Growth:
    """The memory and seconds that pipelines take, from those that were loaded to all.

    A pipeline that was not loaded is taken for the median of those of its kind (the same dictionaries; any structured
    one of its stack).
    """

    def __init__(self, family: Family, loaded: list[Loaded], count: int) -> None:
        self._added = dict(increments(loaded))
        self._seconds = {each.number: each.seconds for each in loaded[1:]}
        self._family, self._count = family, count
        self.megabytes, self.seconds = self.of(count), self._sum(self._seconds, count)

    def of(self, count: int) -> float:
        """Return the MB of the first pipelines."""
        return self._sum(self._added, count)

    def _sum(self, known: dict[int, float], count: int) -> float:
        kinds: dict[object, list[float]] = defaultdict(list)
        for number, value in known.items():
            kinds[self._kind(number)].append(value)
        medians = {kind: statistics.median(values) for kind, values in kinds.items()}
        anyone = statistics.median(known.values())
        return sum(known.get(number, medians.get(self._kind(number), anyone)) for number in range(count))

    def _kind(self, number: int) -> object:
        return self._family.combination(number) if isinstance(self._family, Sentiment) else number % 8


def one_more(family: Sentiment, loaded: list[Loaded]) -> dict[str, float]:
    """Return what a pipeline adds whose dictionaries another one has: its weights, and all else, in KB."""
    seen: set[tuple[str, str]] = set()
    beside, whole = [], []
    for number, added in increments(loaded):
        combination = family.combination(number)
        if combination in seen:
            graph = read_folder(Archives(family).folder(number)).graph
            (linear,) = (step for step in graph.transformations if step.operator == "linear")
            path = Archives(family).folder(number) / parameter_path(linear.parameters["weights"].digest)
            weights = pack_zeros(np.fromfile(path)).nbytes / 1000
            beside.append(added * 1000 - weights)
            whole.append(added * 1000)
        seen.add(combination)
    if not beside:
        return {"one_more_kb": 0.0, "one_more_with_weights_kb": 0.0}
    return {"one_more_kb": statistics.fmean(beside), "one_more_with_weights_kb": statistics.fmean(whole)}


if __name__ == "__main__":
    sys.exit(main())
