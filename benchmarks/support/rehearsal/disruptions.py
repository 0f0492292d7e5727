"""What is done to an installation in a rehearsal, and which requests were refused meanwhile."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.support.live.wire import Trouble
from benchmarks.support.rehearsal.crowd_process import CrowdProcess


@dataclass
class Disruption:
    """Something that was done to the installation, from its beginning until everything was there again."""

    kind: str
    victim: str
    began: float
    ended: float = 0.0
    refused: Counter[str] = field(default_factory=Counter)
    """Requests that were refused or broken off, by who asked and what came."""
    last_refused_s: float = 0.0
    """Seconds from its beginning to the last of them; the crowd's are known to the second."""


class Disruptions:
    """All disruptions in their order. `pause_s` is how many seconds after the last repair a disruption still lasts."""

    def __init__(self, pause_s: float) -> None:
        self._pause_s = pause_s
        self.all: list[Disruption] = []

    @contextlib.contextmanager
    def disrupt(self, kind: str, victim: str) -> Iterator[None]:
        """Do something to the installation in a with block."""
        disruption = Disruption(kind, victim, time.time())
        yield
        time.sleep(self._pause_s)
        disruption.ended = time.time()
        self.all.append(disruption)
        # The crowd is counted by the second, and no second belongs to two disruptions.
        time.sleep(1)

    def count_refused(self, troubles: Mapping[str, Sequence[Trouble]], crowd: CrowdProcess) -> None:
        """Count what was refused from a disruption's beginning to its end: by who had troubles, and of a crowd."""
        for disruption in self.all:
            last = disruption.began
            for who, theirs in troubles.items():
                for trouble in theirs:
                    if disruption.began <= trouble.ended and trouble.requested <= disruption.ended:
                        disruption.refused[f"{who}: {trouble.endpoint} {trouble.what}"] += 1
                        last = max(last, trouble.ended)
            for second in crowd.between(disruption.began, disruption.ended):
                for what, count in second.refused.items():
                    disruption.refused[f"crowd: {what}"] += count
                    last = max(last, second.at)
            disruption.last_refused_s = last - disruption.began

    def refused(self, kind: str) -> int:
        """Return how many requests were refused in all disruptions of a kind."""
        return sum(sum(disruption.refused.values()) for disruption in self.all if disruption.kind == kind)

    def refused_for(self, kind: str) -> float:
        """Return the most seconds from the beginning of a disruption of a kind to the last refusal."""
        return max(disruption.last_refused_s for disruption in self.all if disruption.kind == kind)
