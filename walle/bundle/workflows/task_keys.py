"""What a task.toml says of a workflow beyond other tasks, and what its runs put out (docs/task-format.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from walle.container.cloud_half import CloudHalf
from walle.schema import Fields, Number

DEVICE_FOLDER: Final = "device/"
RECORDS: Final = "records"
CROSSING: Final = "crossing"
RECORDS_OUTPUT: Final[Mapping[str, Any]] = {RECORDS: {"type": "list"}}
"""The outputs of a workflow: the records of its sink."""
CROSSING_OUTPUT: Final[Mapping[str, Any]] = {CROSSING: {"type": "object"}}
"""The outputs of a device half whose workflow goes on in the cloud."""
DEFAULT_ANSWER_S: Final = 10.0
WORKFLOW_UPLOAD: Final = Fields({"answer_s": Number(0.1, 300)})
WORKFLOW_CLOUD: Final = Fields({"time_ms": Number(1, 10_000, integer=True), "memory_mb": Number(1, 4096, integer=True)})
_CLOUD_MAIN: Final = "cloud/walle_half.py"


def workflow_upload(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the manifest says of the upload, from a valid [upload], if any operator is in the cloud."""
    return {"outputs": [CROSSING], "answer_ms": round(table.get("answer_s", DEFAULT_ANSWER_S) * 1000)}


def workflow_cloud(table: Mapping[str, Any]) -> CloudHalf:
    """Return the cloud half of a workflow from a valid [cloud], if any operator is in the cloud."""
    return CloudHalf(_CLOUD_MAIN, **table)
