"""The catalogue of what a device must refuse: each entry is wrong in one respect only, and otherwise properly signed.

`walle conformance` turns it into checks of a client, and the tests of the project's own device use all of it.
"""

from __future__ import annotations

from typing import Final

from walle.conformance.client.catalogue.assignments import ASSIGNMENTS, FORMER_KEYS, NUMBERS, REMOVALS
from walle.conformance.client.catalogue.entry import InvalidOffer
from walle.conformance.client.catalogue.files import EXCLUSIVE_FILES, FILES
from walle.conformance.client.catalogue.manifests import MANIFESTS
from walle.conformance.client.catalogue.roots import INVALID_ROOTS

__all__ = ["INVALID_OFFERS", "INVALID_ROOTS"]

INVALID_OFFERS: Final[tuple[InvalidOffer, ...]] = (
    *(ASSIGNMENTS + NUMBERS + REMOVALS + FORMER_KEYS),
    *(MANIFESTS + FILES + EXCLUSIVE_FILES),
)
