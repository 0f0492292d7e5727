"""The process that plans a model: `python -m walle.tensor.planning_process MEMORY CPU_S FILE_BYTES MODEL REQUEST`.

It limits itself before it reads anything, and answers JSON on standard output: a `problem`, all `faults`, or the `plan`
of `walle.tensor.model_plans`. The request is JSON with `shapes`, `exact` and `keeps`.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from walle.tensor.onnx.process import limit_process


def main() -> None:
    *limits, model, request = sys.argv[1:]
    limit_process(*map(int, limits))
    json.dump(planned(model, json.loads(request)), sys.stdout)


def planned(model: str, request: dict[str, Any]) -> dict[str, Any]:
    """Return how a model will run, or what is wrong with it."""
    from walle.tensor.model_plans import plan_of_model
    from walle_task.tensor.faults import GraphMalformed
    from walle_task.tensor.model_file import ModelFileMalformed, load

    try:
        return {"plan": plan_of_model(load(model), **request)}
    except ModelFileMalformed as error:
        return {"problem": str(error)}
    except MemoryError:
        return {"problem": "expected a model that can be planned in the memory that there is, found a larger one"}
    except GraphMalformed as error:
        return {"faults": [asdict(fault) for fault in error.faults]}


if __name__ == "__main__":
    main()
