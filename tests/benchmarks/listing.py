"""All benchmarks: the modules of `benchmarks`, each with its declaration under the name BENCHMARK."""

from importlib import import_module

from benchmarks.support.harness import Benchmark
from benchmarks.support.walle import ROOT

NAMES = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if path.stem != "__init__")


def declared(name: str) -> Benchmark:
    """The benchmark that a module declares."""
    found: Benchmark = import_module(f"benchmarks.{name}").BENCHMARK
    return found
