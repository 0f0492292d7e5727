"""Writes offers. All but their two keyed tokens is the same for every device, and is written once per table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple
from weakref import WeakKeyDictionary

from walle.gateway.ports import AppState
from walle.protocol.headers import Offer, Profile, write_offers
from walle.protocol.keyed import ExclusiveGrant, OfferStamp
from walle.release.candidates import Change
from walle.release.decision import CompiledTable
from walle.release.deferral import may_wait_s
from walle.release.table import Bases, Entry

OFFER_LEASE_S: Final = 24 * 3600
"""The validity of an offer: a device that has not reported by then counts as silent (release lesson 8)."""
EXCLUSIVE_URL_S: Final = 3600

Action = Literal["install", "update", "remove"]
_Key = tuple[str, str, str]


class OfferRecipient(NamedTuple):
    """The device that receives an offer; `trusted` are the facts vouched for by its credential or by the cloud.

    `withdrawn` are the tasks of which it has a withdrawn version.
    """

    device: str
    region: str
    profile: Profile
    trusted: Mapping[str, Any]
    withdrawn: Collection[str] = ()


class OfferWriter:
    """Serializes the `Walle-Offers` header of one device."""

    def __init__(self) -> None:
        self._texts: WeakKeyDictionary[CompiledTable, dict[_Key, str]] = WeakKeyDictionary()

    def write(self, state: AppState, recipient: OfferRecipient, changes: Sequence[Change], now: float) -> bytes:
        table = state.table.table
        region = recipient.region if recipient.region in table.bases else ""
        bases = table.bases[region]
        texts = self._texts.setdefault(state.table, {})
        members = []
        for change in changes:
            action = _action(change, recipient.profile)
            key = (change, region, action) if isinstance(change, str) else (str(change.release), region, action)
            text = texts.get(key) or texts.setdefault(key, _shared_text(state.table, change, action, bases))
            text += f';t="{_token(state, recipient, change, now)}"'
            if defer_s := may_wait_s(change, recipient.withdrawn):
                text += f";defer={defer_s}"
            if isinstance(change, Entry) and change.exclusive:
                text += f';x="{bases.exclusive}/exclusive/{_exclusive_token(state, recipient, change, now)}"'
            members.append(text)
        return ", ".join(members).encode()


def _token(state: AppState, recipient: OfferRecipient, change: Change, now: float) -> str:
    release, stage = (change.release, change.stage) if isinstance(change, Entry) else (0, 0)
    stamp = OfferStamp(release, stage, state.table.table.number, int(now) + OFFER_LEASE_S)
    return state.keyring.issue_offer_token(recipient.device, stamp)


def _action(change: Change, profile: Profile) -> Action:
    if isinstance(change, str):
        return "remove"
    return "update" if change.task in profile else "install"


def _shared_text(table: CompiledTable, change: Change, action: Action, bases: Bases) -> str:
    """Return the offer without its tokens, which are appended; the parameters of a structured field have no order."""
    task, manifest = (change, None) if isinstance(change, str) else (change.task, change.manifest)
    signed = table.assignment(task, manifest)
    offer = Offer(task, action, signed.payload, signed.signature, signed.key_id)
    if isinstance(change, Entry):
        offer = replace(
            offer,
            kind="exclusive" if change.exclusive else "shared",
            url=f"{bases.shared}/artifacts/{change.envelope_digest}",
            digest=bytes.fromhex(change.envelope_digest),
            size=change.envelope_size,
        )
    return write_offers([offer])


def _exclusive_token(state: AppState, recipient: OfferRecipient, entry: Entry, now: float) -> str:
    facts = {**recipient.trusted, "device_id": recipient.device}
    expires = int(now) + EXCLUSIVE_URL_S
    grant = ExclusiveGrant(state.keyring.app, recipient.device, entry.manifest, facts, expires)
    return state.keyring.issue_exclusive_token(grant)
