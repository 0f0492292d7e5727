"""Writes offers. All but the two keyed tokens is the same for every device, and is written once per table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple
from weakref import WeakKeyDictionary

from walle.gateway.ports import AppState
from walle.protocol.headers import Offer, Profile, write_offers
from walle.protocol.keyed import ExclusiveGrant, OfferStamp
from walle.release.candidates import Change
from walle.release.decision import CompiledTable
from walle.release.table import Bases, Entry

OFFER_LEASE_S: Final = 24 * 3600
"""An offer is a lease: a device that has not reported by then counts as silent (release lesson 8)."""
EXCLUSIVE_URL_S: Final = 3600

Action = Literal["install", "update", "remove"]
_Key = tuple[str, str, str]


class OfferRecipient(NamedTuple):
    """The device that an offer is for; `trusted` are the facts that its credential or the cloud vouches for."""

    device: str
    region: str
    profile: Profile
    trusted: Mapping[str, Any]


class OfferWriter:
    """Serializes the `Walle-Offers` header of one device."""

    def __init__(self) -> None:
        self._texts: WeakKeyDictionary[CompiledTable, dict[_Key, str]] = WeakKeyDictionary()

    def write(self, state: AppState, asker: OfferRecipient, changes: Sequence[Change], now: float) -> bytes:
        table = state.table.table
        region = asker.region if asker.region in table.bases else ""
        bases = table.bases[region]
        texts = self._texts.setdefault(state.table, {})
        members = []
        for change in changes:
            action = _action(change, asker.profile)
            key = (change, region, action) if isinstance(change, str) else (str(change.release), region, action)
            text = texts.get(key) or texts.setdefault(key, _shared_text(state.table, change, action, bases))
            text += f';t="{_token(state, asker, change, now)}"'
            if isinstance(change, Entry) and change.exclusive:
                text += f';x="{bases.exclusive}/exclusive/{_exclusive_token(state, asker, change, now)}"'
            members.append(text)
        return ", ".join(members).encode()


def _token(state: AppState, asker: OfferRecipient, change: Change, now: float) -> str:
    release, stage = (change.release, change.stage) if isinstance(change, Entry) else (0, 0)
    stamp = OfferStamp(release, stage, state.table.table.number, int(now) + OFFER_LEASE_S)
    return state.keyring.issue_offer_token(asker.device, stamp)


def _action(change: Change, profile: Profile) -> Action:
    if isinstance(change, str):
        return "remove"
    return "update" if change.task in profile else "install"


def _shared_text(table: CompiledTable, change: Change, action: Action, bases: Bases) -> str:
    """The offer without its tokens, which are appended: the parameters of a structured field may come in any order."""
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


def _exclusive_token(state: AppState, asker: OfferRecipient, entry: Entry, now: float) -> str:
    facts = {**asker.trusted, "device_id": asker.device}
    expires = int(now) + EXCLUSIVE_URL_S
    grant = ExclusiveGrant(state.keyring.app, asker.device, entry.manifest, facts, expires)
    return state.keyring.issue_exclusive_token(grant)
