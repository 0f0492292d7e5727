"""What check-ins ask of those who carry out offers, and what they are told became of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from walle.protocol.headers import Offer
from walle.protocol.signing import TrustedRoots

Result = Literal["installed", "removed", "already", "refused", "postponed"]


@dataclass(frozen=True)
class OfferOutcome:
    """What became of an offer. `code` and `detail` say why it was refused or postponed."""

    task: str
    result: Result
    version: str | None = None
    code: str | None = None
    detail: str | None = None


class Roots(Protocol):
    """Who may sign what: a Trust."""

    async def refresh(self) -> TrustedRoots: ...


class Updates(Protocol):
    """What carries out offers: an Updater."""

    async def apply(self, offer: Offer, roots: TrustedRoots) -> OfferOutcome: ...
