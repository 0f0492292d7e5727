"""The checks that a device makes, in the document's order: each offer here is wrong in one respect."""

from __future__ import annotations

from typing import Final

from walle.conformance.checks import Suite
from walle.conformance.client.bench import Bench
from walle.conformance.client.catalogue.assignments import ASSIGNMENTS, NUMBERS
from walle.conformance.client.catalogue.entry import SECTION, digest_of
from walle.conformance.client.catalogue.files import FILES
from walle.conformance.client.catalogue.manifests import MANIFESTS
from walle.conformance.client.refusing import check_refusals

SUITE: Final = Suite[Bench]()
_TOLERATED_S: Final = -200.0

check_refusals(SUITE, ASSIGNMENTS)


@SUITE.check("verify.clocks", SECTION, "Check 4: clocks may differ by 300 seconds", mandatory=False)
async def tolerance(bench: Bench) -> None:
    manifest = bench.publish()
    bench.repository.lifetime = _TOLERATED_S
    await bench.once()
    bench.expect_installed(manifest)


check_refusals(SUITE, NUMBERS + MANIFESTS + FILES)


@SUITE.check("verify.keeps", SECTION, "What is installed stays when its update is refused")
async def keeps(bench: Bench) -> None:
    manifest = await bench.installed()
    bench.publish("2.0.0", files={"model": b"sound"})
    bench.repository.blobs[digest_of(b"sound")] = b"spoil"
    await bench.expect_refusal("digest-mismatch", installed=manifest)
