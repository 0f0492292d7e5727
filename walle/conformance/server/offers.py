"""Checks of offers: their form, their signatures, and the devices that they are made to."""

from __future__ import annotations

import time
from hashlib import sha256
from typing import Any, Final

from walle.conformance.checks import ExpectationUnmet, Skipped, Suite, expect
from walle.conformance.server.target import Target, describe
from walle.device.updates.verify import Sizes, check_assignment, check_manifest
from walle.protocol import headers as wire
from walle.protocol.deferrals import MOST_S
from walle.protocol.errors import HeaderMalformed, ProtocolError
from walle.protocol.headers import Offer, short_digest

SUITE: Final = Suite[Target]()
_MOST: Final = 4
_LONGEST_TOKEN: Final = 2048


@SUITE.check("offers.format", "walle-offers", "Offers are a list of tasks with all that is required, four at most")
async def form(target: Target) -> None:
    response = await target.check_in(target.headers(await target.device()))
    text = response.headers.get(wire.OFFERS)
    if text is None:
        expect(response.status_code == 204, "204", describe(response))
        raise Skipped("a new device is offered nothing: release a task to it")
    try:
        offers = wire.read_offers(text.encode("latin-1"))
    except HeaderMalformed as error:
        raise ExpectationUnmet("offers that can be read", error) from error
    tasks = [offer.task for offer in offers]
    expect(0 < len(offers) <= _MOST, "1 to 4 offers", len(offers))
    expect(len(set(tasks)) == len(tasks), "each task once", tasks)
    longest = max(offer.defer_s or 0 for offer in offers)
    expect(longest <= MOST_S, f"defer of at most {MOST_S} s", longest)
    expect(len(text) <= wire.MAX_HEADER_BYTES * 4, "a header that clients read", f"{len(text)} bytes")


@SUITE.check("offers.signature", "what-a-device-checks-in-this-order", "Every assignment passes checks 2 to 5")
async def signature(target: Target) -> None:
    roots = await target.roots()
    for offer in await target.offers():
        try:
            check_assignment(offer, roots, app=target.options.app, highest=0, now=time.time())
        except ProtocolError as error:
            raise ExpectationUnmet(f"an assignment of {offer.task} that holds", f"{error.code}: {error}") from error


@SUITE.check("offers.number", "table-numbers", "All offers of one answer carry the number of one table")
async def one_number(target: Target) -> None:
    numbers = {target.assignment(offer).number for offer in await target.offers()}
    expect(len(numbers) == 1, "one number", sorted(numbers))
    number = numbers.pop()
    expect(number > 0, "a number above 0", number)


@SUITE.check("offers.same-number", "table-numbers", "A device that has seen this very number is still offered")
async def still_offered(target: Target) -> None:
    offer = (await target.offers())[0]
    number = target.assignment(offer).number
    offers = await target.offered(await target.device(), number=number)
    expect(
        any(other.task == offer.task for other in offers), f"{offer.task} again under number {number}", _tasks(offers)
    )


@SUITE.check("offers.installed", "table", "What is installed already is not offered again")
async def installed(target: Target) -> None:
    offer = await target.installation()
    digest = target.assignment(offer).manifest or ""
    offers = await target.offered(await target.device(), profile={offer.task: short_digest(digest)})
    expect(all(other.task != offer.task for other in offers), f"no offer of {offer.task}", _tasks(offers))


@SUITE.check("offers.update", "walle-offers", "A device that has another version is offered an update")
async def update(target: Target) -> None:
    offer = await target.installation()
    offers = await target.offered(await target.device(), profile={offer.task: bytes(12)})
    actions = [other.action for other in offers if other.task == offer.task]
    expect(actions == ["update"], f"do=update for {offer.task}", actions or "no offer of it")


@SUITE.check("offers.token", "walle-offers", "Each device gets offer tokens of its own")
async def own_token(target: Target) -> None:
    offer = await target.installation()
    token = str(offer.token)
    expect(0 < len(token) <= _LONGEST_TOKEN, "a token of at most 2048 characters", f"{len(token)} characters")
    for other in await target.offered(await target.device("second")):
        expect(other.token != offer.token, "another token for another device", "the same token twice")


@SUITE.check("offers.address", "files", "The manifest's envelope is at url, with its size and digest")
async def envelope(target: Target) -> None:
    for offer in await _installations(target):
        response = await target.request("GET", target.url(str(offer.url)))
        expect(response.status_code == 200, f"200 for the manifest of {offer.task}", describe(response))
        expect(len(response.content) == offer.size, f"{offer.size} bytes", len(response.content))
        digest = sha256(response.content).digest()
        expect(digest == offer.digest, f"the digest {(offer.digest or b'').hex()}", digest.hex())


@SUITE.check("offers.manifest", "what-a-device-checks-in-this-order", "Every manifest passes checks 6 to 9")
async def manifests(target: Target) -> None:
    roots = await target.roots()
    for offer in await _installations(target):
        response = await target.request("GET", target.url(str(offer.url)))
        try:
            check_manifest(response.content, target.assignment(offer), roots, Sizes())
        except ProtocolError as error:
            raise ExpectationUnmet(f"a manifest of {offer.task} that holds", f"{error.code}: {error}") from error


@SUITE.check("offers.kind", "walle-offers", "kind and x say whether the bundle has exclusive files")
async def kind(target: Target) -> None:
    for offer in await _installations(target):
        manifest = await target.manifest(offer)
        exclusive = any(entry.kind == "exclusive" for entry in manifest.files)
        expect((offer.kind == "exclusive") == exclusive, f"kind={'exclusive' if exclusive else 'shared'}", offer.kind)
        expect((offer.exclusive is not None) >= exclusive, "x for exclusive files", "no x")


async def _installations(target: Target) -> list[Offer]:
    await target.installation()
    return [offer for offer in await target.offers() if offer.action != "remove"]


def _tasks(offers: list[Offer]) -> Any:
    return [offer.task for offer in offers] or "nothing"
