"""Offers with an assignment that must be refused: checks 2 to 5, removals, and keys of the past."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from walle.conformance.client.catalogue.entry import OTHER, InvalidOffer, Publish, publish_sound
from walle.conformance.client.repository import ReferenceRepository
from walle.protocol.canonical import canonical_json
from walle.protocol.headers import Offer
from walle.protocol.signing_libraries import CryptoSigner

_TOO_OLD_S: Final = -400.0


def offered(change: Callable[[ReferenceRepository, Offer], Offer]) -> Publish:
    """Return a function that publishes a valid version and changes its offer."""

    def publish(repository: ReferenceRepository, task: str) -> None:
        publish_sound(repository, task)
        repository.mangle = lambda offer: change(repository, offer)

    return publish


def _restated(repository: ReferenceRepository, offer: Offer, **changes: Any) -> Offer:
    """Return the offer with a changed assignment that is properly signed."""
    payload = canonical_json(json.loads(offer.assignment) | changes)
    return replace(offer, assignment=payload, **repository.signature(payload))


def _assigned(**changes: Any) -> Publish:
    return offered(lambda repository, offer: _restated(repository, offer, **changes))


def _signed_by(repository: ReferenceRepository, offer: Offer, signer: CryptoSigner) -> Offer:
    return replace(offer, **repository.signature(offer.assignment, by=signer))


def _signed_by_a_stranger(repository: ReferenceRepository, offer: Offer) -> Offer:
    return _signed_by(repository, offer, CryptoSigner.generate_ed25519())


def _expired(repository: ReferenceRepository, task: str) -> None:
    publish_sound(repository, task)
    repository.lifetime = _TOO_OLD_S


def _of_an_older_table(repository: ReferenceRepository, task: str) -> None:
    publish_sound(repository, task, "2.0.0")
    number = repository.number - 2
    repository.mangle = lambda offer: _restated(repository, offer, number=number)


def _forged_removal(repository: ReferenceRepository, task: str) -> None:
    repository.remove(task)
    targets = repository.keys.targets
    repository.mangle = lambda offer: _signed_by(repository, offer, targets)


def _signed_by_a_former_key(repository: ReferenceRepository, task: str) -> None:
    former = repository.keys.timestamp
    repository.rotate()
    offered(lambda repository, offer: _signed_by(repository, offer, former))(repository, task)


ASSIGNMENTS: Final = (
    InvalidOffer(
        "verify.role",
        "Check 2: an assignment signed by another role is refused",
        ("wrong-signature",),
        (offered(lambda repository, offer: _signed_by(repository, offer, repository.keys.targets)),),
    ),
    InvalidOffer(
        "verify.unknown-key",
        "Check 2: an assignment signed by an unknown key is refused",
        ("wrong-signature",),
        (offered(_signed_by_a_stranger),),
    ),
    InvalidOffer(
        "verify.borrowed-key-id",
        "Check 2: an assignment signed by an unknown key under the id of a known one is refused",
        ("wrong-signature",),
        (offered(lambda repository, offer: replace(_signed_by_a_stranger(repository, offer), key_id=offer.key_id)),),
        checked=False,
    ),
    InvalidOffer(
        "verify.tampered",
        "Check 2: an assignment that was changed after signing is refused",
        ("wrong-signature",),
        (
            offered(
                lambda repository, offer: replace(
                    offer, assignment=offer.assignment.replace(b'"format":1', b'"format": 1')
                )
            ),
        ),
    ),
    InvalidOffer(
        "verify.fields",
        "Check 2: a signed assignment without the fields of one is refused",
        ("document-malformed",),
        (_assigned(number="1"),),
    ),
    InvalidOffer(
        "verify.type",
        "Check 2: a signed document of another type in the place of an assignment is refused",
        ("document-malformed",),
        (_assigned(type="walle-table"),),
        checked=False,
    ),
    InvalidOffer(
        "verify.app", "Check 3: an assignment for another app is refused", ("mixed",), (_assigned(app="bank"),)
    ),
    InvalidOffer(
        "verify.task", "Check 3: an assignment for another task is refused", ("mixed",), (_assigned(task=OTHER),)
    ),
    InvalidOffer(
        "verify.action",
        "Check 3: a removal that is offered as an installation is refused",
        ("mixed",),
        (_assigned(action="remove", manifest=None),),
    ),
    InvalidOffer("verify.expired", "Check 4: an expired assignment is refused", ("expired",), (_expired,)),
)
NUMBERS: Final = (
    InvalidOffer(
        "verify.rolled-back",
        "Check 5: a lower number than one it has seen is refused",
        ("rolled-back",),
        (_of_an_older_table,),
        installed=True,
    ),
)
REMOVALS: Final = (
    InvalidOffer(
        "removal.forged",
        "A removal is verified like an installation",
        ("wrong-signature",),
        (_forged_removal,),
        installed=True,
    ),
)
FORMER_KEYS: Final = (
    InvalidOffer(
        "roots.old-keys",
        "What a key signs that the newest root no longer names is refused",
        ("wrong-signature",),
        (_signed_by_a_former_key,),
        section="roots",
    ),
)
