"""Checks made from the catalogue of what a device must refuse."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import TASK, Bench
from walle.conformance.client.catalogue.entry import InvalidOffer, InvalidRoot
from walle.conformance.client.catalogue.manifests import ESCAPED


def check_refusals(suite: Suite[Bench], offers: Iterable[InvalidOffer]) -> None:
    """Add a check for each of the offers that clients are checked on."""
    for offer in offers:
        if offer.checked:
            suite.check(offer.name, offer.section, offer.requirement)(_refusing(offer))


def check_roots(suite: Suite[Bench], roots: Iterable[InvalidRoot]) -> None:
    """Add a check for each of the roots that clients are checked on."""
    for root in roots:
        if root.checked:
            suite.check(root.name, "roots", root.requirement)(_disbelieving(root))


def _refusing(offer: InvalidOffer) -> Callable[[Bench], Awaitable[None]]:
    async def run(bench: Bench) -> None:
        if offer.exclusive:
            await enrolled(bench)
        before = await bench.installed() if offer.installed else None
        *others, last = offer.publish
        for publish in others:
            publish(bench.repository, TASK)
            await bench.once()
            bench.expect_installed(before)
        last(bench.repository, TASK)
        await bench.expect_refusal(*offer.codes, before=before)
        escaped = [str(path) for path in bench.folder.rglob(ESCAPED)]
        expect(not escaped, "no file outside a bundle", escaped)

    return run


def _disbelieving(root: InvalidRoot) -> Callable[[Bench], Awaitable[None]]:
    async def run(bench: Bench) -> None:
        bench.repository.rotate()
        bench.repository.rotate()
        bench.publish()
        whole = dict(bench.repository.roots)
        for spoil in root.spoil:
            bench.repository.roots = dict(whole)
            spoil(bench.repository)
            await bench.once()
            bench.expect_installed(None)
        bench.repository.roots = whole
        manifest = bench.publish("2.0.0")
        await bench.once()
        bench.expect_installed(None, which=0)
        bench.expect_installed(manifest)

    return run


async def enrolled(bench: Bench) -> None:
    """The device has its id, for which there may be variants, before it is offered anything."""
    bench.needs("exclusive")
    await bench.once()
