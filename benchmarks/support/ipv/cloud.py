"""Plays the traffic of all users to a program of the cloud, in real time, and reads the features that it makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from benchmarks.support.ipv.traffic import Traffic
from benchmarks.support.walle import ROOT

BYTEWAX: Final = "bytewax==0.21.1"
END_S: Final = 30.0
LINES_PER_S: Final = 5000
"""How many lines are surely written in a second, before the first one is due."""
SETTLE_S: Final = 1.0
"""Seconds after the last feature is due, before the end."""


@dataclass(frozen=True)
class Joined:
    """What a cloud made: the seconds from the exit to the feature of each view, processor seconds, and how many wrong.

    `missing` are views that had no feature, `wrong` those with another feature than all their events give.
    """

    delays: list[float]
    cpu_s: float
    views: int
    wrong: int
    missing: int


def install_bytewax(folder: Path) -> str | None:
    """Install bytewax into a folder of its own; return why it could not be, None if it could."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), BYTEWAX]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return done.stderr.strip().splitlines()[-1] if done.returncode and done.stderr.strip() else None


def play(module: str, traffic: Traffic, environment: Mapping[str, str], server: psutil.Process | None = None) -> Joined:
    """Play the traffic to `python -m module`, which uses `server` beside its own process, and judge its features."""
    command = [sys.executable, "-m", module, str(traffic.watermark_s)]
    env = {**os.environ, **environment}
    with subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin
        assert program.stdout
        if program.stdout.readline().strip() != b"ready":
            raise SystemExit(f"{module} did not start")
        found: list[bytes] = []
        reader = threading.Thread(target=lambda: found.extend(program.stdout or ()), daemon=True)
        reader.start()
        processes = [psutil.Process(program.pid), *([server] if server else [])]
        begin = time.time() + 0.5 + len(traffic.arrivals) / LINES_PER_S
        lines = [*traffic.lines(begin)]
        before = sum(map(cpu_seconds, processes))
        for when, line in lines:
            time.sleep(max(0.0, when - time.time()))
            program.stdin.write(line)
            program.stdin.flush()
        time.sleep(max(0.0, begin + traffic.seconds + 2 * traffic.watermark_s + SETTLE_S - time.time()))
        cpu_s = sum(map(cpu_seconds, processes)) - before
        program.stdin.close()
        reader.join(END_S)
        program.kill()
    return judged(traffic, begin, found, cpu_s)


def judged(traffic: Traffic, begin: float, lines: list[bytes], cpu_s: float) -> Joined:
    truth = traffic.truth(begin)
    made = [json.loads(line) for line in lines]
    features = {(one["user"], one["page"]): one for one in made}
    views = {view: features[view] for view in truth if view in features}
    ended = {view: feature["entered_at"] + feature["dwell_s"] for view, feature in truth.items()}
    return Joined(
        delays=[one["at"] - ended[view] for view, one in views.items()],
        cpu_s=cpu_s,
        views=len(truth),
        wrong=sum(one["feature"] != truth[view] for view, one in views.items()),
        missing=len(truth) - len(views),
    )


def cpu_seconds(process: psutil.Process) -> float:
    """The processor time of a process and of all its children, those that have ended included."""
    alive = [process, *process.children(recursive=True)]
    times = [one.cpu_times() for one in alive]
    return sum(one.user + one.system + one.children_user + one.children_system for one in times)
