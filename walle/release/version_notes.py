"""What git says about a version that was rolled back: the text of a note on its commit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

MAX_EVIDENCE: Final = 4000
"""Characters of evidence in a note; the release has the rest."""


@dataclass(frozen=True, slots=True)
class VersionRollback:
    """A release of a version that was rolled back: from which app, by whom or what, when, why and on what evidence."""

    release: int
    app: str
    by: str
    at: datetime
    reason: str
    evidence: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QuarantineLift:
    """Somebody allowed a version to be released again."""

    by: str
    at: datetime
    reason: str


def note_text(version: str, events: Iterable[VersionRollback | QuarantineLift]) -> str:
    """Return the note on a version: what happened to it, the newest first. One event at least."""
    ordered = sorted(events, key=lambda event: event.at, reverse=True)
    may = isinstance(ordered[0], QuarantineLift)
    first = "was rolled back, and may be released again" if may else "was rolled back, and may not be released again"
    return "\n\n".join([f"{version} {first}.", *map(_paragraph, ordered)]) + "\n"


def _paragraph(event: VersionRollback | QuarantineLift) -> str:
    at = event.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    reason = " ".join(event.reason.split()) or "no reason was given"
    if isinstance(event, QuarantineLift):
        return f"Quarantine-lifted: {at}\nBy: {event.by}\nReason: {reason}"
    lines = [f"Rolled-back: {at}", f"Release: {event.release} to {event.app}", f"By: {event.by}", f"Reason: {reason}"]
    if event.evidence:
        lines.append(f"Evidence: {_bounded(json.dumps(event.evidence, sort_keys=True, default=str))}")
    return "\n".join(lines)


def _bounded(text: str) -> str:
    return text if len(text) <= MAX_EVIDENCE else f"{text[:MAX_EVIDENCE]}..."
