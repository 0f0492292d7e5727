"""The catalogue of what a device must refuse: each entry is wrong in one respect, and otherwise really signed.

`walle conformance` makes its checks of a client from it, and the tests of our own device go through all of it.
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
