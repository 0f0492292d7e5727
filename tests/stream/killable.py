"""Processes that use tables and are killed: a helper that forks one for each death, and says what was left.

    python -m tests.stream.killable SCENARIO FOLDER

Prints a JSON list with one finding for each death. A process dies either at its n-th line of `walle.stream`, for n = 1,
2, ... until it lives on, or at a random moment, which also hits it within SQLite
(WALLE_EXAMPLES=10: ten times as many).
"""

from __future__ import annotations

import json
import mmap
import os
import random
import select
import shutil
import signal
import struct
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from walle.stream.stream_task import StreamTask
from walle.stream.table_store import TableStore
from walle.stream.tables import CollectiveTable, Retention

Finding = dict[str, Any]

THRESHOLD = 16
LIMITS = Retention(rows=10_000, age_s=1e9, bytes=1 << 19)
NOW = 1_700_000_000.0
TASK = StreamTask.from_manifest(
    "shop/ipv",
    {
        "trigger": {"on": ["page_exit"]},
        "outputs": {"x": {"type": "integer"}},
        "stream": {"retain": {"rows": 10_000, "age_s": 1e9, "bytes": 1 << 19}},
    },
)


def forked(live: Callable[[], None], *, line: int | None = None, wait: Callable[[], None] | None = None) -> bool:
    """Run `live` in a process of its own; return whether it was killed, at its n-th line or when `wait` returns."""
    ready, started = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(started, b"x")
        try:
            if line is not None:
                die_at(line)
            live()
        finally:
            os._exit(0 if sys.exc_info()[0] is None else 1)
    os.read(ready, 1)
    if wait is not None:
        wait()
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(ready)
    os.close(started)
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise SystemExit(f"the process of line {line} failed")
    return os.WIFSIGNALED(status)


def die_at(line: int) -> None:
    """Kill this process before it carries out its n-th line of `walle.stream`."""
    left = line

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if "walle/stream" not in frame.f_code.co_filename:
            return None
        left -= event == "line"
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


def table(folder: Path) -> CollectiveTable:
    """A killed process loses nothing that it has written, so fsync would only cost time here."""
    columns = {"x": "integer"}
    path = folder / "table.sqlite"
    return CollectiveTable(path, columns, retention=LIMITS, threshold=THRESHOLD, sync=False, clock=lambda: NOW)


def putting(folder: Path, *, line: int | None = None, rng: random.Random | None = None) -> tuple[bool, Finding]:
    """Put rows until death; what the table has then, and how many puts had returned, in memory that both share."""
    shared = mmap.mmap(-1, 8)

    def live() -> None:
        found = table(folder)
        for number in range(200 if line else 1 << 40):
            found.put({"x": number}, NOW)
            struct.pack_into("q", shared, 0, number + 1)
        found.close()

    def wait(puts: int, after_s: float) -> None:
        while struct.unpack_from("q", shared, 0)[0] < puts:
            select.select([], [], [], 0.0005)
        select.select([], [], [], after_s)

    moment = partial(wait, rng.randrange(400), rng.uniform(0, 0.001)) if rng else None
    killed = forked(live, line=line, wait=moment)
    after = table(folder)
    rows = [row["x"] for row in after.read()]
    in_order = not rows or rows == list(range(rows[0], rows[-1] + 1))
    after.close()
    return killed, {
        "put": struct.unpack_from("q", shared, 0)[0],
        "next": rows[-1] + 1 if rows else 0,
        "damage": after.damage or after.problem,
        "in_order": in_order,
    }


def inheriting(folder: Path, *, line: int | None = None, rng: random.Random | None = None) -> tuple[bool, Finding]:
    """Inherit a table until death; what the new version has then, and after it is done again."""
    store = TableStore(folder, clock=lambda: NOW, sync=False)
    old = store.open("shop/ipv", "old", TASK)
    for number in range(300):
        old.put({"x": number}, NOW)
    store.close()

    def live() -> None:
        TableStore(folder, sync=False).inherit("old", "new", TASK, TASK)

    moment = partial(select.select, [], [], [], rng.uniform(0, 0.01)) if rng else None
    killed = forked(live, line=line, wait=moment)
    there = (folder / "new" / "table.sqlite").exists()
    store = TableStore(folder, clock=lambda: NOW, sync=False)
    again = store.inherit("old", "new", TASK, TASK)
    counts = [len(store.open("shop/ipv", name, TASK).read()) for name in ("old", "new")]
    left = sorted(path.name for path in (folder / "new").iterdir())
    store.close()
    return killed, {"there": there, "again": again.inherited, "rows": counts, "left": left}


def setting_aside(folder: Path, *, line: int) -> tuple[bool, Finding]:
    """Open a damaged table until death; whether another process can use it then."""
    folder.mkdir()
    (folder / "table.sqlite").write_bytes(b"no database" * 1000)

    def live() -> None:
        found = table(folder)
        found.put({"x": 1}, NOW)
        found.close()

    killed = forked(live, line=line)
    after = table(folder)
    after.put({"x": 2}, NOW)
    rows = [row["x"] for row in after.read()]
    after.close()
    return killed, {"rows": rows, "aside": (folder / "table.sqlite.damaged").exists(), "problem": after.problem}


def every_line(scenario: Callable[..., tuple[bool, Finding]], root: Path, *, step: int = 1) -> list[Finding]:
    findings, line, killed = [], 1, True
    while killed:
        killed, finding = scenario(root / "line", line=line)
        findings.append(finding | {"line": line, "killed": killed})
        shutil.rmtree(root / "line")
        line += step
    return findings


def any_moment(scenario: Callable[..., tuple[bool, Finding]], root: Path) -> list[Finding]:
    rng, findings = random.Random(7), []
    for _ in range(round(40 * float(os.environ.get("WALLE_EXAMPLES", "1")))):
        killed, finding = scenario(root / "moment", rng=rng)
        findings.append(finding | {"killed": killed})
        shutil.rmtree(root / "moment")
    return findings


def disk_full(root: Path) -> list[Finding]:
    """Put rows while files cannot grow, then while they can."""
    import resource

    found = table(root / "full")
    for number in range(160):
        found.put({"x": number}, NOW)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
    for number in range(160, 3160):
        found.put({"x": number}, NOW)
    full = {"problem": found.problem, "dropped": found.dropped, "rows": [row["x"] for row in found.read()]}
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    found.flush()
    after = {"problem": found.problem, "damage": found.damage, "rows": [row["x"] for row in found.read()]}
    found.close()
    return [full, after]


SCENARIOS: dict[str, Callable[[Path], list[Finding]]] = {
    "putting-lines": lambda root: every_line(putting, root, step=61),
    "putting-moments": lambda root: any_moment(putting, root),
    "inheriting-lines": lambda root: every_line(inheriting, root, step=3),
    "inheriting-moments": lambda root: any_moment(inheriting, root),
    "setting-aside-lines": lambda root: every_line(setting_aside, root, step=4),
    "disk-full": disk_full,
}


if __name__ == "__main__":
    print(json.dumps(SCENARIOS[sys.argv[1]](Path(sys.argv[2]))))
