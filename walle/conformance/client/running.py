"""Runs the checks of a client: each with a cloud and a folder of its own, several at a time."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from walle.conformance.checks import Check, CheckOutcome, attempt_all
from walle.conformance.client import (
    deferral,
    enrolment,
    exclusive,
    files,
    offers,
    pace,
    reports,
    roots,
    runs,
    tunnel,
    vectors,
    verification,
)
from walle.conformance.client.bench import Bench
from walle.conformance.client.command import ClientLauncher
from walle.conformance.client.repository import ReferenceRepository
from walle.conformance.client.serving import serving

_PARTS: Final = (
    enrolment, offers, verification, roots, files, exclusive, reports, runs, tunnel, pace, deferral, vectors
)  # fmt: skip
CHECKS: Final = [check for part in _PARTS for check in part.SUITE.checks]
FEATURES: Final = ("exclusive", "runs", "tunnel", "deferral", "vectors")
"""The features that a client may lack."""


async def check_client(
    launch: ClientLauncher,
    checks: Iterable[Check[Bench]],
    *,
    without: Iterable[str] = (),
    at_once: int = 2,
    logs: Path | None = None,
) -> AsyncIterator[CheckOutcome]:
    """Yield the outcomes as they are known. The client's output is stored in `logs`, by check."""
    left_out = frozenset(without)
    if logs is not None:
        logs.mkdir(parents=True, exist_ok=True)

    @asynccontextmanager
    async def bench(check: Check[Bench]) -> AsyncIterator[Bench]:
        repository = ReferenceRepository(future=True, interval=1)
        with tempfile.TemporaryDirectory(prefix="walle-conformance-", ignore_cleanup_errors=True) as folder:
            async with serving(repository) as port:
                yield Bench(repository, port, Path(folder), launch, left_out)
            if logs is not None and (log := Path(folder) / "client.log").exists():
                shutil.copy(log, logs / f"{check.name}.log")

    async for outcome in attempt_all(checks, bench, at_once=at_once):
        yield outcome
