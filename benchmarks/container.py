"""Claim: an isolated run costs about as much as a bare start of Python, and with numpy a small part of it.

A trivial task and one that computes with numpy, in the sandbox, are compared with a fresh interpreter that does the
same without isolation (`python -I -B -c`). Contestants alternate, so that drift of the machine affects all of them; a
ratio is the median over rounds, printed with its 95 % confidence interval.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.ratios import Ratio
from walle.container.sandbox import Sandbox

BENCHMARK = Benchmark(
    "container",
    scale={"rounds": Dimension(60, 3)},
    targets=(Target("bare_to_sandbox_trivial", at_least=0.5), Target("bare_to_sandbox_numpy", at_least=5)),
    assumptions=(
        "the task's files are in the page cache, as they are on a device that runs a task again and again",
        "the sandbox was used before: its first run, which prepares what later ones share, does not count",
        "whatever else the machine does hits all contestants alike",
    ),
)
TRIVIAL = "def run(inputs, context):\n    return {'y': inputs['x'] + 1}\n"
NUMPY = "import numpy as np\ndef run(inputs, context):\n    return {'y': int(np.arange(inputs['x']).sum())}\n"
BARE = {
    "bare_trivial": "print(1 + 1)",
    "bare_numpy": "import numpy as np; print(int(np.arange(9).sum()))",
}


def manifest(*modules: str) -> dict[str, Any]:
    integer = {"type": "integer"}
    return {
        "entry_point": "main:run",
        "inputs": {"x": integer},
        "outputs": {"y": integer},
        "metrics": {},
        "limits": {"time_ms": 10_000, "memory_mb": 256, "output_kb": 64},
        "requires": {"modules": list(modules)},
        "files": [],
    }


def contestants(sandbox: Sandbox, folder: Path) -> dict[str, Callable[[], None]]:
    """Return the timed calls: each is one start, one answer and one end."""

    def in_sandbox(name: str, source: str, *modules: str) -> Callable[[], None]:
        bundle = folder / name
        bundle.mkdir()
        (bundle / "main.py").write_text(source)

        def call() -> None:
            result = sandbox.run(bundle, manifest(*modules), {"x": 9})
            if not result.ok:
                raise SystemExit(f"{name}: {result.error_class}: {result.message}")

        return call

    def bare(code: str) -> Callable[[], None]:
        command = [sys.executable, "-I", "-B", "-c", code]
        return lambda: subprocess.run(command, check=True, capture_output=True, env={}) and None

    return {
        "sandbox_trivial": in_sandbox("sandbox_trivial", TRIVIAL),
        "sandbox_numpy": in_sandbox("sandbox_numpy", NUMPY, "numpy"),
        **{name: bare(code) for name, code in BARE.items()},
    }


def main() -> int:
    BENCHMARK.announce()
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, Sandbox() as sandbox:
        calls = contestants(sandbox, Path(folder))
        for call in calls.values():
            call()
        for _ in range(BENCHMARK.size("rounds")):
            for name, call in calls.items():
                started = time.perf_counter()
                call()
                times.setdefault(name, []).append((time.perf_counter() - started) * 1000)
    figures = {f"{name}_p50_ms": statistics.median(values) for name, values in times.items()}
    figures |= {f"{name}_p99_ms": float(np.percentile(values, 99)) for name, values in times.items()}
    for kind in ("trivial", "numpy"):
        pairs = zip(times[f"bare_{kind}"], times[f"sandbox_{kind}"], strict=True)
        figures |= Ratio.of([bare / sandboxed for bare, sandboxed in pairs]).figures(f"bare_to_sandbox_{kind}")
    return BENCHMARK.judge(figures)


if __name__ == "__main__":
    sys.exit(main())
