"""Checks of the chain of roots and its use by a client."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import Bench
from walle.conformance.client.catalogue.assignments import FORMER_KEYS
from walle.conformance.client.catalogue.entry import SECTION
from walle.conformance.client.catalogue.roots import INVALID_ROOTS
from walle.conformance.client.refusing import check_refusals, check_roots
from walle.conformance.client.repository import FAR, Keys
from walle.protocol.signing import make_root

SUITE: Final = Suite[Bench]()


def _past() -> datetime:
    return (datetime.now(UTC) - timedelta(days=30)).replace(microsecond=0)


def _roots(bench: Bench) -> list[str]:
    return [request.path.rpartition("/")[2] for request in bench.requests_to("/roots")]


@SUITE.check("roots.walked", "roots", "It walks through rotations to the newest root, and believes the new keys")
async def walked(bench: Bench) -> None:
    await bench.installed()
    for _ in range(3):
        bench.repository.rotate()
    manifest = bench.publish("2.0.0")
    await bench.once()
    bench.expect_installed(manifest)
    expect(set(_roots(bench)) >= {"2.json", "3.json", "4.json"}, "roots 2, 3 and 4 asked for", _roots(bench))


@SUITE.check("roots.stored", "roots", "Walked roots are kept over a restart")
async def stored(bench: Bench) -> None:
    bench.repository.rotate()
    await bench.installed()
    bench.repository.hidden |= {"/roots/1.json", "/roots/2.json"}
    manifest = bench.publish("2.0.0")
    await bench.once()
    bench.expect_installed(manifest)
    expect("2.json" not in _roots(bench), "root 2 not asked for again", _roots(bench))


check_roots(SUITE, INVALID_ROOTS)


@SUITE.check("roots.foreign", "roots", "A whole chain of somebody else is refused")
async def foreign(bench: Bench) -> None:
    bench.arguments()  # writes the root that ships with the app
    complete, own = dict(bench.repository.roots), bench.repository.keys
    stranger = bench.repository.keys = Keys()
    bench.repository.roots[1] = make_root(1, FAR, stranger.holders(), [stranger.root])
    bench.repository.roots[2] = make_root(2, FAR, stranger.holders(), [stranger.root])
    bench.publish()
    await bench.once()
    bench.repository.roots, bench.repository.keys = complete, own
    manifest = bench.publish("2.0.0")
    await bench.once()
    bench.expect_installed(None, which=0)
    bench.expect_installed(manifest)


@SUITE.check("roots.expired-between", "roots", "A root that has expired is walked through when there is a newer one")
async def expired_between(bench: Bench) -> None:
    bench.repository.rotate(expires=_past())
    bench.repository.rotate()
    manifest = bench.publish()
    await bench.once()
    bench.expect_installed(manifest)


@SUITE.check("roots.expired", SECTION, "Check 1: under a newest root that has expired nothing is done")
async def expired(bench: Bench) -> None:
    bench.repository.rotate(expires=_past())
    bench.publish()
    await bench.once()
    bench.repository.rotate()
    manifest = bench.publish("2.0.0")
    await bench.once()
    bench.expect_installed(None, which=0)
    bench.expect_installed(manifest)


check_refusals(SUITE, FORMER_KEYS)
