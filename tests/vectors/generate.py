"""Writes the protocol vectors into walle/conformance/vectors: `python -m tests.vectors.generate`. Deterministic."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.vectors import documents, headers, reports, tunnel
from tests.vectors.canonical import canonical
from tests.vectors.cohorts import cohort
from tests.vectors.waits import waits
from walle.conformance.vectors import FOLDER

FILES: dict[str, Callable[[], Any]] = {
    "headers.json": headers.headers,
    "canonical.json": canonical,
    "envelopes.json": documents.envelopes,
    "roots.json": documents.roots,
    "assignments.json": documents.assignments,
    "manifests.json": documents.manifests,
    "variants.json": documents.variants,
    "cohort.json": cohort,
    "waits.json": waits,
    "reports.json": reports.reports,
    "frames.json": tunnel.frames,
    "bodies.json": tunnel.bodies,
}


def text_of(name: str) -> str:
    return json.dumps(FILES[name](), indent=2) + "\n"


if __name__ == "__main__":
    for name in FILES:
        (FOLDER / name).write_text(text_of(name), "ascii")
