"""The bodies of features: compressed without loss, never longer than raw, and bounded when a stranger wrote them."""

from __future__ import annotations

import json
import random
import threading
import tracemalloc
from hashlib import sha256

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from walle.protocol.compression import MAX_DICTIONARY, Dictionary, compress, decompress, train
from walle.protocol.errors import DocumentMalformed, FrameMalformed
from walle.protocol.tunnel_frames import RAW, ZSTD, ZSTD_DICTIONARY

MOST = 1 << 20


def sample(number: int) -> bytes:
    chance = random.Random(number)
    values = {"item": f"i{chance.randrange(10**6)}", "dwell_ms": chance.randrange(10**4), "kind": chance.choice("abc")}
    return json.dumps(values, separators=(",", ":")).encode()


SAMPLES = [sample(number) for number in range(1000)]
DICTIONARY = train(SAMPLES, 4096)
OTHER = train([bytes(reversed(each)) for each in SAMPLES], 4096)
dictionaries = st.sampled_from([None, DICTIONARY])


def refused(encoding: int, body: bytes, dictionary: Dictionary | None = None, most: int = MOST) -> str:
    with pytest.raises(FrameMalformed) as refusal:
        decompress(encoding, body, dictionary, most)
    return refusal.value.code


@given(st.binary(max_size=2000), dictionaries)
def test_nothing_is_lost_and_nothing_grows(data: bytes, dictionary: Dictionary | None) -> None:
    encoding, body = compress(data, dictionary)
    assert len(body) <= len(data)
    assert (encoding == RAW) == (body == data)
    assert decompress(encoding, body, dictionary, len(data)) == data


def test_what_repeats_is_short_and_a_dictionary_makes_it_shorter() -> None:
    data = b" ".join(map(sample, range(5000, 5004)))
    plain, bare = compress(data, None)
    assert plain == ZSTD
    encoding, body = compress(data, DICTIONARY)
    assert encoding == ZSTD_DICTIONARY
    assert len(body) < len(bare) < len(data)


@given(st.integers(1000, 10**6), st.data())
def test_damage_is_refused_or_bounded(number: int, data: st.DataObject) -> None:
    """The frame's sum finds damage; what remains here is that a forged body does no harm."""
    _, body = compress(sample(number), DICTIONARY)
    forged = bytearray(body)
    bit = data.draw(st.integers(0, len(body) * 8 - 1))
    forged[bit // 8] ^= 1 << bit % 8
    try:
        read = decompress(ZSTD_DICTIONARY, bytes(forged), DICTIONARY, MOST)
    except FrameMalformed:
        return
    assert len(read) <= MOST


@given(st.integers(1000, 10**6))
def test_every_truncation_is_refused(number: int) -> None:
    _, body = compress(sample(number), DICTIONARY)
    assert {refused(ZSTD_DICTIONARY, body[:length], DICTIONARY) for length in range(len(body))} == {"body-malformed"}


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_or_bounded(body: bytes) -> None:
    try:
        read = decompress(ZSTD, zstandard.FRAME_HEADER + body, None, MOST)
    except FrameMalformed:
        return
    assert len(read) <= MOST


def test_more_than_is_allowed_is_refused() -> None:
    encoding, body = compress(bytes(1001), None)
    assert refused(encoding, body, None, 1000) == "body-too-large"
    assert refused(RAW, bytes(1001), None, 1000) == "body-too-large"
    assert decompress(encoding, body, None, 1001) == bytes(1001)


def bombs() -> dict[str, bytes]:
    honest = zstandard.ZstdCompressor().compress(bytes(1 << 28))
    unsized = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(1 << 28))
    magic, window, blocks = unsized[:4], unsized[5:6], unsized[6:]
    sized_1000 = bytes((0x40,)), (1000 - 256).to_bytes(2, "little")
    lying = magic + sized_1000[0] + window + sized_1000[1] + blocks
    # A window of 128 MiB around a thousand bytes.
    wide = magic + sized_1000[0] + bytes((17 << 3,)) + sized_1000[1] + compress(bytes(1000), None)[1][7:]
    assert len(zstandard.ZstdDecompressor().decompress(wide)) == 1000
    return {"honest": honest, "unsized": unsized, "lying": lying, "wide": wide}


BOMBS = bombs()


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_before_it_takes_memory(name: str) -> None:
    tracemalloc.start()
    try:
        code = refused(ZSTD, BOMBS[name])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert code == {"honest": "body-too-large", "wide": "body-too-large"}.get(name, "body-malformed")
    assert peak < MOST


def test_one_body_is_one_frame() -> None:
    _, body = compress(bytes(1000), None)
    assert refused(ZSTD, body + body) == "body-malformed"
    assert refused(ZSTD, body + b"\0") == "body-malformed"
    skippable = bytes.fromhex("502a4d18") + (4).to_bytes(4, "little") + b"skip"
    assert refused(ZSTD, skippable) == "body-malformed"
    assert refused(ZSTD, b"") == "body-malformed"


def test_the_stream_must_have_the_dictionary() -> None:
    _, body = compress(SAMPLES[0], DICTIONARY)
    assert refused(ZSTD_DICTIONARY, body, None) == "body-malformed"
    assert refused(ZSTD, body, DICTIONARY) == "body-malformed"


def test_a_body_that_names_another_dictionary_is_refused() -> None:
    theirs = zstandard.ZstdCompressionDict(OTHER.content)
    body = zstandard.ZstdCompressor(dict_data=theirs, write_dict_id=True).compress(SAMPLES[0])
    assert decompress(ZSTD_DICTIONARY, body, OTHER, MOST) == SAMPLES[0]
    assert refused(ZSTD_DICTIONARY, body, DICTIONARY) == "body-malformed"


def test_a_dictionary_is_known_by_its_digest() -> None:
    again = Dictionary(DICTIONARY.content)
    assert again.digest == DICTIONARY.digest == sha256(DICTIONARY.content).digest()
    encoding, body = compress(SAMPLES[0], DICTIONARY)
    assert decompress(encoding, body, again, MOST) == SAMPLES[0]
    assert len(DICTIONARY.content) <= 4096


@pytest.mark.parametrize(
    "content", [b"", b"text", DICTIONARY.content[:20], DICTIONARY.content + bytes(MAX_DICTIONARY)], ids=range(4)
)
def test_what_is_no_dictionary_is_refused(content: bytes) -> None:
    with pytest.raises(DocumentMalformed, match="dictionary: "):
        Dictionary(content)


def test_too_few_samples_make_no_dictionary() -> None:
    with pytest.raises(ValueError, match="samples enough"):
        train(SAMPLES[:3], 4096)


def test_threads_share_a_dictionary() -> None:
    wrong: list[bytes] = []

    def work(seed: int) -> None:
        for number in range(seed, seed + 300):
            data = sample(number)
            if decompress(*compress(data, DICTIONARY), DICTIONARY, MOST) != data:
                wrong.append(data)

    threads = [threading.Thread(target=work, args=(1000 * each,)) for each in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
