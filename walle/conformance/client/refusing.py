"""Checks derived from the catalogue of what a device must refuse."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import TASK, Bench
from walle.conformance.client.catalogue.entry import InvalidOffer, InvalidRoot
from walle.conformance.client.catalogue.manifests import ESCAPED


def check_refusals(suite: Suite[Bench], offers: Iterable[InvalidOffer]) -> None:
    """Add a check for each of the offers that clients are checked with."""
    for offer in offers:
        if offer.checked:
            suite.check(offer.name, offer.section, offer.requirement)(_refusing_offer(offer))


def check_roots(suite: Suite[Bench], roots: Iterable[InvalidRoot]) -> None:
    """Add a check for each of the roots that clients are checked with."""
    for root in roots:
        if root.checked:
            suite.check(root.name, "roots", root.requirement)(_refusing_root(root))


def _refusing_offer(offer: InvalidOffer) -> Callable[[Bench], Awaitable[None]]:
    async def run(bench: Bench) -> None:
        if offer.exclusive:
            await enrolled(bench)
        installed = await bench.installed() if offer.installed else None
        *others, last = offer.publish
        for publish in others:
            publish(bench.repository, TASK)
            await bench.once()
            bench.expect_installed(installed)
        last(bench.repository, TASK)
        await bench.expect_refusal(*offer.codes, installed=installed)
        escaped = [str(path) for path in bench.folder.rglob(ESCAPED)]
        expect(not escaped, "no file outside a bundle", escaped)

    return run


def _refusing_root(root: InvalidRoot) -> Callable[[Bench], Awaitable[None]]:
    async def run(bench: Bench) -> None:
        bench.repository.rotate()
        bench.repository.rotate()
        bench.publish()
        complete = dict(bench.repository.roots)
        for spoil in root.spoil:
            bench.repository.roots = dict(complete)
            spoil(bench.repository)
            await bench.once()
            bench.expect_installed(None)
        bench.repository.roots = complete
        manifest = bench.publish("2.0.0")
        await bench.once()
        bench.expect_installed(None, which=0)
        bench.expect_installed(manifest)

    return run


async def enrolled(bench: Bench) -> None:
    """Have the client enrol, so that there may be variants for its id, before anything is offered."""
    bench.needs("exclusive")
    await bench.once()
