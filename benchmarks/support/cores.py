"""The two cores of benchmarks that load servers: one for the servers, one for everything else."""

from __future__ import annotations

import multiprocessing
import os
from typing import Final

SERVER_CPUS: Final = [0]
OTHER_CPUS: Final = [1]


def leave_core_to_servers() -> None:
    """Keep this process, and those that it forks, off the servers' core."""
    if len(os.sched_getaffinity(0)) < 2:
        raise SystemExit("this benchmark needs two cores: one for the server, one for the load")
    os.sched_setaffinity(0, OTHER_CPUS)
    multiprocessing.set_start_method("fork")
