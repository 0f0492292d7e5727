"""Claim: collective storage takes 20 times fewer transactions and ten times less time than one write per output.

Outputs of a stream task go into its table (`walle.stream.tables`) and, for comparison, into the same table by one
transaction each: a prepared statement on a connection with the same pragmas of durability, the rest as SQLite has it,
without limits to keep. Both encode the same outputs the same way. Contestants alternate within each round, on files of
their own on a disk; a ratio is the median over rounds, printed with its 95 % confidence interval.

What is durable when: a write of its own outlives kill -9 and a loss of power as soon as it returns. Collected outputs
do so from the flush on: a kill loses those in memory, at most 64 here, which `tests/stream/test_killed.py` tries.
`encoding_unsynced` is the same with `synchronous = OFF` on both sides, where only kills are outlived: writing is cheap
then, and both spend most of their time on encoding.

- `encoding`: an item and its encoding, 32 numbers, which is what is judged;
- `small`, `feature`, `large`: an item and a text of 16 bytes, 1.3 KB (the paper's IPV feature), 16 KB.

`..._bytes` is what one output has the process write, `..._put_p50_us` and `..._put_p99_us` what one call takes.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.ratios import Ratio
from walle.stream.tables import CollectiveTable, Retention

BENCHMARK = Benchmark(
    "storage",
    scale={"rounds": Dimension(15, 2), "outputs": Dimension(2048, 128)},
    targets=(Target("encoding_transactions", at_least=20), Target("encoding_speed", at_least=10)),
    assumptions=(
        "outputs come one after the other without a pause, so that the threshold of 64 is what makes a flush",
        "a disk that is as quick to sync as this one; a slower one favours collective storage",
        "collective storage also keeps its limits meanwhile (rows, age, bytes), the single writes keep none",
    ),
)
RETENTION: Final = Retention(rows=10_000, age_s=30 * 86_400, bytes=4 << 20)
ENCODING: Final = [round(float(number), 6) for number in np.random.default_rng(7).normal(size=32).astype("float32")]
SHAPES: Final[Mapping[str, tuple[str, Any]]] = {
    "encoding": ("tensor", ENCODING),
    "small": ("text", "x" * 16),
    "feature": ("text", "x" * 1300),
    "large": ("text", "x" * 16_384),
}


@dataclass
class Measured:
    """What one round of one contestant took: outputs per second, seconds of each call, bytes and transactions each."""

    rate: float
    calls: list[float] = field(repr=False)
    written: float
    transactions: float


def collected(
    path: Path, kind: str, *, sync: bool
) -> tuple[Callable[[dict[str, Any], float], None], Callable[[], int]]:
    """Return what puts an output, and what ends and says how many transactions there were."""
    table = CollectiveTable(path, {"item": "text", "value": kind}, retention=RETENTION, sync=sync)

    def end() -> int:
        table.close()
        return table.transactions

    return table.put, end


def singly(path: Path, kind: str, *, sync: bool) -> tuple[Callable[[dict[str, Any], float], None], Callable[[], int]]:
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", f"synchronous = {'FULL' if sync else 'OFF'}"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE outputs (id INTEGER PRIMARY KEY, at REAL NOT NULL, item TEXT, value TEXT)")
    connection.execute("CREATE INDEX outputs_at ON outputs (at)")
    doubles = struct.Struct(f"<{len(ENCODING)}d")
    count = 0

    def put(output: dict[str, Any], at: float) -> None:
        nonlocal count
        values = (at, output["item"], doubles.pack(*output["value"]) if kind == "tensor" else output["value"])
        connection.execute("INSERT INTO outputs (at, item, value) VALUES (?, ?, ?)", values)
        count += 1

    def end() -> int:
        connection.close()
        return count

    return put, end


CONTESTANTS: Final = {"collected": collected, "singly": singly}


def measured(folder: Path, contestant: str, shape: str, *, sync: bool) -> Measured:
    kind, value = SHAPES[shape]
    put, end = CONTESTANTS[contestant](folder / f"{contestant}.sqlite", kind, sync=sync)
    outputs, calls = BENCHMARK.size("outputs"), list[float]()
    before, started = bytes_written(), time.perf_counter()
    for number in range(outputs):
        called = time.perf_counter()
        put({"item": f"item/{number}", "value": value}, time.time())
        calls.append(time.perf_counter() - called)
    transactions = end()
    took = time.perf_counter() - started
    return Measured(outputs / took, calls, (bytes_written() - before) / outputs, transactions / outputs)


def bytes_written() -> int:
    """Return how many bytes this process has handed to write calls."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("wchar")))


def filesystem(folder: Path) -> str:
    """Return the type of the file system that a folder is on."""
    mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    _, kind = max((len(place), kind) for place, kind in mounts if folder.resolve().is_relative_to(place))
    return kind


def figures_of(name: str, rounds: Mapping[str, list[Measured]]) -> dict[str, float]:
    """Return the figures of one shape from the rounds of both contestants."""
    pairs = list(zip(rounds["collected"], rounds["singly"], strict=True))
    figures = Ratio.of([ours.rate / theirs.rate for ours, theirs in pairs]).figures(f"{name}_speed")
    figures[f"{name}_transactions"] = statistics.median(
        theirs.transactions / ours.transactions for ours, theirs in pairs
    )
    for contestant, found in rounds.items():
        prefix = f"{name}_{contestant}"
        calls = np.concatenate([each.calls for each in found]) * 1e6
        figures[f"{prefix}_per_s"] = statistics.median(each.rate for each in found)
        figures[f"{prefix}_put_p50_us"], figures[f"{prefix}_put_p99_us"] = np.percentile(calls, [50, 99])
        figures[f"{prefix}_bytes"] = statistics.median(each.written for each in found)
    return figures


def main() -> int:
    BENCHMARK.announce()
    trials = [(shape, shape, True) for shape in SHAPES] + [("encoding_unsynced", "encoding", False)]
    rounds = {name: {contestant: list[Measured]() for contestant in CONTESTANTS} for name, _, _ in trials}
    with tempfile.TemporaryDirectory(prefix="walle-bench-") as root:
        kind = filesystem(Path(root))
        print(f"storage: files on {kind}")
        if BENCHMARK.judged and kind == "tmpfs":
            raise SystemExit("expected files on a disk: name a folder there by TMPDIR")
        for number in range(BENCHMARK.size("rounds")):
            for name, shape, sync in trials:
                for contestant in sorted(CONTESTANTS, reverse=bool(number % 2)):
                    folder = Path(root, f"{number}-{name}")
                    folder.mkdir(exist_ok=True)
                    os.sync()
                    rounds[name][contestant].append(measured(folder, contestant, shape, sync=sync))
    figures: dict[str, float] = {}
    for name, found in rounds.items():
        figures |= figures_of(name, found)
    return BENCHMARK.judge(figures)


if __name__ == "__main__":
    sys.exit(main())
