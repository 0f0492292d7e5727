"""Faults of serving processes, and a client that notices what becomes of its requests meanwhile."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import numpy as np
from numpy.typing import NDArray

from benchmarks.support.whitebox.control_plane import AUTHORIZATION, address
from walle.whitebox.runtime.contract import Refusals
from walle.whitebox.serving.runtime_engine import RuntimeEngine

LOOP: Final = "loop"
"""The text with which an engine that may loop does."""
_TOLERANCE: Final = 1e-9
_PAUSE_S: Final = 0.005


@dataclass
class Seen:
    """What a client saw: when right answers came (monotonic seconds), how often others did, and wrong ones."""

    right: list[float] = field(default_factory=list)
    refused: int = 0
    wrong: int = 0

    def longest_gap(self, since: float) -> float:
        """Return the longest time without a right answer, from a moment until now."""
        times = [since, *(at for at in self.right if at >= since), time.monotonic()]
        return max(after - before for before, after in itertools.pairwise(times))


class Client:
    """Asks one pipeline for records, one or a batch at a time, in a thread; compares each answer with the right one."""

    def __init__(self, port: int, pipeline: str, records: Sequence[Any], truth: Sequence[Any], batch: int = 0) -> None:
        self._port, self._address, self._batch = port, address(pipeline), batch
        self._records, self._truth = records, truth
        self.seen = Seen()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Client:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        headers = {"authorization": AUTHORIZATION}
        with httpx.Client(base_url=f"http://127.0.0.1:{self._port}", headers=headers, timeout=5) as client:
            for place in itertools.cycle(range(len(self._records))):
                if self._stop.wait(_PAUSE_S):
                    return
                self._ask(client, place)

    def _ask(self, client: httpx.Client, place: int) -> None:
        places = [(place + each) % len(self._records) for each in range(self._batch or 1)]
        records = [self._records[each] for each in places]
        body = {"records": records} if self._batch else {"record": records[0]}
        try:
            response = client.post(self._address, json={**body, "caller": "u1"})
        except httpx.HTTPError:
            self.seen.refused += 1
            return
        if response.status_code != 200:
            self.seen.refused += 1
            return
        said = response.json()
        found = said["predictions"] if self._batch else [said["prediction"]]
        if all(is_right(each, self._truth[at]) for each, at in zip(found, places, strict=True)):
            self.seen.right.append(time.monotonic())
        else:
            self.seen.wrong += 1


def is_right(found: Mapping[str, Any] | None, truth: Any) -> bool:
    """Return whether an answer in JSON says what a prediction (walle.whitebox.compiling) does."""
    if found is None or found["label"] != truth.label:
        return False
    return bool(np.allclose(found["probabilities"], truth.probabilities, rtol=0, atol=_TOLERANCE))


def damage(path: Path) -> None:
    """Overwrite the middle half of a file, where it is."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 4)
        file.write(bytes(range(64, 128)) * (size // 128))


class EngineThatMayLoop(RuntimeEngine):
    """The engine of a serving process, in which a plan loops for ever if its text asks it to."""

    async def predict(self, plan: str, record: Any) -> Any:
        if record == {"text": LOOP}:
            self._heartbeat.begin(plan.encode())
            while True:
                pass
        return await super().predict(plan, record)


class LoopingPlan:
    """A plan whose batches never end, in the place of a compiled one."""

    shareable: frozenset[str] = frozenset()
    vector_bytes = 64

    def bind(self, parameters: Callable[[Any], NDArray[Any]]) -> LoopingPlan:
        return self

    def vectors(self, records: int) -> Any:
        from walle.whitebox.compiling.binding import Vectors

        return Vectors(self.vector_bytes)

    def predict(self, record: Any, vectors: Any) -> tuple[()]:
        return ()

    def run(self, records: Sequence[Any], vectors: Any) -> tuple[bytes, Refusals]:
        while True:
            pass

    def read(self, answers: bytes) -> list[Any]:
        return []
