"""Claim: a build of walle-device with only what its tasks need takes much less than the whole, and costs nothing.

What each part takes (interpreter, standard library, walle-device, each package), whole and in a build that
`walle device package` makes: for a task that needs no package, and for the examples, which need numpy; in bytes,
compressed too. Whole is what is installed, in sources, without caches, the standard library's tests and debuggers'
sections. Then, in turns, whole and tailored: how long a new process takes that imports
`walle.device.embedding`, and the resident memory that it rests with; with numpy too. What each extra of walle-device
adds, if it declares any. A ratio is whole to tailored; one of times is the median over rounds, with its interval.

The paper (section 4.3) has 10 MB and more to 1.3 MB for the interpreter, 2.1 MB to 51 KB for NumPy, 1.2 MB to 129 KB
for OpenCV. Those are another thing, which the output says: a CPython without its compiler, for a phone, and libraries
that were written anew on a tensor engine. Here everything is the original, and what nobody needs is left out.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.ratios import Ratio
from benchmarks.support.walle import ROOT
from walle.cli.trial import prepare
from walle.packaging.inventory import INTERPRETER, STANDARD_LIBRARY, installed_parts
from walle.packaging.making import InstalledTask, TailoredBuild, make_build
from walle.packaging.plan import PACKAGES
from walle.packaging.writing import PartSizes, program_of, total, whole_size

BENCHMARK = Benchmark(
    "tailoring",
    scale={"rounds": Dimension(40, 1), "examples": Dimension(3, 1)},
    targets=(
        Target("light_standard_library_ratio", at_least=2),
        Target("light_python_ratio", at_least=1.5),
        Target("light_total_ratio", at_least=1.4),
        Target("examples_numpy_ratio", at_least=1.25),
        Target("light_start_ratio", at_least=0.9),
        Target("light_memory_ratio", at_least=0.95),
        Target("examples_start_ratio", at_least=0.9),
        Target("examples_memory_ratio", at_least=0.95),
    ),
    assumptions=(
        "paper: interpreter 10 MB to 1.3 MB (7.7x) by leaving the compiler out of CPython's C, on a phone; here "
        "libpython stays whole (python_ratio: it and the standard library), because nothing is compiled anew",
        "paper: NumPy 2.1 MB to 51 KB (41x), OpenCV 1.2 MB to 129 KB (9x), as rewritten on MNN; here numpy is the "
        "original, and its compiled core and OpenBLAS, which cannot be split, are most of it",
        "OpenCV is not measured: no task here requires it",
        "sizes: whole in sources, tailored in bytecode, which is larger than its source where that has few comments",
        "start and memory: files are in the page cache, and whole has its compiled caches",
        "walle-device declares no extra yet, unless extra_... figures say otherwise",
    ),
)
EXAMPLES: Final = ("image", "text", "recommendation")
TASK: Final = """
[task]
entry_point = "main:run"
[inputs.x]
type = "integer"
[outputs.y]
type = "integer"
[trigger]
every_s = 60
[[samples]]
name = "one"
input = { x = 1 }
[samples.expect]
y = { equals = 2 }
"""
CODE: Final = "def run(inputs, context):\n    return {'y': 2 * inputs['x']}\n"
PROGRAM: Final = """
import sys
sys.path[:0] = {paths!r}
import walle.device.embedding
{more}
with open("/proc/self/status") as file:
    print(next(line.split()[1] for line in file if line.startswith("VmRSS")))
"""


def light_task(folder: Path) -> Path:
    """The folder of a task that needs nothing but Python."""
    folder.mkdir()
    (folder / "task.toml").write_text(TASK)
    (folder / "main.py").write_text(CODE)
    return folder


def build_for(folders: Sequence[Path], into: Path) -> TailoredBuild:
    """Make a build for tasks; all their samples pass in it, or nothing is measured."""
    into.mkdir()
    trials = [prepare(folder, into / f"task{at}", inputs=None, variants={}) for at, folder in enumerate(folders)]
    tasks = [InstalledTask(str(at), one.bundle, one.manifest, one.cases) for at, one in enumerate(trials)]
    build = make_build(tasks, into / "build", asked=(), tell=lambda _: None)
    failed = [one.name for results in build.trials.values() for one in results if not one.passed]
    if failed:
        raise SystemExit(f"samples failed in the build: {', '.join(failed)}")
    return build


# -- sizes


def show(name: str, sizes: Mapping[str, PartSizes]) -> None:
    """Print what each part takes."""
    made = Table("part", "whole KB", "tailored KB", "compressed KB", "tailored", "ratio", title=name)
    for part, one in sizes.items():
        sizes_kb = (one.whole.plain, one.tailored.plain, one.whole.compressed, one.tailored.compressed)
        made.add_row(part, *(f"{size / 1000:,.0f}" for size in sizes_kb), f"{_ratio(one):.2f}")
    Console(highlight=False, width=130).print(made)


def _ratio(sizes: PartSizes) -> float:
    return sizes.whole.plain / sizes.tailored.plain if sizes.tailored.plain else float("inf")


def size_figures(name: str, build: TailoredBuild) -> dict[str, float]:
    """Bytes, whole and tailored, and their ratios: of each part, of Python, of all."""
    sizes = dict(build.sizes)
    python = (sizes[INTERPRETER], sizes[STANDARD_LIBRARY])
    sizes["python"] = PartSizes(total(one.whole for one in python), total(one.tailored for one in python))
    sizes["total"] = build.total
    show(name, sizes)
    figures = {}
    for part, one in sizes.items():
        key = f"{name}_{part.replace(' ', '_').replace('-', '_')}"
        figures |= {
            f"{key}_whole_bytes": one.whole.plain,
            f"{key}_tailored_bytes": one.tailored.plain,
            f"{key}_whole_compressed_bytes": one.whole.compressed,
            f"{key}_tailored_compressed_bytes": one.tailored.compressed,
            f"{key}_ratio": _ratio(one),
        }
    return figures


def extra_figures() -> dict[str, float]:
    """What each extra of walle-device takes beside what is there without it."""
    project = tomllib.loads((ROOT / "deploy" / "device" / "pyproject.toml").read_text())["project"]
    without = {part.name for part in installed_parts(_names(project["dependencies"]))}
    extras = project.get("optional-dependencies", {})
    added = {
        extra: [part for part in installed_parts(_names(lines)) if part.name not in without]
        for extra, lines in extras.items()
    }
    return {
        f"extra_{extra}_bytes": total(whole_size(part, {}) for part in parts).plain for extra, parts in added.items()
    }


def _names(requirements: Sequence[str]) -> list[str]:
    return [requirement.partition(">")[0] for requirement in requirements]


# -- start and memory


def measure(command: Sequence[str]) -> tuple[float, float]:
    """Seconds of a process, and the resident memory that it rests with, in KiB."""
    started = time.perf_counter()
    done = subprocess.run(command, env={}, capture_output=True, text=True, check=True)
    return time.perf_counter() - started, float(done.stdout)


def commands(build: Path, more: str) -> dict[str, list[str]]:
    """Programs that import what a device does, whole and tailored; both without `site`, which an app has no use for."""
    paths = {"whole": [str(ROOT), sysconfig.get_path("purelib")], "tailored": [str(build / PACKAGES)]}
    programs = {"whole": sys.executable, "tailored": str(program_of(build))}
    return {way: [programs[way], "-I", "-S", "-c", PROGRAM.format(paths=paths[way], more=more)] for way in programs}


def start_figures(name: str, ways: Mapping[str, Sequence[str]], rounds: int) -> dict[str, float]:
    """Times and memory of both ways, in turns, and their ratios."""
    if rounds > 1:
        for command in ways.values():
            measure(command)  # both ways are warm then
    found = [{way: measure(command) for way, command in ways.items()} for _ in range(rounds)]
    figures = {}
    for at, (what, unit, factor) in enumerate((("start", "ms", 1000), ("memory", "kb", 1))):
        for way in ways:
            figures[f"{name}_{way}_{what}_{unit}"] = median(one[way][at] for one in found) * factor
        figures |= Ratio.of([one["whole"][at] / one["tailored"][at] for one in found]).figures(f"{name}_{what}_ratio")
    return figures


def main() -> int:
    BENCHMARK.announce()
    rounds = BENCHMARK.size("rounds")
    figures = extra_figures()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        examples = [ROOT / "examples" / one / "task" for one in EXAMPLES[: BENCHMARK.size("examples")]]
        for kind, folders, more in (
            ("light", [light_task(folder / "task")], ""),
            ("examples", examples, "import numpy"),
        ):
            build = build_for(folders, folder / kind)
            figures |= size_figures(kind, build)
            figures |= start_figures(kind, commands(folder / kind / "build", more), rounds)
    return BENCHMARK.judge(figures)


if __name__ == "__main__":
    sys.exit(main())
