"""Headers: what is written is read back, both paths agree, and nothing but HeaderMalformed ever comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.protocol import strategies as wire
from walle.protocol import headers
from walle.protocol.documents import Variant
from walle.protocol.errors import HeaderMalformed
from walle.protocol.headers import AppHeader, CheckIn, DeviceHeader, Offer
from walle.protocol.signing import sign

READERS: list[Callable[[bytes], Any]] = [
    headers.read_device,
    headers.read_app,
    headers.read_profile,
    headers.read_offers,
    headers.read_variant,
]
VALID = [
    b'"device-1";c="k1.1807776000..0123456789abcdef0123456789abcdef";n=17',
    b'"shop";v="1.14.2";os=android;osv="14";perf=high;rg=eu;age=30;vip;score=0.75;note="a \\"b\\" c"',
    b"camera/digits;d=:AAECAwQFBgcICQoL:, shop/recommend;d=:AAECAwQFBgcICQoL:",
    b'camera/digits;do=remove;kind=shared;a=:e30=:;s=:AAEC:;k="k1";t="token"',
    b':e30=:;s=:AAEC:;k="k1"',
]


@given(wire.device_headers)
def test_device_round_trip(header: DeviceHeader) -> None:
    assert headers.read_device(headers.write_device(header).encode()) == header


@given(wire.app_headers)
def test_app_round_trip(header: AppHeader) -> None:
    read = headers.read_app(headers.write_app(header).encode())
    assert read == header
    assert list(read.facts) == list(header.facts)
    assert read.app_version == header.facts["app_version"]


@given(wire.profiles)
def test_profile_round_trip(profile: dict[str, bytes]) -> None:
    assert headers.read_profile(headers.write_profile(profile).encode()) == profile


@given(st.lists(wire.offers, max_size=4))
def test_offers_round_trip(offers: list[Offer]) -> None:
    assert headers.read_offers(headers.write_offers(offers).encode()) == offers


def test_variant_round_trip() -> None:
    from tests.vectors.keys import signer

    document = Variant("11" * 32, "prefs.json", "18-29", "22" * 32, 40).to_dict()
    envelope = sign("variant", document, [signer("targets-1")])
    assert headers.read_variant(headers.write_variant(envelope).encode()) == envelope


@given(wire.device_headers, wire.app_headers, wire.profiles)
def test_check_in_leaves_out_an_empty_profile(device: DeviceHeader, app: AppHeader, profile: headers.Profile) -> None:
    lines = CheckIn(device, app, profile).headers()
    assert ("Walle-Profile" in lines) == bool(profile)
    assert headers.read_device(lines["Walle-Device"].encode()) == device


# Ways of writing the same value differently, which the fast paths do not know.
_SPELLINGS: list[Callable[[bytes], bytes]] = [
    lambda raw: b" " + raw,
    lambda raw: raw + b" ",
    lambda raw: raw.replace(b";", b"; ", 1),
    lambda raw: raw + b";future=1",
    lambda raw: raw.replace(b";", b";future=1;", 1),
    lambda raw: raw.replace(b", ", b","),
    lambda raw: raw.replace(b", ", b" \t,\t "),
]


@given(wire.device_headers, st.sampled_from(_SPELLINGS))
def test_device_read_by_the_general_parser_is_the_same(
    header: DeviceHeader, spelling: Callable[[bytes], bytes]
) -> None:
    raw = headers.write_device(header).encode()
    assert headers._DEVICE_FAST.fullmatch(raw)
    odd = spelling(raw)
    assert odd == raw or not headers._DEVICE_FAST.fullmatch(odd)
    assert headers.read_device(odd) == header


@given(st.dictionaries(wire.tasks, wire.short_digests, min_size=1, max_size=8), st.sampled_from(_SPELLINGS))
def test_profile_read_by_the_general_parser_is_the_same(
    profile: dict[str, bytes], spelling: Callable[[bytes], bytes]
) -> None:
    raw = headers.write_profile(profile).encode()
    assert dict(map(headers._installed, raw.split(b", "))) == profile
    odd = spelling(raw)
    assert odd == raw or not all(map(headers._PROFILE_ENTRY.fullmatch, odd.split(b", ")))
    assert headers.read_profile(odd) == profile


def _outcome(read: Callable[[bytes], Any], raw: bytes) -> str:
    """As text, which tells 1 from 1.0 and true, and one order of facts from another."""
    try:
        return repr(read(raw))
    except HeaderMalformed as error:
        return f"{error.code}: {error}"


_positions = st.integers(0, 10_000)
_mutations = st.lists(st.tuples(_positions, st.sampled_from([0, 1, 2]), st.binary(min_size=1, max_size=3)), max_size=3)


def _mutated(raw: bytes, mutations: list[tuple[int, int, bytes]]) -> bytes:
    for position, kind, piece in mutations:
        at = position % (len(raw) + 1)
        raw = raw[:at] + (b"" if kind == 0 else piece) + raw[at + (kind != 1) * len(piece) :]
    return raw


class _NeverMatches:
    def fullmatch(self, value: bytes) -> None:
        return None


def _never_reads(part: bytes) -> None:
    raise HeaderMalformed("Walle-App", "nothing")


_written = st.one_of(
    wire.device_headers.map(headers.write_device),
    wire.app_headers.map(headers.write_app),
    wire.profiles.map(headers.write_profile),
)


@settings(max_examples=300)
@given(_written, _mutations)
@example('"d";c="c";n=0', [])
@example('"d";c="c";n=000000000000000', [])
@example("a/b;d=:AAAAAAAAAAAAAAAA:, a/b;d=:AAAAAAAAAAAAAAAA:", [])
@example('"shop";v="1";app_version="2";v="3"', [])
@example('"shop";v="1";os="a;b";x="c\\";d"', [])
@example('"shop";v="1" ;os=android ', [])
@example('"shop" ;v="1"', [])
@example('"shop";v="1";os=android;*', [])
@example('"shop";v="1";n=1;n=1.0;n', [])
@example('"shop";v="1";n=-007; m=-0;l=-0.0;k=999999999999999;j=0.125;i=.5;h=1.;g=1.2345', [])
@example('"shop";v="1";user.n=1', [])
@example('"shop";v=1', [])
def test_both_paths_agree_on_mutated_bytes(written: str, mutations: list[tuple[int, int, bytes]]) -> None:
    """The same reading with the fast path taken away, whatever the bytes."""
    raw = _mutated(written.encode(), mutations)
    with pytest.MonkeyPatch.context() as patch:
        fast = [_outcome(read, raw) for read in READERS[:3]]
        patch.setattr(headers, "_DEVICE_FAST", _NeverMatches())
        patch.setattr(headers, "_claim", _never_reads)
        patch.setattr(headers, "_installed", _never_reads)
        slow = [_outcome(read, raw) for read in READERS[:3]]
    assert fast == slow


@settings(max_examples=150)
@given(st.binary(max_size=200))
@example(b"\xff")
@example(b"(" * 2000)
@example(b"9" * 5000)
@example(b'"' + b"\\" * 4000)
def test_arbitrary_bytes_are_read_or_malformed(raw: bytes) -> None:
    for read in READERS:
        _outcome(read, raw)


@settings(max_examples=150)
@given(st.sampled_from(VALID), _mutations)
def test_nearly_valid_bytes_are_read_or_malformed(raw: bytes, mutations: list[tuple[int, int, bytes]]) -> None:
    for read in READERS:
        _outcome(read, _mutated(raw, mutations))


@pytest.mark.parametrize("read", [headers.read_device, headers.read_app, headers.read_profile, headers.read_variant])
def test_a_header_beyond_the_limit_is_refused_before_it_is_read(read: Callable[[bytes], Any]) -> None:
    long = b", ".join(b"a/t%d;d=:AAAAAAAAAAAAAAAA:" % number for number in range(400))
    with pytest.raises(HeaderMalformed, match="8192 bytes"):
        read(long)


def test_a_profile_of_sixty_long_tasks_fits() -> None:
    """What the device SDK promises itself: see walle.device.link.profile.MAX_TASKS."""
    profile = {f"{'s' * 40}/{'t' * 38}{number:02d}": bytes(12) for number in range(60)}
    assert headers.read_profile(headers.write_profile(profile).encode()) == profile


def test_errors_name_the_header_and_what_was_expected() -> None:
    with pytest.raises(HeaderMalformed, match="Walle-Device: expected") as caught:
        headers.read_device(b"?")
    assert caught.value.header == "Walle-Device"
    assert caught.value.code == "header-malformed"


@pytest.mark.parametrize("fact", ['%"%00"', '%"a%00b"', ":AAEC:"])
def test_facts_that_cannot_be_stored_are_refused(fact: str) -> None:
    with pytest.raises(HeaderMalformed):
        headers.read_app(f'"shop";v="1";x={fact}'.encode())


def test_a_profile_carries_the_first_12_bytes_of_a_digest() -> None:
    digest = "0123456789abcdef" * 4
    assert headers.short_hex(digest) == "0123456789abcdef01234567"
    assert headers.short_digest(digest) == bytes.fromhex("0123456789abcdef01234567")
