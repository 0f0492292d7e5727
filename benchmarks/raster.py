"""Claim: merged transform operators are 8 to 15 times as quick as PyTorch's, and nearly as quick as memcpy.

Chains of transform operators, as they occur around convolutions and attention (`benchmarks.support.raster_chains`), run
small, where calls cost the most, and large, where memory does. Each is written in five ways, which take turns on one
thread; times are of the processor:

- ours: the session's plan of merged rasters, as compiled code (numba); `copies` is the same plan with NumPy's strided
  copies, for devices without numba;
- `eager`: PyTorch, operator after operator; `by_hand`: the best that was found in PyTorch, into memory that is there;
- `plain`: NumPy, operator after operator;
- `memcpy`: one contiguous copy of as many bytes as the outputs have.

`<peer>_<size>` is the geometric mean over chains of the peer's time over ours, `by_hand` that over both sizes;
`memcpy_<size>` is our time over memcpy's. `<peer>_<size>_<chain>` are its parts. `possible_<size>` is eager over
memcpy: what nothing that writes the outputs can exceed.

PyTorch is installed apart: pip install torch==2.13.0+cpu, with PyTorch's index of builds for processors as --index-url
(a plain install draws gigabytes for graphics cards). Without it only a tiny run works, which leaves its figures out.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.outcome import Target
from benchmarks.support.raster_chains import CHAINS, Chain
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.session import Session

BENCHMARK = Benchmark(
    "raster",
    scale={"rounds": Dimension(25, 2), "batch_ms": Dimension(4, 0.1)},
    targets=(
        Target("eager_small", at_least=8),
        Target("eager_large", at_least=15),
        Target("by_hand", at_least=2),
        Target("memcpy_large", at_most=1.5),
    ),
    assumptions=(
        "one thread for all, and inputs that are there and in the caches as far as they fit",
        "PyTorch runs in inference mode; by hand it writes into outputs that are there, and so do we",
        "a chain of which PyTorch makes two or three quick copies cannot become 15 times as quick: see possible_large",
    ),
)
SIZES: Final = ("small", "large")
TORCH_PEERS: Final = ("eager", "by_hand")

Contestants = Mapping[str, Callable[[], Any]]
console = Console(highlight=False, width=130)


def main() -> int:
    BENCHMARK.announce()
    torch = loaded_torch()
    figures: dict[str, float] = {}
    table = Table("size", "chain", "MB", "us", "eager", "by hand", "plain NumPy", "our copies", "memcpy")
    for size in SIZES:
        for chain in CHAINS:
            found = measured(chain, size, torch)
            figures |= {f"{name}_{size}_{chain.name}": value for name, value in found.items()}
            names = ("mb", "ours_us", "eager", "by_hand", "plain", "copies", "memcpy")
            table.add_row(size, chain.name, *(f"{found[name]:.3g}" if name in found else "-" for name in names))
    console.print(table)
    figures |= summary(figures)
    tell_bound(figures)
    missing = () if torch else tuple(each.figure for each in BENCHMARK.targets if each.figure.startswith(TORCH_PEERS))
    return BENCHMARK.judge(figures, left_out=missing)


def loaded_torch() -> Any | None:
    """Return PyTorch on one thread, or None where a tiny run goes on without it."""
    try:
        torch = importlib.import_module("torch")
    except ModuleNotFoundError:
        if is_tiny():
            return None
        raise SystemExit(f"expected torch to be installed:{str(__doc__).rpartition('apart:')[2]}") from None
    torch.set_num_threads(1)
    return torch


def measured(chain: Chain, size: str, torch: Any | None) -> dict[str, float]:
    """Return the ratios of one chain, after checking that all ways give the same."""
    arrays = chain.arrays(size)
    expected = chain.plain(arrays)
    contestants: dict[str, Callable[[], Any]] = {
        "ours": filled_session(chain, size, arrays, expected, compiled=True).execute,
        "copies": filled_session(chain, size, arrays, expected, compiled=False).execute,
        "plain": lambda: chain.plain(arrays),
        "memcpy": memcpy_of(sum(array.nbytes for array in expected)),
    }
    with torch.inference_mode() if torch else nullcontext():
        contestants |= torch_ways(chain, torch, arrays, expected) if torch else {}
        times = take_turns(contestants)
    ours = times.pop("ours")
    copy = times["memcpy"]
    ratios = {name: [theirs / own for theirs, own in zip(each, ours, strict=True)] for name, each in times.items()}
    ratios["memcpy"] = [own / floor for own, floor in zip(ours, copy, strict=True)]
    if torch:
        ratios["possible"] = [theirs / floor for theirs, floor in zip(times["eager"], copy, strict=True)]
    return {
        "mb": sum(array.nbytes for array in expected) / 1e6,
        "ours_us": statistics.median(ours) * 1e6,
        **{name: statistics.median(values) for name, values in ratios.items()},
    }


def filled_session(chain: Chain, size: str, arrays: list[np.ndarray], expected: Any, *, compiled: bool) -> Session:
    """Return a session with its inputs; exit unless it computes what is expected."""
    building = GraphBuilder(chain.name)
    names = [building.input(f"x{at}", "float32", shape) for at, shape in enumerate(chain.shapes[size])]
    for name in chain.build(building, names):
        building.output(name)
    session = Session(building.build(), compiled=compiled)
    for target, array in zip(session.inputs.values(), arrays, strict=True):
        target[...] = array
    session.execute()
    check(chain, "our session", session.outputs.values(), expected)
    return session


def torch_ways(chain: Chain, torch: Any, arrays: list[np.ndarray], expected: Any) -> dict[str, Callable[[], Any]]:
    """Return the two ways of PyTorch; exit unless both compute what is expected."""
    tensors = [torch.from_numpy(array) for array in arrays]
    outputs = [torch.empty(array.shape) for array in expected]
    chain.by_hand(tensors, outputs)
    check(chain, "PyTorch by hand", (each.numpy() for each in outputs), expected)
    check(chain, "eager PyTorch", (each.numpy() for each in chain.eager(torch, tensors)), expected)
    return {"eager": lambda: chain.eager(torch, tensors), "by_hand": lambda: chain.by_hand(tensors, outputs)}


def check(chain: Chain, who: str, found: Any, expected: Any) -> None:
    if not all(np.array_equal(ours, theirs) for ours, theirs in zip(found, expected, strict=True)):
        raise SystemExit(f"{chain.name}: expected {who} to give what NumPy gives, found something else")


def memcpy_of(count: int) -> Callable[[], Any]:
    source, target = np.ones(count, "uint8"), np.zeros(count, "uint8")
    return lambda: np.copyto(target, source)


def take_turns(contestants: Contestants) -> dict[str, list[float]]:
    """Return the seconds of each contestant in each round: the mean of a batch of calls."""
    batch_s = BENCHMARK.amount("batch_ms") / 1e3
    repeats = {name: max(1, round(batch_s / seconds(call, 3))) for name, call in contestants.items()}
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(BENCHMARK.size("rounds")):
        for name in sorted(contestants, reverse=bool(number % 2)):
            times[name].append(seconds(contestants[name], repeats[name]))
    return times


def seconds(call: Callable[[], Any], repeats: int) -> float:
    """Return the processor time of a call, after one that is not counted."""
    call()
    begin = time.process_time_ns()
    for _ in range(repeats):
        call()
    return max(time.process_time_ns() - begin, 1) / repeats / 1e9


def tell_bound(figures: Mapping[str, float]) -> None:
    """Print the cause where not even memcpy would be as far ahead of eager PyTorch as the target asks."""
    target, possible = 15, figures["possible_large"]
    if possible < target:
        console.print(
            f"eager_large: {target} is out of reach here. Eager PyTorch takes {possible:.1f} times as long as a memcpy"
            f" of the outputs, and we take {figures['memcpy_large']:.2f} times as long as that."
        )


def summary(figures: Mapping[str, float]) -> dict[str, float]:
    """Return the geometric means over chains, by size; of PyTorch by hand also over both sizes."""

    def mean(*beginnings: str) -> float:
        found = [value for name, value in figures.items() if name.startswith(beginnings)]
        return statistics.geometric_mean(found) if found else float("nan")

    peers = ("eager", "by_hand", "plain", "copies", "memcpy", "possible")
    by_size = {f"{peer}_{size}": mean(f"{peer}_{size}_") for peer in peers for size in SIZES}
    return {**by_size, "by_hand": mean("by_hand_small_", "by_hand_large_")}


if __name__ == "__main__":
    sys.exit(main())
