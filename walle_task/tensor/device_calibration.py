"""The run that calibrates a device for the models of its tasks: an entry point as that of a task, so that what is
measured is what tasks get, with the same isolation (walle.container.calibration calls it).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from walle_task.tensor.backends.port import CompileOptions
from walle_task.tensor.search.brief_calibrating import briefly_calibrated
from walle_task.tensor.search.caching import rates_json
from walle_task.tensor.search.reference_rates import reference_rates
from walle_task.tensor.task_models import TASK_BACKENDS


def run(inputs: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Return the rates of the backends that tasks have on this device, as JSON data by name."""
    found = briefly_calibrated(TASK_BACKENDS, reference_rates(), CompileOptions(), time.thread_time)
    return {"rates": {name: rates_json(each) for name, each in found.items()}}
