"""Fixtures of the conformance tests: one helper process that forks clients, for all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.conformance.forking import Forking, forking


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def clients() -> AsyncIterator[Forking]:
    async with forking() as clients:
        yield clients
