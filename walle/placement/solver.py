"""The process that solves a problem: `python -m walle.placement.solver MEMORY BUDGET_S GRACE_S < problem.json`.

It limits itself before it reads anything. On standard output it writes lines of JSON: {"progress": ...} while it works,
and at the end {"result": ...}, or a {"problem": text}.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

from walle.placement.problem.document import MAX_BYTES, ProblemMalformed, read_problem


def main() -> None:
    memory, budget_s, grace_s = (float(each) for each in sys.argv[1:])
    cpu_s = int(budget_s + grace_s)
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        problem = read_problem(sys.stdin.buffer.read(MAX_BYTES + 1))
    except ProblemMalformed as error:
        say({"problem": str(error)})
        return
    raise NotImplementedError


def say(message: dict[str, Any]) -> None:
    """Write one message."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
