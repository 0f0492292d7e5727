"""Claim: registering a tag costs little more than reading it once and hashing it.

A tag with 200 files of 100 MB in all is checked as in a push and registered (`check_push`, `register_version`):
afterwards its files are in the artifact store, on the disk, and its signed manifest and rows in PostgreSQL. Beside it,
in the same rounds, the unavoidable work is measured: sha256 over the same files, and one `git archive` of the tag into
a file without waiting for the disk. The files are random bytes, which like weights do not compress.

Cold: none of its files was seen before, and the store is empty. Warm: nine tenths of them are those of the version
before.

Before that the same is done as developers do it: `git push` of branch and tag over HTTP into the running product, with
its web server and workers, until git has the answer that the version is registered. Beside it, alternating, the same
push into a plain bare repository on the same disk, without hooks and without HTTP.
"""

from __future__ import annotations

import gc
import hashlib
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.live.processes import WalleProcesses, running_processes
from benchmarks.support.outcome import Target
from benchmarks.support.pushes import IDENTITY, Developer, web_memory_mb
from benchmarks.support.ratios import Ratio
from walleweb.embedded.supervisor import stop_together

BENCHMARK = Benchmark(
    "register",
    scale={
        "rounds": Dimension(15, 1),
        "push_rounds": Dimension(9, 1),
        "files": Dimension(200, 6),
        "megabytes": Dimension(100, 1),
    },
    targets=(
        Target("cold_to_sha256_and_archive", at_most=3),
        Target("push_cold_to_plain_push", at_most=2),
    ),
    assumptions=(
        "client and server share this machine's cores, its disk and its page cache; the loopback interface, no TLS",
        "files are random bytes, which neither compress nor resemble those of the version before",
        "nobody else pushes: registrations of one scenario come one after the other",
        "the plain repository is pushed to by its path, and has no hooks and no settings but git's own",
    ),
)
# Number of files, and MB in all.
CLAIMED = (BENCHMARK.size("files"), BENCHMARK.size("megabytes"))
SIZES = (CLAIMED,) if is_tiny() or "BENCH_CLAIMED_ONLY" in os.environ else ((20, 10), CLAIMED, (1000, 300))
SEED = 2022
TASK_FILES = {
    "task.toml": '[task]\ndescription = "Adds one"\nentry_point = "main:run"\n\n'
    '[inputs.x]\ntype = "number"\n\n[outputs.y]\ntype = "number"\n\n[trigger]\nevery_s = 5\n\n'
    '[[samples]]\nname = "one"\ninput = { x = 1 }\n[samples.expect]\ny = { equals = 2 }\n',
    "main.py": "def run(inputs, context):\n    return {'y': inputs['x'] + 1}\n",
}
console = Console(width=110)


@dataclass
class Tree:
    """A folder with the files of one size; the branch of the same name in the scenario's repository contains them."""

    name: str
    folder: Path
    bare: Path
    tags: int = 0
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    peak_mb: float = 0.0

    def git(self, *arguments: str, **options: Any) -> None:
        subprocess.run(["git", *IDENTITY, *arguments], cwd=self.folder, check=True, **options)

    def push(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "Weights")
        self.git("push", "--quiet", str(self.bare), f"HEAD:refs/heads/{self.name}")

    def next_tag(self) -> tuple[str, str]:
        """Return a version that is not registered yet, and the object of its tag; its push creates the tag itself."""
        self.tags += 1
        version = f"1.0.{self.tags}"
        tagged = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=self.folder, text=True).strip()
        return version, tagged

    def change_a_tenth(self, rng: random.Random) -> None:
        files = sorted(self.folder.glob("weights/*"))
        for path in files[: max(1, len(files) // 10)]:
            path.write_bytes(rng.randbytes(path.stat().st_size))
        self.push()

    def hashed(self) -> None:
        for path in sorted(self.folder.glob("weights/*")):
            with path.open("rb") as file:
                hashlib.file_digest(file, "sha256")

    def archived(self) -> None:
        command = ["git", "archive", f"--output={self.folder}.tar", self.name]
        subprocess.run(command, cwd=self.bare, check=True)

    def timed(self, name: str, call: Callable[[], None]) -> None:
        started = time.perf_counter()
        call()
        self.times[name].append(time.perf_counter() - started)

    def p50_ms(self, name: str) -> float:
        return statistics.median(self.times[name]) * 1e3

    @property
    def ratio(self) -> Ratio:
        """Return the time to register cold as a multiple of that to hash and archive in the same round."""
        rounds = zip(self.times["cold"], self.times["sha256"], self.times["archive"], strict=True)
        return Ratio.of([cold / (hashing + archiving) for cold, hashing, archiving in rounds])


def make_tree(folder: Path, files: int, megabytes: int, rng: random.Random) -> Tree:
    from tasks_app.repository import repository_path

    tree = Tree(f"f{files}", folder / f"f{files}", repository_path("camera"))
    (tree.folder / "weights").mkdir(parents=True)
    tree.git("init", "--quiet")
    for name, text in TASK_FILES.items():
        (tree.folder / name).write_text(text)
    for number in range(files):
        (tree.folder / "weights" / f"layer-{number:04}.bin").write_bytes(rng.randbytes(megabytes * 1_000_000 // files))
    tree.push()
    return tree


def register(tree: Tree, version: str, oid: str) -> None:
    """Do what the hooks of a push do with one new tag."""
    from accounts_app.actors import SYSTEM
    from tasks_app.models import Scenario
    from tasks_app.repository import NO_COMMIT, Repository
    from tasks_app.services.pushes import Push, RefUpdate, check_contents, check_push
    from tasks_app.services.registration import follow_branches, register_version

    scenario = Scenario.objects.get(slug="camera")
    ref = f"refs/tags/{tree.name}/{version}"
    push = Push.of([RefUpdate(NO_COMMIT, oid, ref)])
    with Repository("camera") as repository:
        contents = check_contents(repository=repository, push=push)
        problems = check_push(scenario=scenario, repository=repository, push=push, contents=contents)
    if problems:
        raise SystemExit("\n".join(map(str, problems)))
    subprocess.run(["git", "update-ref", ref, oid], cwd=tree.bare, check=True)
    with Repository("camera") as repository:
        follow_branches(actor=SYSTEM, scenario=scenario, repository=repository)
        register_version(actor=SYSTEM, scenario=scenario, task=tree.name, version=version, repository=repository)


def forget() -> None:
    """Delete all artifacts and their records, so that no file was seen before."""
    from django.conf import settings

    from tasks_app.models import IngestedBlob

    IngestedBlob.objects.all().delete()
    shutil.rmtree(settings.WALLE_ARTIFACTS_DIR, ignore_errors=True)
    # Write to the disk what the deletion left, so that the next measurement does not wait for it.
    os.sync()


def peak_memory_mb(call: Callable[[], None]) -> float:
    """Return by how much the resident memory of this process grows during a call."""
    before = _memory_mb("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    call()
    return _memory_mb("VmHWM") - before


def _memory_mb(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1e3


def measure(tree: Tree, rng: random.Random) -> None:
    """Measure one round: the unavoidable work, then cold, then warm."""
    tree.timed("sha256", tree.hashed)
    tree.timed("archive", tree.archived)
    forget()
    cold = partial(register, tree, *tree.next_tag())
    tree.peak_mb = max(tree.peak_mb, peak_memory_mb(lambda: tree.timed("cold", cold)))
    tree.change_a_tenth(rng)
    os.sync()
    tree.timed("warm", partial(register, tree, *tree.next_tag()))


def show(trees: dict[tuple[int, int], Tree]) -> None:
    columns = ("files", "MB", "sha256 ms", "git archive ms", "cold ms", "cold ratio", "warm ms", "peak MB")
    table = Table(*columns, title="p50")
    for (files, megabytes), tree in trees.items():
        times = [tree.p50_ms(name) for name in ("sha256", "archive", "cold")]
        figures = (*times, tree.ratio.median, tree.p50_ms("warm"), tree.peak_mb)
        table.add_row(str(files), str(megabytes), *(f"{figure:.1f}" for figure in figures))
    console.print(table)


def main() -> int:
    BENCHMARK.announce()
    rng = random.Random(SEED)
    with running_processes(gateways=0, workers=0 if is_tiny() else 1) as processes:
        figures = push(processes, rng)
        # The sweep of a running worker would register the tags of this benchmark.
        stop_together(processes.programs)
        figures |= register_in_process(processes.folder, rng)
    return BENCHMARK.judge(figures)


def push(processes: WalleProcesses, rng: random.Random) -> dict[str, float]:
    """Push into the running product and into a plain repository."""
    from django.utils import timezone

    from devices_app.services.keys import ensure_keys

    ensure_keys(now=timezone.now())
    before = web_memory_mb(processes)
    developer = Developer.join(processes, processes.folder / "developer", *CLAIMED, TASK_FILES)
    for round_ in range(BENCHMARK.size("push_rounds")):
        developer.take_turn(rng, round_)
        took = ", ".join(f"{name} {times[-1] * 1e3:.0f} ms" for name, times in developer.times.items())
        console.print(f"push {round_ + 1}: {took}")
    figures = developer.figures()
    table = Table(
        "push of", "p50 ms", "p99 ms", "plain p50 ms", "times plain", "95 % interval", title="git push over HTTP"
    )
    for kind in ("cold", "warm"):
        ratio = f"push_{kind}_to_plain_push"
        times = [figures[f"push_{kind}_p50_ms"], figures[f"push_{kind}_p99_ms"], figures[f"plain_{kind}_p50_ms"]]
        interval = f"{figures[f'{ratio}_low']:.2f} to {figures[f'{ratio}_high']:.2f}"
        table.add_row(kind, *(f"{value:.0f}" for value in times), f"{figures[ratio]:.2f}", interval)
    console.print(table)
    return figures | {"web_memory_start_mb": before, "web_memory_end_mb": web_memory_mb(processes)}


def register_in_process(folder: Path, rng: random.Random) -> dict[str, float]:
    """Do in this process what the hooks of a push do, for tags of several sizes."""
    from accounts_app.actors import SYSTEM
    from tasks_app.repository import repository_path
    from tasks_app.services.scenarios import create_scenario

    create_scenario(actor=SYSTEM, slug="camera")
    subprocess.run(["git", "config", "core.hooksPath", os.devnull], cwd=repository_path("camera"), check=True)
    trees = {size: make_tree(folder / "trees", *size, rng) for size in SIZES}
    # Like the process that runs the hooks of a push.
    gc.freeze()
    for _ in range(BENCHMARK.size("rounds")):
        for tree in trees.values():
            measure(tree, rng)
    show(trees)
    claimed = trees[CLAIMED]
    figures = {f"{name}_p50_ms": claimed.p50_ms(name) for name in ("sha256", "archive", "cold", "warm")}
    figures |= {f"{name}_p99_ms": float(np.percentile(claimed.times[name], 99)) * 1e3 for name in ("cold", "warm")}
    figures |= claimed.ratio.figures("cold_to_sha256_and_archive") | {"peak_memory_mb": claimed.peak_mb}
    return figures | {f"cold_{files}_files_{mb}_mb_ms": tree.p50_ms("cold") for (files, mb), tree in trees.items()}


if __name__ == "__main__":
    sys.exit(main())
