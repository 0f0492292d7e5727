"""Keyed tokens, which the cloud issues and later recognizes without storing them.

There are three kinds, each under its own subkey: device credentials, offer tokens (the proof in a report that the offer
was really made, release lesson 14) and exclusive-file URLs. All are opaque to devices. The keyed hash is BLAKE2b-128
(RFC 7693); the key id comes first, so that keys can be rotated.
"""

from __future__ import annotations

import base64
import json
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from hmac import compare_digest
from typing import Any, Literal

from walle.protocol.canonical import canonical_json
from walle.protocol.errors import CredentialExpired, CredentialKeyRetired, CredentialRefused

Purpose = Literal["credential", "offer", "exclusive"]
Facts = Mapping[str, Any]
_PURPOSES: tuple[Purpose, ...] = ("credential", "offer", "exclusive")
_CACHED = 4096
_LONGEST = 2048
# The limit of an exclusive-file URL, which contains the facts of both the app's backend and the cloud.
_LONGEST_GRANT = 4096


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def app_key(master: bytes, app: str) -> bytes:
    """Derive the key of one app from a master key, so that a gateway of one app does not know the key of another."""
    return blake2b(app.encode(), key=master, digest_size=32, person=b"walle-app").digest()


@dataclass(frozen=True)
class DeviceKey:
    """A symmetric key of one app. `accepted` is false after its retirement: old tokens then only prove identity."""

    key_id: str
    secret: bytes = field(repr=False)
    accepted: bool = True


class Keyring:
    """The symmetric keys of one app, newest first; the first one issues tokens."""

    def __init__(self, app: str, keys: tuple[DeviceKey, ...]) -> None:
        if not keys:
            raise ValueError("a keyring needs at least one key")
        self.app = app
        self.keys = keys
        self.issuing = keys[0].key_id
        self._accepted = frozenset(key.key_id for key in keys if key.accepted)
        # Hash states that already contain their key: copying one is faster than keying a new one.
        self._keyed: dict[Purpose, dict[str, Any]] = {
            purpose: {key.key_id: blake2b(key=_subkey(key, app, purpose), digest_size=16) for key in keys}
            for purpose in _PURPOSES
        }

    def _mac(self, purpose: Purpose, key_id: str, message: str) -> str:
        hashed = self._keyed[purpose][key_id].copy()
        hashed.update(message.encode("utf-8", "surrogatepass"))
        return str(hashed.hexdigest())

    def _check(self, purpose: Purpose, key_id: str, message: str, mac: str) -> None:
        if key_id not in self._keyed[purpose]:
            raise CredentialKeyRetired(f"{purpose}: key {key_id[:16]!r} is not known")
        if not compare_digest(self._mac(purpose, key_id, message), mac):
            raise CredentialRefused(f"{purpose}: the keyed hash does not match")

    def _check_accepted(self, key_id: str) -> None:
        if key_id not in self._accepted:
            raise CredentialKeyRetired(f"key {key_id} is retired")

    def issue_credential(self, device: str, expires: int, facts: Facts | None = None) -> str:
        """Issue a device's credential, `key id.expiry.facts.mac`, with the facts signed by the app's backend.

        None stands for a device that no backend vouches for; {} for one that is vouched for without facts.
        """
        encoded = "" if facts is None else _b64(canonical_json(facts))
        body = f"{self.issuing}.{expires}.{encoded}"
        return f"{body}.{self._mac('credential', self.issuing, f'{device}.{body}')}"

    def read_credential(self, credential: str, device: str, now: float) -> Facts | None:
        """Return the trusted facts in a valid credential of this device; None if no backend vouches for the device.

        Raises CredentialRefused.
        """
        parts = credential.split(".")
        if len(parts) == 4 and parts[0] in self._accepted and credential.isascii():
            # The path of every check-in, without further calls; the checks below find out why a credential is refused.
            hashed = self._keyed["credential"][parts[0]].copy()
            hashed.update(f"{device}.{credential[: -len(parts[3]) - 1]}".encode("utf-8", "surrogatepass"))
            if compare_digest(hashed.hexdigest(), parts[3]) and int(parts[1]) >= now:
                return _facts(parts[2]) if parts[2] else None
        key_id = self._open_credential(credential, device)
        self._check_accepted(key_id)
        raise CredentialExpired("the credential's time is over")

    def proves_identity(self, credential: str, device: str) -> bool:
        """Return whether a credential, however old, was once issued to this device: enough to keep its id."""
        try:
            self._open_credential(credential, device)
        except CredentialRefused:
            return False
        return True

    def _open_credential(self, credential: str, device: str) -> str:
        key_id, expires, facts, mac = _parts(credential, 4)
        self._check("credential", key_id, f"{device}.{key_id}.{expires}.{facts}", mac)
        return key_id

    def issue_offer_token(self, device: str, offer: OfferStamp) -> str:
        body = f"{self.issuing}.{offer.release}.{offer.stage}.{offer.number}.{offer.expires}"
        return f"{body}.{self._mac('offer', self.issuing, f'{device}.{body}')}"

    def read_offer_token(self, token: str, device: str) -> OfferStamp:
        """Return the offer that was made to this device. Raises CredentialRefused. The caller checks the expiry."""
        key_id, release, stage, number, expires, mac = _parts(token, 6)
        self._check("offer", key_id, f"{device}.{token[: -len(mac) - 1]}", mac)
        self._check_accepted(key_id)
        return OfferStamp(int(release), int(stage), int(number), int(expires))

    def issue_exclusive_token(self, grant: ExclusiveGrant) -> str:
        body = _b64(canonical_json(grant.__dict__))
        return f"{self.issuing}.{body}.{self._mac('exclusive', self.issuing, body)}"

    def read_exclusive_token(self, token: str, now: float) -> ExclusiveGrant:
        key_id, body, mac = _parts(token, 3, _LONGEST_GRANT)
        self._check("exclusive", key_id, body, mac)
        self._check_accepted(key_id)
        grant = ExclusiveGrant(**json.loads(_unb64(body)))
        if grant.expires < now:
            raise CredentialExpired("the address of this exclusive file has expired: check in again")
        return grant


@lru_cache(_CACHED)
def _facts(encoded: str) -> Facts:
    """Return the facts in a credential that was found genuine; they are cached, because many users have the same."""
    facts: Facts = json.loads(_unb64(encoded))
    return facts


@dataclass(frozen=True, slots=True)
class OfferStamp:
    """The content of an offer token: release, stage, table number and expiry (Unix seconds)."""

    release: int
    stage: int
    number: int
    expires: int


@dataclass(frozen=True)
class ExclusiveGrant:
    """The permission of one device to read the exclusive files of one manifest, selected by these trusted facts."""

    app: str
    device: str
    manifest: str
    facts: Facts
    expires: int


def peek_exclusive_app(token: str) -> str:
    """Return the app that an exclusive token claims, in order to find the keyring that checks it."""
    try:
        return str(json.loads(_unb64(_parts(token, 3, _LONGEST_GRANT)[1]))["app"])
    except (Base64Error, ValueError, KeyError, TypeError, RecursionError) as error:
        raise CredentialRefused("exclusive: expected key id.grant.mac") from error


def _subkey(key: DeviceKey, app: str, purpose: Purpose) -> bytes:
    return blake2b(app.encode(), key=key.secret, digest_size=32, person=b"walle-" + purpose.encode()).digest()


def _parts(token: str, count: int, longest: int = _LONGEST) -> list[str]:
    """Return the parts of a token; the last one is its keyed hash."""
    parts = token.split(".")
    if len(parts) != count or not token.isascii() or len(token) > longest:
        raise CredentialRefused(f"expected {count} parts of letters, digits, - and _ separated by dots")
    return parts
