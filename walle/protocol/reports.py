"""The reports of a device: the outcomes of installations, runs and removals, and the check of received ones."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, Self

from walle.protocol import aggregates
from walle.protocol.aggregates import is_aggregate, is_error_class, is_number, is_text, known_members
from walle.protocol.errors import ProtocolError
from walle.protocol.names import InvalidNameError, check_digest, check_task_name, check_version
from walle.schema.values import MAX_DEPTH, is_json

MAX_OUTPUT_BYTES: Final = 4096
MAX_METRICS: Final = 64
MAX_REPORTS: Final = 200
MAX_MESSAGE: Final = aggregates.MAX_MESSAGE
MAX_TIME: Final = aggregates.MAX_TIME
MAX_BACKENDS: Final = 16
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_VM_END = re.compile(r"[a-z][a-z-]{0,19}(?::[A-Z0-9+-]{1,19})?")
_BACKEND = re.compile(r"[a-z][a-z0-9-]{0,39}")
_MODEL = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_TOKEN = re.compile(r"[A-Za-z0-9._-]{1,512}")
METRIC_PATTERN: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
Start = Literal["cold", "warm"]
"""How a run began: `warm` in a kept VM that had loaded the task already, `cold` otherwise."""


class ReportMalformed(ProtocolError):
    """One report violates docs/protocol.md; the other reports of its batch are unaffected."""

    code = "report-malformed"


@dataclass(frozen=True)
class Report:
    """One outcome on one device. `at` is the device's clock in Unix seconds; durations are milliseconds.

    `start` and `vm_end` are about runs: how this one began, and why the task's kept VM before it had ended, told once.
    `backends` say what ran the models that the task declares, by their names.
    `runs` is the aggregate of the runs of a stream task, if the report is about several (walle.protocol.aggregates).
    """

    id: str
    task: str
    version: str
    manifest: str
    kind: Literal["install", "run", "remove"]
    outcome: Literal["success", "failure"]
    at: float
    error_class: str | None = None
    message: str | None = None
    duration_ms: float | None = None
    peak_memory_kb: int | None = None
    start: Start | None = None
    vm_end: str | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    output: Mapping[str, Any] | None = None
    offer_token: str | None = None
    runs: Mapping[str, Any] | None = None
    backends: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, value: object) -> Self:
        """Check one report as received. Raises ReportMalformed, which names the field and what was expected."""
        if not isinstance(value, dict):
            raise ReportMalformed("expected a JSON object")
        for name, (check, expected) in _CHECKS.items():
            if not check(value.get(name)):
                raise ReportMalformed(f"{name}: expected {expected}")
        told = {name: value[name] for name in _CHECKS if value.get(name) is not None}
        if "runs" in told:
            if told["kind"] != "run":
                raise ReportMalformed(f"runs: expected none in a report of kind {told['kind']}")
            told["runs"] = known_members(told["runs"])
        return cls(**told)


def _accepts(check: Any) -> Any:
    def accepts(value: object) -> bool:
        try:
            check(value)
        except (InvalidNameError, ValueError, TypeError, AttributeError):
            return False
        return True

    return accepts


def _is_metrics(value: object) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, dict)
        and len(value) <= MAX_METRICS
        and all(METRIC_PATTERN.fullmatch(name) and is_number(number) for name, number in value.items())
    )


def is_backend(value: object) -> bool:
    """Return whether a value can be the name of what runs models."""
    return isinstance(value, str) and bool(_BACKEND.fullmatch(value))


def _is_backends(value: object) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, dict)
        and len(value) <= MAX_BACKENDS
        and all(_MODEL.fullmatch(name) and is_backend(backend) for name, backend in value.items())
    )


def _is_output(value: object) -> bool:
    if value is None:
        return True
    if not (isinstance(value, dict) and is_json(value)):
        return False
    shortest = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(shortest.encode()) <= MAX_OUTPUT_BYTES and "\\u0000" not in shortest


_CHECKS: Final[Mapping[str, tuple[Any, str]]] = {
    "id": (lambda v: isinstance(v, str) and bool(_UUID.fullmatch(v)), "a UUID"),
    "task": (_accepts(check_task_name), "a task such as camera/digits"),
    "version": (_accepts(check_version), "a semantic version"),
    "manifest": (_accepts(check_digest), "64 lowercase hexadecimal digits"),
    "kind": (lambda v: v in ("install", "run", "remove"), "install, run or remove"),
    "outcome": (lambda v: v in ("success", "failure"), "success or failure"),
    "at": (lambda v: is_number(v, 0, MAX_TIME), "Unix seconds"),
    "error_class": (
        lambda v: v is None or is_error_class(v),
        "a class name",
    ),
    "message": (lambda v: is_text(v, MAX_MESSAGE), f"text of at most {MAX_MESSAGE} characters"),
    "duration_ms": (lambda v: v is None or is_number(v, 0), "milliseconds, 0 or more"),
    "peak_memory_kb": (
        lambda v: v is None or (isinstance(v, int) and is_number(v, 0, 2**40)),
        "kibibytes, a whole number",
    ),
    "start": (lambda v: v is None or v in ("cold", "warm"), "cold or warm"),
    "vm_end": (
        lambda v: v is None or (isinstance(v, str) and bool(_VM_END.fullmatch(v))),
        "a cause such as idle or killed:SIGKILL, of at most 40 characters",
    ),
    "metrics": (_is_metrics, f"at most {MAX_METRICS} finite numbers by name"),
    "output": (
        _is_output,
        f"a JSON object of at most {MAX_OUTPUT_BYTES} bytes without spaces, nested {MAX_DEPTH} deep at most",
    ),
    "offer_token": (
        lambda v: v is None or (isinstance(v, str) and bool(_TOKEN.fullmatch(v))),
        "an offer token",
    ),
    "runs": (is_aggregate, aggregates.EXPECTED),
    "backends": (_is_backends, f"what ran at most {MAX_BACKENDS} models, by their names"),
}
