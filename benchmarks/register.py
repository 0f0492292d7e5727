"""Claim: registering a tag costs little more than reading it once and hashing it.

A tag with 200 files of 100 MB in all is checked as in a push and registered (`check_push`, `register_version`):
afterwards its files are in the artifact store, on the disk, and its signed manifest and rows in PostgreSQL. Beside it,
in the same rounds, what nobody gets around: sha256 over the same files, and one `git archive` of the tag into a file
that nobody waits for to reach the disk. Random bytes, as weights are: they do not compress.

Cold: none of its files was seen before, and the store is empty. Warm: nine tenths of them are those of the version
before.
"""

from __future__ import annotations

import gc
import hashlib
import os
import random
import shutil
import statistics
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.support.outcome import Target, print_outcome
from benchmarks.support.walle import temporary_walle

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "15"))
# Files and MB in all.
CLAIMED = (200, 100)
SIZES = ((20, 10), CLAIMED, (1000, 300)) if "BENCH_CLAIMED_ONLY" not in os.environ else (CLAIMED,)
SEED = 2022
TASK_FILES = {
    "task.toml": '[task]\ndescription = "Adds one"\nentry_point = "main:run"\n\n'
    '[inputs.x]\ntype = "number"\n\n[outputs.y]\ntype = "number"\n\n[trigger]\nevery_s = 5\n\n'
    '[[samples]]\nname = "one"\ninput = { x = 1 }\n[samples.expect]\ny = { equals = 2 }\n',
    "main.py": "def run(inputs, context):\n    return {'y': inputs['x'] + 1}\n",
}
IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgSign=false")
console = Console(width=110)


@dataclass
class Tree:
    """A folder with the files of one size; the branch of the same name in the scenario's repository holds them."""

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
        """A version that is not registered yet, and the object of its tag; the tag itself is made by its push."""
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
    def ratio(self) -> float:
        """Registered cold, in what hashing and archiving took in the same round."""
        rounds = zip(self.times["cold"], self.times["sha256"], self.times["archive"], strict=True)
        return statistics.median(cold / (hashing + archiving) for cold, hashing, archiving in rounds)


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
    """What the hooks of a push do with one new tag."""
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
    """No file was ever seen."""
    from django.conf import settings

    from tasks_app.models import IngestedBlob

    IngestedBlob.objects.all().delete()
    shutil.rmtree(settings.WALLE_ARTIFACTS_DIR, ignore_errors=True)
    # What that leaves for the disk to do is not the next one's to wait for.
    os.sync()


def peak_memory_mb(call: Callable[[], None]) -> float:
    """By how much the resident memory of this process grows during a call."""
    before = _memory_mb("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    call()
    return _memory_mb("VmHWM") - before


def _memory_mb(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1e3


def measure(tree: Tree, rng: random.Random) -> None:
    """One round: what it takes at the least, then cold, then warm."""
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
        figures = (*times, tree.ratio, tree.p50_ms("warm"), tree.peak_mb)
        table.add_row(str(files), str(megabytes), *(f"{figure:.1f}" for figure in figures))
    console.print(table)


def main() -> None:
    rng = random.Random(SEED)
    with temporary_walle() as folder:
        from django.utils import timezone

        from accounts_app.actors import SYSTEM
        from devices_app.services.keys import ensure_keys
        from tasks_app.repository import repository_path
        from tasks_app.services.scenarios import create_scenario

        ensure_keys(now=timezone.now())
        create_scenario(actor=SYSTEM, slug="camera")
        subprocess.run(["git", "config", "core.hooksPath", os.devnull], cwd=repository_path("camera"), check=True)
        trees = {size: make_tree(folder / "trees", *size, rng) for size in SIZES}
        # As the process has done that becomes a push's hooks.
        gc.freeze()
        for _ in range(ROUNDS):
            for tree in trees.values():
                measure(tree, rng)
        show(trees)
    claimed = trees[CLAIMED]
    figures = {f"{name}_p50_ms": claimed.p50_ms(name) for name in ("sha256", "archive", "cold", "warm")}
    figures |= {"cold_to_sha256_and_archive": claimed.ratio, "peak_memory_mb": claimed.peak_mb}
    figures |= {f"cold_{files}_files_{mb}_mb_ms": tree.p50_ms("cold") for (files, mb), tree in trees.items()}
    print_outcome("register", figures, [Target("cold_to_sha256_and_archive", at_most=3)])


if __name__ == "__main__":
    main()
