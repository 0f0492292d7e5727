"""Envelopes and the chain of roots, beyond what the vectors already hold."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tuf.api.metadata import Metadata, Timestamp

from tests.protocol.strategies import json_values
from tests.vectors import keys
from walle.protocol.errors import DocumentMalformed, Expired, ProtocolError, Unsigned, WrongSignature
from walle.protocol.signing import (
    TrustedRoots,
    detached,
    make_root,
    open_envelope,
    sign,
    utc,
    verify_with_key,
)

ROOT = keys.root(1, 1, "root-1")
ENVELOPE = sign("manifest", {"a": 1}, [keys.signer("targets-1")])
PUBLIC = bytes.fromhex(keys.describe("targets-1")["public"])


def test_a_device_that_slept_through_many_rotations_walks_to_the_newest() -> None:
    trusted = TrustedRoots(ROOT)
    for version in range(2, 12):
        trusted.update(keys.root(version, version, f"root-{version - 1}", f"root-{version}"))
        signed = sign("manifest", b"{}", [keys.signer(f"targets-{version}")])
        assert trusted.verify("manifest", signed) == b"{}"
        with pytest.raises(WrongSignature):
            trusted.verify("manifest", sign("manifest", b"{}", [keys.signer(f"targets-{version - 1}")]))
    assert trusted.version == 11


def test_a_refused_root_changes_nothing() -> None:
    trusted = TrustedRoots(ROOT)
    only_new, only_old = keys.root(2, 2, "root-2"), keys.root(2, 2, "root-1")
    for bad in (only_new, only_old, keys.root(3, 3, "root-1", "root-3"), b"{}", b""):
        with pytest.raises(ProtocolError):
            trusted.update(bad)
    assert (trusted.version, trusted.data) == (1, ROOT)
    trusted.update(keys.root(2, 2, "root-1", "root-2"))
    assert trusted.version == 2


def test_an_expired_root_may_be_walked_through() -> None:
    """Only the newest root must be in force (TUF specification 5.3.10): a device may have slept for years."""
    expired = keys.PAST
    trusted = TrustedRoots(keys.root(1, 1, "root-1", expires=expired))
    with pytest.raises(Expired):
        trusted.check_expiry(expired + timedelta(seconds=1))
    trusted.update(keys.root(2, 2, "root-1", "root-2", expires=expired))
    trusted.update(keys.root(3, 3, "root-2", "root-3"))
    trusted.check_expiry(utc(keys.NOW))


def test_the_second_of_expiry() -> None:
    trusted = TrustedRoots(ROOT)
    trusted.check_expiry(keys.FAR - timedelta(seconds=1))
    with pytest.raises(Expired):
        trusted.check_expiry(keys.FAR)


def test_other_tuf_metadata_is_no_root() -> None:
    metadata = Metadata(Timestamp(expires=keys.FAR))
    metadata.sign(keys.signer("root-1"))
    with pytest.raises(DocumentMalformed, match="timestamp"):
        TrustedRoots(metadata.to_bytes())


def test_thresholds_above_one_are_honoured() -> None:
    """We write roots of threshold one; a root that asks for more is obeyed all the same."""
    first = json.loads(_two_of_two("root-1", "root-2"))
    trusted = TrustedRoots(json.dumps(first).encode())
    alone = keys.root(2, 2, "root-1", "root-2")
    trusted.update(alone)
    cut = first | {"signatures": first["signatures"][:1]}
    with pytest.raises(WrongSignature):
        TrustedRoots(json.dumps(cut).encode())


def _two_of_two(*names: str) -> bytes:
    metadata = Metadata.from_bytes(keys.root(1, 1, roots=names))
    metadata.signed.roles["root"].threshold = 2
    metadata.signatures.clear()
    for name in names:
        metadata.sign(keys.signer(name), append=True)
    return metadata.to_bytes()


def test_snapshot_has_the_keys_of_timestamp() -> None:
    roles = json.loads(ROOT)["signed"]["roles"]
    assert roles["snapshot"] == roles["timestamp"] != roles["targets"]
    assert all(role["threshold"] == 1 for role in roles.values())


def test_make_root_cuts_fractions_of_seconds() -> None:
    root = make_root(
        1, keys.FAR + timedelta(microseconds=5), {"root": [keys.signer("root-1")]}, [keys.signer("root-1")]
    )
    assert json.loads(root)["signed"]["expires"] == "2100-01-01T00:00:00Z"


def test_signatures_of_several_keys_one_of_which_counts() -> None:
    envelope = sign("manifest", b"{}", [keys.signer("root-1"), keys.signer("targets-1")])
    assert len(open_envelope("manifest", envelope).signatures) == 2
    assert TrustedRoots(ROOT).verify("manifest", envelope) == b"{}"


def test_taken_apart_and_put_together_again() -> None:
    opened = open_envelope("manifest", ENVELOPE)
    (signature,) = opened.signatures.values()
    assert detached("manifest", opened.payload, signature.keyid, bytes.fromhex(signature.signature)) == ENVELOPE


def test_a_registered_key_verifies_outside_the_chain() -> None:
    assert verify_with_key("manifest", ENVELOPE, [b"x" * 32, PUBLIC]) == b'{"a":1}'
    both = [keys.signer("timestamp-1"), keys.signer("targets-1")]
    for signers in (both, both[::-1]):
        assert verify_with_key("manifest", sign("manifest", {"a": 1}, signers), [PUBLIC]) == b'{"a":1}'
    for others in ([], [b"x" * 32], [b"too short"]):
        with pytest.raises(WrongSignature):
            verify_with_key("manifest", ENVELOPE, others)
    with pytest.raises(Unsigned):
        verify_with_key("facts", ENVELOPE, [PUBLIC])


def _refused(call: Any) -> None:
    with pytest.raises(ProtocolError):
        call()


@settings(max_examples=100)
@given(st.one_of(st.binary(max_size=60), json_values.map(lambda value: json.dumps(value).encode())))
@example(b"[" * 100_000)
@example(b'{"payload":"e30=","payloadType":"application/vnd.walle.manifest+json","signatures":[[]]}')
@example(b'{"payload":"e30=","payloadType":"application/vnd.walle.manifest+json","signatures":{"a":1}}')
@example(b'{"payload":"e30=","payloadType":"application/vnd.walle.manifest+json","signatures":[{"sig":"","keyid":[]}]}')
@example(b'{"payload":"e30=","payloadType":"application/vnd.walle.manifest+json","signatures":[{"sig":"","keyid":1}]}')
def test_arbitrary_bytes_verify_never_and_raise_nothing_else(data: bytes) -> None:
    trusted = TrustedRoots(ROOT)
    _refused(lambda: trusted.verify("manifest", data))
    _refused(lambda: verify_with_key("manifest", data, [PUBLIC]))
    _refused(lambda: trusted.update(data))
    _refused(lambda: TrustedRoots(data))


def _replaced(draw: Any, document: Any) -> bytes:
    place: Any = document
    while True:
        key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else list(range(len(place)))))
        if not isinstance(place[key], (dict, list)) or not place[key] or draw(st.booleans()):
            place[key] = draw(json_values)
            return json.dumps(document).encode()
        place = place[key]


@settings(max_examples=100)
@given(st.data())
def test_one_value_of_an_envelope_replaced_by_any_json(data: st.DataObject) -> None:
    """Either refused, or the same payload still: nothing else can come out of a signature."""
    trusted = TrustedRoots(ROOT)
    changed = _replaced(data.draw, json.loads(ENVELOPE))
    for verify in (
        lambda: trusted.verify("manifest", changed),
        lambda: verify_with_key("manifest", changed, [PUBLIC]),
    ):
        try:
            assert verify() == b'{"a":1}'
        except ProtocolError:
            continue


@settings(max_examples=100)
@given(st.data())
def test_one_value_of_a_root_replaced_by_any_json(data: st.DataObject) -> None:
    changed = _replaced(data.draw, json.loads(keys.root(2, 2, "root-1", "root-2")))
    trusted = TrustedRoots(ROOT)
    try:
        trusted.update(changed)
    except ProtocolError:
        assert trusted.version == 1
    else:
        # Left out or null, some members stand for what python-tuf writes there; what is trusted is what was signed.
        assert trusted._metadata.signed.to_dict() == json.loads(keys.root(2, 2, "root-1", "root-2"))["signed"]
