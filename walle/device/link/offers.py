"""The interfaces between check-ins and what carries out offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from walle.protocol.headers import Offer
from walle.protocol.signing import TrustedRoots

Result = Literal["installed", "removed", "already", "refused", "postponed", "put-off"]


@dataclass(frozen=True)
class OfferOutcome:
    """The outcome of an offer. `code` and `detail` say why it was refused, postponed or put off."""

    task: str
    result: Result
    version: str | None = None
    code: str | None = None
    detail: str | None = None


class Roots(Protocol):
    """The trusted roots; implemented by Trust."""

    async def refresh(self) -> TrustedRoots: ...


class Updates(Protocol):
    """Carries out offers; implemented by Updater."""

    async def apply(self, offer: Offer, roots: TrustedRoots) -> OfferOutcome: ...
