"""What the emulated devices did so far, as one line of JSON now and then."""

from __future__ import annotations

import json
import resource
from collections import Counter
from collections.abc import Mapping
from typing import Any

from walle.device.events import Event

_KB_PER_MB = 1024


class Statistics:
    """Counts events of all devices, and which versions their runs succeeded and failed with."""

    def __init__(self) -> None:
        self.events: Counter[str] = Counter()
        self.runs: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()

    def hear(self, event: Event) -> None:
        self.events[event.name] += 1
        if event.name in ("ran", "failed", "crashed"):
            outcome = "ok" if event.name == "ran" else event.data["code"]
            self.runs[f"{event.data['task']}@{event.data['version']} {outcome}"] += 1
        if event.name == "refused":
            self.refusals[str(event.data.get("code"))] += 1

    def line(self, *, seconds: float, devices: Mapping[str, int], installed: Mapping[str, int], queued: int) -> str:
        """`devices` counts them by condition, `installed` by task and version; `queued` reports are unsent.

        Processor time and memory are this process's, without the sandbox's processes.
        """
        usage = resource.getrusage(resource.RUSAGE_SELF)
        values: dict[str, Any] = {
            "seconds": round(seconds, 1),
            "devices": dict(devices),
            "installed": dict(sorted(installed.items())),
            "events": dict(sorted(self.events.items())),
            "runs": dict(sorted(self.runs.items())),
            "refusals": dict(sorted(self.refusals.items())),
            "queued": queued,
            "cpu_s": round(usage.ru_utime + usage.ru_stime, 2),
            "peak_memory_mb": round(usage.ru_maxrss / _KB_PER_MB, 1),
        }
        return json.dumps(values)
