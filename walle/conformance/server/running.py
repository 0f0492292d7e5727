"""Runs the checks of a server, one after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Final

import httpx

from walle.conformance.checks import Check, CheckOutcome, attempt_all
from walle.conformance.server.target import Target

_TIMEOUT: Final = httpx.Timeout(30.0, connect=5.0)


class TargetUnreachable(Exception):
    """Nobody answers at the server's address, so that nothing can be checked."""


def make_client() -> httpx.AsyncClient:
    return httpx.AsyncClient(timeout=_TIMEOUT)


async def check_server(target: Target, checks: Iterable[Check[Target]]) -> AsyncIterator[CheckOutcome]:
    """Yield the outcomes as they are known. Raises TargetUnreachable before the first one."""
    try:
        await target.request("GET", "/roots/1.json")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise TargetUnreachable(f"{target.base}: {error or type(error).__name__}") from error

    @asynccontextmanager
    async def the_same(_check: Check[Target]) -> AsyncIterator[Target]:
        yield target

    async for outcome in attempt_all(checks, the_same):
        yield outcome
