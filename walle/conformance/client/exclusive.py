"""Checks of exclusive files: check 12, and the default where there is no variant."""

from __future__ import annotations

from typing import Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import TASK, Bench
from walle.conformance.client.catalogue.files import EXCLUSIVE_FILES, EXCLUSIVE_PATH, publish_exclusive
from walle.conformance.client.refusing import check_refusals, enrolled

SUITE: Final = Suite[Bench]()


@SUITE.check("exclusive.fetched", "files", "It fetches its exclusive file at x, and installs it")
async def fetched(bench: Bench) -> None:
    await enrolled(bench)
    manifest = publish_exclusive(bench.repository, TASK)
    await bench.once()
    bench.expect_installed(manifest)
    paths = [request.path for request in bench.requests_to("/exclusive")]
    expect(paths and paths[0].endswith(f"/{EXCLUSIVE_PATH}"), f"a request for <x>/{EXCLUSIVE_PATH}", paths)


@SUITE.check("exclusive.default", "files", "Where there is nothing for it (404), it takes the default")
async def default(bench: Bench) -> None:
    await enrolled(bench)
    manifest = publish_exclusive(bench.repository, TASK, variant=None)
    await bench.once()
    bench.expect_installed(manifest)


check_refusals(SUITE, EXCLUSIVE_FILES)


@SUITE.check("exclusive.too-old", "files", "An address that is too old (401): it checks in again, and goes on")
async def too_old(bench: Bench) -> None:
    await enrolled(bench)
    manifest = publish_exclusive(bench.repository, TASK)
    bench.repository.failures["/exclusive"] = (401, {"walle_error": "credential-expired"})
    await bench.once()
    bench.expect_installed(None)
    bench.repair()
    await bench.once()
    bench.expect_installed(manifest)
