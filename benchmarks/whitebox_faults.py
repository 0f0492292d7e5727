"""Claim: whatever dies or loops, no answer is wrong, other pipelines go on, and all is back within two seconds.

Clients ask Walle's serving process over HTTP, for single records and for batches that executors answer, and compare
every answer with the right one. Meanwhile, several times each:

- the process that serves is killed (SIGKILL), under its supervisor, which holds the socket;
- the supervisor is killed; the next one, which is started as systemd does it, loads everything anew;
- an executor is killed while it answers batches;
- a plan loops for ever: in the thread of the event loop, and in an executor (there by the runtime itself);
- half of a parameter's file is overwritten in place, on the disk and thereby in memory. The pipeline must be out of
  service afterwards, or have been mended.

The time is the longest one without a right answer for a pipeline that has no fault itself: `..._back_s` for single
records, `..._back_s_batches` for batches, each with its target.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
from rich.console import Console

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.walle import START_S
from benchmarks.support.whitebox.archives import Archives
from benchmarks.support.whitebox.control_plane import AUTHORIZATION, ControlPlane, address, release_all
from benchmarks.support.whitebox.families import SCALE, TRAINED, as_records, raw_records, sentiment
from benchmarks.support.whitebox.faults import LOOP, Client, EngineThatMayLoop, LoopingPlan, damage, is_right
from benchmarks.support.whitebox.plans import answers, install, read_folder, register, wait_for_executors
from benchmarks.support.whitebox.served import ServedPipelines, serving_pipelines
from walle.whitebox.runtime.service import Runtime, RuntimeSettings

BATCH: Final = 100
_ENDED_S: Final = 15.0
"""So long a batch that loops is waited for, whose plan should have been isolated long before."""
BENCHMARK = Benchmark(
    "whitebox_faults",
    scale={
        **SCALE,
        "served": Dimension(24, 4),
        "records": Dimension(200, 10),
        "rounds": Dimension(5, 1),
        "after_s": Dimension(4, 1),
    },
    targets=(
        Target("wrong_answers", at_most=0),
        Target("server_killed_back_s", at_most=2),
        Target("server_killed_back_s_batches", at_most=2),
        Target("supervisor_killed_back_s", at_most=2),
        Target("supervisor_killed_back_s_batches", at_most=2),
        Target("executor_killed_back_s", at_most=2),
        Target("executor_killed_back_s_batches", at_most=2),
        Target("loop_in_server_back_s", at_most=2),
        Target("loop_in_executor_back_s", at_most=2),
        Target("damaged_others_gap_s", at_most=2),
        Target("damaged_sound", at_least=1),
    ),
    assumptions=(
        *TRAINED,
        "plans that loop are made for it: no archive that is accepted can loop, as its kernels walk arrays",
        "a request that is cut off by a killed process is an error to its client, who asks again; it is counted apart",
    ),
)
console = Console(highlight=False, width=130)


def main() -> int:
    BENCHMARK.announce()
    figures = served_figures()
    figures["loop_in_executor_back_s"] = asyncio.run(loop_in_executor())
    return BENCHMARK.judge(figures)


def served_figures() -> dict[str, float]:
    """Break a serving process in all ways, in turns, while it is asked."""
    folders = Archives(sentiment(BENCHMARK)).folders(BENCHMARK.size("served"))
    records = as_records(raw_records(sentiment(BENCHMARK), BENCHMARK.size("records")))
    gaps: dict[str, list[float]] = {}
    sound = wrong = refused = asked = 0
    with tempfile.TemporaryDirectory() as name:
        truth = right_answers(Path(name) / "truth", folders, records)
        for round_ in range(BENCHMARK.size("rounds")):
            plane = ControlPlane(Path(name) / f"round-{round_}", EngineThatMayLoop)
            pipelines = release_all(plane, folders, "p")
            with serving_pipelines(plane, cpus=[0, 1]) as served:
                served.wait_until_ready(pipelines, records[0])
                faults: dict[str, Callable[[], object]] = {
                    "executor_killed_back_s": lambda served=served: served.executors[-1].kill(),
                    "server_killed_back_s": lambda served=served: served.server.kill(),
                    "supervisor_killed_back_s": lambda served=served: served.kill_supervisor(),
                    "loop_in_server_back_s": lambda served=served: let_loop(served, "p1"),
                    "damaged_others_gap_s": lambda plane=plane: damage(own_parameter(plane, folders[2])),
                }
                clients = [
                    Client(served.port, pipelines[0], records, truth[0]),
                    Client(served.port, pipelines[0], records, truth[0], BATCH),
                    Client(served.port, pipelines[2], records, truth[2]),
                ]
                with clients[0], clients[1], clients[2]:
                    wait_for_answers(clients)
                    for fault, strike in faults.items():
                        for kind, gap in zip(("", "_batches"), gaps_after(strike, clients[:2]), strict=True):
                            gaps.setdefault(fault + kind, []).append(gap)
                    sound += is_sound(served, pipelines[2], records[0], truth[2][0])
                    is_sound(served, pipelines[1], records[0], truth[1][0])
                wrong += sum(client.seen.wrong for client in clients)
                refused += sum(client.seen.refused for client in clients[:2])
                asked += sum(client.seen.refused + len(client.seen.right) for client in clients[:2])
    for fault, found in gaps.items():
        console.print(f"{fault}: {', '.join(f'{gap:.2f}' for gap in found)} s")
    return {
        **{fault: max(found) for fault, found in gaps.items()},
        "wrong_answers": float(wrong),
        "damaged_sound": sound / BENCHMARK.size("rounds"),
        "cut_off_or_refused": float(refused),
        "answers": float(asked - refused),
    }


def right_answers(folder: Path, folders: Sequence[Path], records: list[Any]) -> list[list[Any]]:
    """Return what each plan predicts."""
    runtime = Runtime(folder)
    install(runtime.store, folders)
    return [
        [runtime.predict(plan, record) for record in records]
        for plan in register(runtime, folders, engine="request-response")
    ]


def wait_for_answers(clients: Sequence[Client]) -> None:
    """Return when each client has had a right answer; executors start with the first batch."""
    deadline = time.monotonic() + START_S
    while not all(client.seen.right for client in clients):
        if time.monotonic() > deadline:
            raise SystemExit("a client had no right answer before anything was broken")
        time.sleep(0.05)


def gaps_after(strike: Callable[[], object], clients: Sequence[Client]) -> list[float]:
    """Break something, wait, and return the longest time that each client had no right answer in."""
    begun = time.monotonic()
    strike()
    time.sleep(BENCHMARK.amount("after_s"))
    return [client.seen.longest_gap(begun) for client in clients]


def let_loop(served: ServedPipelines, pipeline: str) -> None:
    """Ask a plan to loop; nobody waits for its answer."""

    def ask() -> None:
        url = f"http://127.0.0.1:{served.port}{address(pipeline)}"
        body = {"record": {"text": LOOP}, "caller": "u1"}
        try:
            httpx.post(url, json=body, headers={"authorization": AUTHORIZATION}, timeout=60)
        except httpx.HTTPError:
            return

    threading.Thread(target=ask, daemon=True).start()


def own_parameter(plane: ControlPlane, folder: Path) -> Path:
    """Return the file of the weights, which no other plan has, on the host."""
    (linear,) = (step for step in read_folder(folder).graph.transformations if step.operator == "linear")
    return plane.folder / "serving" / "parameters" / f"{linear.parameters['weights'].digest}.bin"


def is_sound(served: ServedPipelines, pipeline: str, record: Any, truth: Any) -> bool:
    """Return whether a pipeline is out of service (503) or answers right, and print which."""
    url = f"http://127.0.0.1:{served.port}{address(pipeline)}"
    body = {"record": record, "caller": "u1"}
    found = httpx.post(url, json=body, headers={"authorization": AUTHORIZATION}, timeout=10)
    console.print(f"{pipeline}: {found.status_code} {found.text[-160:]}", markup=False)
    return found.status_code == 503 or (found.status_code == 200 and is_right(found.json()["prediction"], truth))


async def loop_in_executor() -> float:
    """Have a plan loop in an executor; return the longest time that another plan's batches waited."""
    folders = Archives(sentiment(BENCHMARK)).folders(1)
    records = as_records(raw_records(sentiment(BENCHMARK), BATCH))
    gaps = []
    with tempfile.TemporaryDirectory() as folder:
        runtime = Runtime(Path(folder), RuntimeSettings(executors=2, niceness=0))
        await runtime.start()
        try:
            install(runtime.store, folders)
            (plan,) = register(runtime, folders, engine="batch")
            await wait_for_executors(runtime, [plan], records)
            for round_ in range(BENCHMARK.size("rounds")):
                runtime.register(f"loop-{round_}", LoopingPlan(), engine="batch")
                looping = asyncio.create_task(runtime.predict_batch(f"loop-{round_}", [{"text": LOOP}] * BATCH))
                last = time.monotonic()
                until, longest = last + BENCHMARK.amount("after_s"), 0.0
                while time.monotonic() < until:
                    if await answers(runtime, plan, records, within_s=until - time.monotonic()):
                        longest, last = max(longest, time.monotonic() - last), time.monotonic()
                gaps.append(max(longest, time.monotonic() - last))
                (ended,) = await asyncio.gather(asyncio.wait_for(looping, _ENDED_S), return_exceptions=True)
                console.print(f"loop in an executor: {type(ended).__name__}: {str(ended)[:120]}", markup=False)
        finally:
            await runtime.close()
    return max(gaps)


if __name__ == "__main__":
    sys.exit(main())
