"""Builds reports: the outcome of an installation, a removal or a run, in the form of the protocol.

Texts of tasks and errors are cut to what a report may contain, so that no report is refused for its form.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal
from uuid import uuid4

from walle.device.storage.state import Installation
from walle.protocol.aggregates import MAX_MESSAGE
from walle.protocol.reports import MAX_METRICS, MAX_OUTPUT_BYTES, Report, Start
from walle.schema.values import is_json

UNKNOWN_VERSION: Final = "0.0.0-unknown"
UNKNOWN_MANIFEST: Final = "0" * 64
"""The manifest in a report about an offer that was refused before its manifest was known."""

Kind = Literal["install", "run", "remove"]
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_CHOSEN = re.compile(r"^(exception|crashed)\b.*")
_NOT_IN_CLASS = re.compile(r"[^A-Za-z0-9_.:-]")


def about(
    installed: Installation,
    kind: Kind,
    *,
    at: float,
    report_id: str | None = None,
    offer_token: str | None = None,
    duration_ms: float | None = None,
) -> Report:
    """Return the report of a success with an installed version; `failed` turns it into a failure.

    `offer_token` is that of the offer that was carried out, if another one had brought the version.
    """
    return Report(
        id=report_id or str(uuid4()),
        task=installed.task,
        version=installed.version,
        manifest=installed.manifest,
        kind=kind,
        outcome="success",
        at=at,
        duration_ms=duration_ms,
        offer_token=offer_token or installed.offer_token,
    )


def failed(report: Report, error_class: str, message: str | None) -> Report:
    """Return the same report as a failure."""
    name = _NOT_IN_CLASS.sub("_", error_class)[:80] or "unknown"
    text = _UNSTORABLE.sub("?", message)[:MAX_MESSAGE] if message else None
    return replace(report, outcome="failure", error_class=name, message=text)


def measured(
    report: Report,
    *,
    duration_ms: float | None,
    peak_memory_kb: int | None,
    metrics: Mapping[str, float],
    output: Mapping[str, Any] | None,
    start: Start | None = None,
    vm_end: str | None = None,
    backends: Mapping[str, str] | None = None,
) -> Report:
    """Return the same report with how the run began, its cost and its results.

    An output too large for a report is left out.
    """
    finite = {name: float(value) for name, value in metrics.items() if math.isfinite(value)}
    return replace(
        report,
        duration_ms=duration_ms,
        peak_memory_kb=peak_memory_kb,
        metrics=dict(list(finite.items())[:MAX_METRICS]),
        output=output if output is not None and _fits(output) else None,
        start=start,
        vm_end=vm_end,
        backends=dict(backends or {}),
    )


def without_contents(report: Report) -> Report:
    """Return what may be reported of a task that sees private contents: nothing that its own code has a say in."""
    return replace(
        report,
        error_class=_without_type(report.error_class),
        message=None,
        metrics={},
        output=None,
        vm_end=report.vm_end and report.vm_end.partition(":")[0],
        backends={},
        runs=report.runs and {**report.runs, "failures": _without_types(report.runs["failures"])},
    )


def _without_type(error_class: str | None) -> str | None:
    """Return an error class without what a task can choose: the name of an exception, its exit status, a signal."""
    return error_class and _CHOSEN.sub(r"\1", error_class)


def _without_types(failures: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    counts: Counter[str] = Counter()
    for failure in failures:
        counts[str(_without_type(failure["error_class"]))] += failure["count"]
    return [{"error_class": error_class, "count": count} for error_class, count in counts.items()]


def _fits(output: Mapping[str, Any]) -> bool:
    if not is_json(output):
        return False
    text = json.dumps(output, ensure_ascii=False).encode()
    return len(text) <= MAX_OUTPUT_BYTES and b"\\u0000" not in text
