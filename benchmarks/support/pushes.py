"""Pushes of a task's versions as developers make them, with git over HTTP, and the same into a plain repository."""

from __future__ import annotations

import base64
import os
import random
import statistics
import subprocess
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from benchmarks.support.live.processes import WalleProcesses
from benchmarks.support.ratios import Ratio

IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgSign=false")
SCENARIO, TASK = "lens", "weights"


@dataclass
class Developer:
    """A clone with the files of one task, and the two repositories that its versions are pushed to."""

    folder: Path
    plain: Path
    remote: str
    token: str
    files: int
    megabytes: int
    versions: int = 0
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def join(
        cls, processes: WalleProcesses, folder: Path, files: int, megabytes: int, task_files: dict[str, str]
    ) -> Developer:
        """Create a developer with a token, and a first commit that is not pushed yet; the scenario is new."""
        from django.contrib.auth.models import User

        from accounts_app.actors import SYSTEM, Actor
        from accounts_app.services.tokens import issue_token
        from tasks_app.services.scenarios import create_scenario

        create_scenario(actor=SYSTEM, slug=SCENARIO)
        user = User.objects.create(username="ada", is_staff=True, is_superuser=True)
        token = issue_token(actor=Actor(user=user), user=user, name="bench")[1]
        developer = cls(
            folder / "clone", folder / "plain", f"{processes.address}/git/{SCENARIO}.git", token, files, megabytes
        )
        (developer.folder / "weights").mkdir(parents=True)
        subprocess.run(["git", "init", "--quiet", "--bare", str(developer.plain)], check=True)
        developer.git("init", "--quiet")
        for name, text in task_files.items():
            (developer.folder / name).write_text(text)
        return developer

    def git(self, *arguments: str) -> None:
        """Run git in the clone; raises CalledProcessError. The token is only in the environment."""
        credentials = base64.b64encode(f"token:{self.token}".encode()).decode()
        environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_COUNT": "1"}
        environment |= {"GIT_CONFIG_KEY_0": "http.extraHeader"}
        environment |= {"GIT_CONFIG_VALUE_0": f"Authorization: Basic {credentials}"}
        subprocess.run(["git", *IDENTITY, *arguments], cwd=self.folder, env=environment, check=True)

    def commit(self, rng: random.Random, share: float) -> str:
        """Commit a version with this many new files; return its number."""
        for number in range(max(1, round(self.files * share))):
            path = self.folder / "weights" / f"layer-{number:04}.bin"
            path.write_bytes(rng.randbytes(self.megabytes * 1_000_000 // self.files))
        self.versions += 1
        version = f"1.0.{self.versions}"
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", f"Weights {version}")
        self.git("tag", f"{TASK}/{version}")
        return version

    def push(self, name: str, target: str, version: str) -> None:
        """Push branch and tag, and record how long git took until it had the server's answer."""
        os.sync()  # so that earlier writes do not delay this push
        started = time.perf_counter()
        self.git("push", "--quiet", target, f"HEAD:refs/heads/{TASK}", f"refs/tags/{TASK}/{version}")
        self.times[name].append(time.perf_counter() - started)

    def take_turn(self, rng: random.Random, round_: int) -> None:
        """Push a version with all files new, and one with a tenth of them, to both repositories in turn."""
        for kind, share in (("cold", 1.0), ("warm", 0.1)):
            version = self.commit(rng, share)
            targets = {f"push_{kind}": self.remote, f"plain_{kind}": str(self.plain)}
            for name in sorted(targets, reverse=round_ % 2 == 0):
                self.push(name, targets[name], version)
            expect_registered(version)

    def figures(self) -> dict[str, float]:
        """Return the times, and how many times as long as a plain push one into the product takes."""
        found: dict[str, float] = {}
        for name, times in self.times.items():
            found |= {f"{name}_p50_ms": statistics.median(times) * 1e3}
            found |= {f"{name}_p99_ms": float(np.percentile(times, 99)) * 1e3}
        for kind in ("cold", "warm"):
            pairs = zip(self.times[f"push_{kind}"], self.times[f"plain_{kind}"], strict=True)
            found |= Ratio.of([pushed / plain for pushed, plain in pairs]).figures(f"push_{kind}_to_plain_push")
        return found


def expect_registered(version: str) -> None:
    """End the benchmark unless a version is registered, as git's answer to the push claims."""
    from tasks_app.models import TaskVersion

    if not TaskVersion.objects.filter(task__scenario__slug=SCENARIO, task__slug=TASK, version=version).exists():
        raise SystemExit(f"expected {TASK} {version} to be registered when its push has ended")


def web_memory_mb(processes: WalleProcesses) -> float:
    """Return the resident memory of the web server, including processes of git that it has started."""
    process: Any = processes.web.process
    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    return sum(member.memory_info().rss for member in family) / 1e6
