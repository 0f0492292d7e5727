"""Statistics of the emulated devices, as one line of JSON."""

from __future__ import annotations

import json
import resource
from collections import Counter
from collections.abc import Mapping
from typing import Any

from walle.device.notices import Notice

_KB_PER_MB = 1024


class Statistics:
    """Counts the notices of all devices, and the outcomes of runs by version."""

    def __init__(self) -> None:
        self.notices: Counter[str] = Counter()
        self.runs: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()

    def count(self, notice: Notice) -> None:
        self.notices[notice.name] += 1
        if notice.name in ("ran", "failed", "crashed"):
            outcome = "ok" if notice.name == "ran" else notice.data["code"]
            self.runs[f"{notice.data['task']}@{notice.data['version']} {outcome}"] += 1
        if notice.name == "refused":
            self.refusals[str(notice.data.get("code"))] += 1

    def line(
        self,
        *,
        seconds: float,
        devices: Mapping[str, int],
        installed: Mapping[str, int],
        queued: int,
        features: int,
    ) -> str:
        """Return all counts: `devices` by condition, `installed` by task and version; `queued` reports are unsent.

        `features` went up by the tunnels.

        Processor time and memory are those of this process, without the sandbox's processes.
        """
        usage = resource.getrusage(resource.RUSAGE_SELF)
        values: dict[str, Any] = {
            "seconds": round(seconds, 1),
            "devices": dict(devices),
            "installed": dict(sorted(installed.items())),
            "events": dict(sorted(self.notices.items())),
            "runs": dict(sorted(self.runs.items())),
            "refusals": dict(sorted(self.refusals.items())),
            "queued": queued,
            "features": features,
            "cpu_s": round(usage.ru_utime + usage.ru_stime, 2),
            "peak_memory_mb": round(usage.ru_maxrss / _KB_PER_MB, 1),
        }
        return json.dumps(values)
