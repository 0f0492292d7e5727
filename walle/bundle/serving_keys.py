"""What a task.toml says of a pipeline's serving: [serving], how serving hosts run it (docs/task-format.md).

In the manifest all of it is written out, defaults included.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from walle.schema import Fields, Number, OneOfTexts, Problems, Value

ENGINES: Final = ("auto", "request-response", "batch")
"""What predicts: chosen per request by its size, always in the caller's thread, or always by the executors."""
DEFAULT_SERVING: Final[Mapping[str, Any]] = {
    "engine": "auto",
    "cache": False,
    "batch_delay_ms": 0,
    "max_batch": 1000,
    "reserve_cores": 0,
    "reserve_mb": 0,
}
SERVING: Final = Fields(
    {
        "engine": OneOfTexts(ENGINES),
        "cache": Value("true or false", lambda value: isinstance(value, bool)),
        "batch_delay_ms": Number(0, 1000),
        "max_batch": Number(1, 100_000, integer=True),
        "reserve_cores": Number(0, 64, integer=True),
        "reserve_mb": Number(0, 65_536, integer=True),
    }
)


def check_serving(data: Mapping[str, Any], problems: Problems) -> None:
    """Report what [serving] of a task.toml contradicts in itself."""
    serving = data.get("serving")
    if not isinstance(serving, dict) or problems.touches("serving"):
        return
    delay = serving.get("batch_delay_ms", 0)
    if delay and serving.get("engine") == "request-response":
        problems.add("serving.batch_delay_ms", '0, as engine = "request-response" makes no batches', delay)


def serving_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """What the manifest says of the serving, from the valid part of [serving]."""
    return {**DEFAULT_SERVING, **table}
