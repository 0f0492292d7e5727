"""Keyed tokens: what they prove, for whom, until when, and how everything else is refused."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.protocol import strategies as wire
from walle.protocol.errors import CredentialExpired, CredentialKeyRetired, CredentialRefused
from walle.protocol.headers import DeviceHeader, read_device, write_device
from walle.protocol.keyed import DeviceKey, ExclusiveGrant, Keyring, OfferStamp, app_key, peek_exclusive_app

NOW = 1_800_000_000
KEY = DeviceKey("k1", b"1" * 32)
NEXT = DeviceKey("k2", b"2" * 32)
KEYRING = Keyring("shop", (KEY,))
STAMP = OfferStamp(release=12, stage=34, number=1_800_000_001, expires=NOW + 86_400)
GRANT = ExclusiveGrant("shop", "device-1", "ab" * 32, {"age_band": "18-29", "device_id": "device-1"}, NOW + 3600)

facts = st.dictionaries(
    st.text(st.characters(codec="utf-8"), max_size=10),
    st.one_of(st.text(st.characters(codec="utf-8"), max_size=10), st.booleans(), st.integers(), st.floats(-1e9, 1e9)),
    max_size=4,
)


def credential(keyring: Keyring = KEYRING) -> str:
    return keyring.issue_credential("device-1", NOW + 100, {"age_band": "18-29"})


def offer_token(keyring: Keyring = KEYRING) -> str:
    return keyring.issue_offer_token("device-1", STAMP)


def exclusive_token(keyring: Keyring = KEYRING) -> str:
    return keyring.issue_exclusive_token(GRANT)


Read = Callable[[Keyring, str], Any]
KINDS: dict[str, tuple[Callable[[Keyring], str], Read]] = {
    "credential": (credential, lambda keyring, token: keyring.read_credential(token, "device-1", NOW)),
    "offer": (offer_token, lambda keyring, token: keyring.read_offer_token(token, "device-1")),
    "exclusive": (exclusive_token, lambda keyring, token: keyring.read_exclusive_token(token, NOW)),
}
every_kind = pytest.mark.parametrize(("issue", "read"), KINDS.values(), ids=KINDS)


@given(wire.device_ids, facts)
def test_credential_round_trip(device: str, facts: dict[str, Any]) -> None:
    token = KEYRING.issue_credential(device, NOW, facts)
    assert KEYRING.read_credential(token, device, NOW) == facts
    assert KEYRING.proves_identity(token, device)


@given(wire.device_ids, st.builds(OfferStamp, *[st.integers(0, 2**62)] * 4))
def test_offer_token_round_trip(device: str, stamp: OfferStamp) -> None:
    assert KEYRING.read_offer_token(KEYRING.issue_offer_token(device, stamp), device) == stamp


@given(facts)
def test_exclusive_token_round_trip(facts: dict[str, Any]) -> None:
    grant = replace(GRANT, facts=facts)
    token = KEYRING.issue_exclusive_token(grant)
    assert KEYRING.read_exclusive_token(token, NOW) == grant
    assert peek_exclusive_app(token) == "shop"


def test_the_largest_facts_still_make_tokens_that_are_read() -> None:
    """MAX_FACTS_BYTES is chosen so: credential and address stay within what readers take."""
    facts = {"f": "\x01" * 169 + "x"}  # \u0001 is six bytes of JSON
    assert 1000 < len(json.dumps(facts)) <= 1024
    device = "d" * 64
    token = KEYRING.issue_credential(device, NOW, facts)
    header = DeviceHeader(device, token, 10**15 - 1)
    assert read_device(write_device(header).encode()) == header
    grant = ExclusiveGrant("a" * 40, device, "ab" * 32, {**facts, "device_id": device}, NOW)
    assert KEYRING.read_exclusive_token(KEYRING.issue_exclusive_token(grant), NOW) == grant


@every_kind
def test_any_other_character_anywhere_is_refused(issue: Callable[[Keyring], str], read: Read) -> None:
    token = issue(KEYRING)
    assert read(KEYRING, token)
    for position, present in enumerate(token):
        for other in {chr(ord(present) ^ 1), "A", "0", ".", "-", "é"} - {present}:
            with pytest.raises(CredentialRefused):
                read(KEYRING, token[:position] + other + token[position + 1 :])


@every_kind
@settings(max_examples=60)
@given(data=st.data())
def test_a_longer_or_shorter_token_is_refused(issue: Callable[[Keyring], str], read: Read, data: st.DataObject) -> None:
    token = issue(KEYRING)
    at = data.draw(st.integers(0, len(token)))
    changed = data.draw(
        st.sampled_from([token[:at] + "0" + token[at:], token[:at] + token[at + 1 :], token[:at], token * 2])
    )
    if changed != token:
        with pytest.raises(CredentialRefused):
            read(KEYRING, changed)


@every_kind
def test_another_app_does_not_recognise_it(issue: Callable[[Keyring], str], read: Read) -> None:
    with pytest.raises(CredentialRefused):
        read(Keyring("bank", (KEY,)), issue(KEYRING))


@every_kind
def test_another_secret_under_the_same_id_does_not_recognise_it(issue: Callable[[Keyring], str], read: Read) -> None:
    with pytest.raises(CredentialRefused) as caught:
        read(Keyring("shop", (replace(KEY, secret=b"x" * 32),)), issue(KEYRING))
    assert type(caught.value) is CredentialRefused


@every_kind
def test_a_token_of_another_kind_is_refused(issue: Callable[[Keyring], str], read: Read) -> None:
    for other_issue, _ in KINDS.values():
        if other_issue is not issue:
            with pytest.raises(CredentialRefused):
                read(KEYRING, other_issue(KEYRING))


@every_kind
def test_after_a_rotation_the_former_key_still_counts(issue: Callable[[Keyring], str], read: Read) -> None:
    token = issue(KEYRING)
    rotated = Keyring("shop", (NEXT, KEY))
    assert read(rotated, token) == read(KEYRING, token)
    assert issue(rotated).startswith("k2.")


@every_kind
def test_a_retired_key_is_said_to_be_retired(issue: Callable[[Keyring], str], read: Read) -> None:
    with pytest.raises(CredentialKeyRetired):
        read(Keyring("shop", (NEXT, replace(KEY, accepted=False))), issue(KEYRING))


@every_kind
def test_an_unknown_key_is_said_to_be_retired(issue: Callable[[Keyring], str], read: Read) -> None:
    with pytest.raises(CredentialKeyRetired):
        read(Keyring("shop", (NEXT,)), issue(KEYRING))


@every_kind
def test_a_forgery_under_a_retired_key_is_no_better_than_another(issue: Callable[[Keyring], str], read: Read) -> None:
    """The hash is looked at first, so that the answer says nothing about tokens that were never issued."""
    retired = Keyring("shop", (NEXT, replace(KEY, accepted=False)))
    token = issue(KEYRING)
    with pytest.raises(CredentialRefused) as caught:
        read(retired, token[:-1] + ("0" if token[-1] != "0" else "1"))
    assert type(caught.value) is CredentialRefused


@pytest.mark.parametrize("device", ["device-2", "Device-1", "", "device-1.k1", "device-1\ud800"])
def test_another_device_cannot_use_it(device: str) -> None:
    with pytest.raises(CredentialRefused):
        KEYRING.read_credential(credential(), device, NOW)
    with pytest.raises(CredentialRefused):
        KEYRING.read_offer_token(offer_token(), device)
    assert not KEYRING.proves_identity(credential(), device)


def test_time() -> None:
    assert KEYRING.read_credential(credential(), "device-1", NOW + 100)
    with pytest.raises(CredentialExpired):
        KEYRING.read_credential(credential(), "device-1", NOW + 100.001)
    assert KEYRING.read_exclusive_token(exclusive_token(), NOW + 3600)
    with pytest.raises(CredentialExpired):
        KEYRING.read_exclusive_token(exclusive_token(), NOW + 3601)
    assert KEYRING.read_offer_token(offer_token(), "device-1") == STAMP  # judged where it is read


def test_an_expired_credential_of_a_retired_key_still_proves_identity() -> None:
    retired = Keyring("shop", (NEXT, replace(KEY, accepted=False)))
    assert retired.proves_identity(KEYRING.issue_credential("device-1", 1), "device-1")
    assert not retired.proves_identity(KEYRING.issue_credential("device-1", 1), "device-2")
    assert not retired.proves_identity("k1.1.", "device-1")


def test_tokens_are_made_as_they_always_were() -> None:
    """Another label or order of parts would make every token worthless that is out there when a server is upgraded."""

    def subkey(purpose: bytes) -> bytes:
        return blake2b(b"shop", key=KEY.secret, digest_size=32, person=b"walle-" + purpose).digest()

    def mac(purpose: bytes, message: str) -> str:
        return blake2b(message.encode(), key=subkey(purpose), digest_size=16).hexdigest()

    def encoded(value: dict[str, Any]) -> str:
        text = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(text).rstrip(b"=").decode()

    body = f"k1.{NOW + 100}.{encoded({'age_band': '18-29'})}"
    assert credential() == f"{body}.{mac(b'credential', f'device-1.{body}')}"
    body = f"k1.12.34.1800000001.{NOW + 86_400}"
    assert offer_token() == f"{body}.{mac(b'offer', f'device-1.{body}')}"
    body = encoded(vars(GRANT))
    assert exclusive_token() == f"k1.{body}.{mac(b'exclusive', body)}"


def test_a_token_may_have_2048_characters_and_no_more_though_it_is_genuine() -> None:
    others = len(offer_token()) - len(str(STAMP.release))
    longest = replace(STAMP, release=10 ** (2048 - others - 1))
    token = KEYRING.issue_offer_token("device-1", longest)
    assert (len(token), KEYRING.read_offer_token(token, "device-1")) == (2048, longest)
    longer = KEYRING.issue_offer_token("device-1", replace(longest, release=longest.release * 10))
    with pytest.raises(CredentialRefused, match="expected 6 parts"):
        KEYRING.read_offer_token(longer, "device-1")


def test_a_keyring_needs_a_key() -> None:
    with pytest.raises(ValueError, match="at least one key"):
        Keyring("shop", ())


def test_apps_have_keys_of_their_own() -> None:
    assert app_key(b"m" * 32, "shop") != app_key(b"m" * 32, "bank")
    assert len(app_key(b"m" * 32, "shop")) == 32


_deep = base64.urlsafe_b64encode(b"[" * 1500).rstrip(b"=").decode()
garbage = st.one_of(
    st.text(st.characters(), max_size=80),
    st.lists(st.text("k1.-_AZaz09é\ud800", max_size=10), max_size=8).map(".".join),
    st.sampled_from([credential(), offer_token(), exclusive_token()]).flatmap(
        lambda token: st.tuples(st.integers(0, len(token)), st.characters()).map(
            lambda change: token[: change[0]] + change[1] + token[change[0] :]
        )
    ),
)


@settings(max_examples=300)
@given(garbage, st.text(st.characters(), max_size=10))
@example("\ud800", "\ud800")
@example("k1.1..é", "device-1")
@example("k1." + "9" * 5000 + "..0", "device-1")
@example(f"k1.{_deep}.0", "device-1")
@example("k1.e30.0", "device-1")
@example("k1.W10.0", "device-1")
@example("k1.a.0", "device-1")
def test_garbage_is_refused_and_raises_nothing_else(token: str, device: str) -> None:
    with pytest.raises(CredentialRefused):
        KEYRING.read_credential(token, device, NOW)
    with pytest.raises(CredentialRefused):
        KEYRING.read_offer_token(token, device)
    with pytest.raises(CredentialRefused):
        KEYRING.read_exclusive_token(token, NOW)
    assert not KEYRING.proves_identity(token, device)
    with contextlib.suppress(CredentialRefused):
        peek_exclusive_app(token)
