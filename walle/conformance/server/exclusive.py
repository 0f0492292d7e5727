"""Checks of exclusive files: an address per device, and a signed statement with each file."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from walle.conformance.checks import ExpectationUnmet, Skipped, Suite, expect
from walle.conformance.server.files import IDENTITY, Part, expect_resumes
from walle.conformance.server.target import Enrolled, Target, describe, expect_refused
from walle.device.updates.verify import Sizes, check_variant
from walle.protocol import headers as wire
from walle.protocol.errors import ProtocolError
from walle.protocol.headers import Offer

SUITE: Final = Suite[Target]()


async def _device(target: Target) -> Enrolled:
    return await target.device("stated" if target.options.statement is not None else "first")


async def _offer(target: Target, device: Enrolled | None = None) -> Offer:
    for offer in await target.offered(device or await _device(target)):
        if offer.exclusive is not None:
            return offer
    raise Skipped("no task with exclusive files is offered")


async def _paths(target: Target, offer: Offer) -> list[str]:
    return [entry.path for entry in (await target.manifest(offer)).files if entry.kind == "exclusive"]


@SUITE.check("exclusive.variant", "variant", "An exclusive file comes with a signed statement", mandatory=False)
async def variant(target: Target) -> None:
    offer, found = await _offer(target), 0
    manifest, roots = await target.manifest(offer), await target.roots()
    for path in await _paths(target, offer):
        response = await target.request("GET", f"{target.url(str(offer.exclusive))}/{path}", headers=IDENTITY)
        if response.status_code == 404:
            expect_refused(response, 404, "variant-missing")
            continue
        found += 1
        expect(response.status_code == 200, f"200 for {path}", describe(response))
        try:
            stated = check_variant(response.headers.get(wire.VARIANT), manifest, path, roots, Sizes())
        except ProtocolError as error:
            raise ExpectationUnmet(f"a Walle-Variant of {path} that holds", f"{error.code}: {error}") from error
        digest = sha256(response.content).hexdigest()
        expect((digest, len(response.content)) == (stated.digest, stated.size), f"the digest {stated.digest}", digest)
    if not found:
        raise Skipped("there is no variant for this device: enrol it with --statement")


@SUITE.check("exclusive.resume", "files", "An exclusive file resumes like a shared one", mandatory=False)
async def resume(target: Target) -> None:
    offer = await _offer(target)
    for path in await _paths(target, offer):
        url = f"{target.url(str(offer.exclusive))}/{path}"
        response = await target.request("GET", url, headers=IDENTITY)
        if response.status_code == 200 and len(response.content) > 1:
            rest = await expect_resumes(target, Part(url, response.content, response.headers.get("etag", "")))
            expect(wire.VARIANT in rest.headers, "Walle-Variant on a part as well", "none")
            return
    raise Skipped("there is no variant for this device: enrol it with --statement")


@SUITE.check("exclusive.own-address", "files", "Each device is given an address of its own", mandatory=False)
async def own_address(target: Target) -> None:
    mine, other = await _offer(target), await _offer(target, await target.device("second"))
    expect(mine.exclusive != other.exclusive, "two addresses for two devices", "the same twice")


@SUITE.check("exclusive.missing", "errors", "What is not exclusive there: 404 variant-missing", mandatory=False)
async def missing(target: Target) -> None:
    address = target.url(str((await _offer(target)).exclusive))
    expect_refused(await target.request("GET", f"{address}/conformance-no-such-file"), 404, "variant-missing")


@SUITE.check("exclusive.forged", "errors", "An address that was not given out: 401", mandatory=False)
async def forged(target: Target) -> None:
    address = target.url(str((await _offer(target)).exclusive))
    last = "0" if address[-1] != "0" else "1"
    paths = await _paths(target, await _offer(target))
    response = await target.request("GET", f"{address[:-1]}{last}/{paths[0]}")
    expect_refused(response, 401, "credential-invalid", "credential-expired", "credential-key-retired")
