"""Checks of valid offers, including removals: they must be carried out."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import TASK, Bench
from walle.conformance.client.catalogue.assignments import REMOVALS
from walle.conformance.client.catalogue.entry import OTHER, SECTION
from walle.conformance.client.refusing import check_refusals

SUITE: Final = Suite[Bench]()
_MALFORMED: Final = (
    ("do=install", "do=replace"),
    ("kind=shared", "kind=public"),
    (";size=", ";size=-"),
    (";t=", ";future="),
)


@SUITE.check("offers.install", "walle-offers", "It installs what it is offered; what it does not know is ignored")
async def install(bench: Bench) -> None:
    manifest = bench.publish(future={"of": ["a later version"]})
    bench.repository.rewrite = lambda text: text.replace(";do=", ";later=1;do=")
    await bench.once()
    bench.expect_installed(manifest)
    bench.expect_reported(kind="install", outcome="success", manifest=manifest.digest)


@SUITE.check("offers.update", "walle-offers", "It updates to another version, and back to an older one")
async def update(bench: Bench) -> None:
    first = await bench.installed()
    task = dict(bench.repository.tasks)
    second = bench.publish("2.0.0")
    await bench.once()
    bench.expect_installed(second)
    bench.repository.tasks |= task
    bench.repository.number += 1
    await bench.once()
    bench.expect_installed(first)


@SUITE.check("offers.installed-already", SECTION, "What is installed already is not fetched again")
async def already(bench: Bench) -> None:
    manifest = await bench.installed()
    bench.repository.offers = lambda device, profile: [bench.repository.offer(device, TASK)]  # type: ignore[method-assign]
    await bench.once()
    bench.expect_installed(manifest)
    expect(not bench.requests_to("/artifacts"), "no request for files", len(bench.requests_to("/artifacts")))


@SUITE.check("offers.several", "walle-offers", "Several offers of one answer are all carried out")
async def several(bench: Bench) -> None:
    first, second = bench.publish(), bench.publish(task=OTHER)
    await bench.once()
    bench.expect_installed(first)
    bench.expect_installed(second, OTHER)


@SUITE.check("offers.malformed", "walle-offers", "A list with a malformed member is refused as a whole")
async def malformed(bench: Bench) -> None:
    bench.publish()
    bench.publish(task=OTHER)
    for old, new in _MALFORMED:
        bench.repository.rewrite = lambda text, old=old, new=new: new.join(text.rsplit(old, 1))  # type: ignore[misc]
        await bench.once()
        bench.expect_installed(None)
    bench.repair()
    manifest = bench.publish("2.0.0")
    await bench.once()
    bench.expect_installed(None, which=0)
    bench.expect_installed(manifest)


@SUITE.check("offers.others", SECTION, "A refused offer does not affect the others of the answer")
async def others(bench: Bench) -> None:
    bench.publish()
    sound = bench.publish(task=OTHER)
    spoil = bytes(64)
    bench.repository.mangle = lambda offer: replace(offer, signature=spoil) if offer.task == TASK else offer
    await bench.once()
    bench.expect_installed(None)
    bench.expect_installed(sound, OTHER)


@SUITE.check("offers.absolute", "walle-offers", "Addresses may lead elsewhere, where the credential does not go")
async def absolute(bench: Bench) -> None:
    manifest = bench.publish()
    elsewhere = f"http://localhost:{bench.port}"
    bench.repository.mangle = lambda offer: replace(offer, url=f"{elsewhere}{offer.url}")
    await bench.once()
    bench.expect_installed(manifest)
    fetched = bench.requests_to("/artifacts")
    expect(all("localhost" in request.headers["host"] for request in fetched), "all files from there", len(fetched))
    expect(not any("walle-device" in request.headers for request in fetched), "no Walle-Device there", "the credential")


@SUITE.check("removal.done", SECTION, "A removal is carried out and reported")
async def removal(bench: Bench) -> None:
    manifest = await bench.installed()
    bench.repository.remove(TASK)
    await bench.once()
    await bench.once()
    bench.expect_installed(None, which=0)
    bench.expect_reported(kind="remove", outcome="success", manifest=manifest.digest)


check_refusals(SUITE, REMOVALS)
