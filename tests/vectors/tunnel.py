"""Vectors of the tunnel: messages of each side, and the bodies of features."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import zstandard

from walle.protocol import tunnel_frames as wire
from walle.protocol.compression import Dictionary, compress, train

Vector = dict[str, Any]

_SPOOL = bytes(range(8))
_MANIFEST = bytes(range(12))
_DIGEST = bytes(range(32))
_MOST = wire.MAX_NUMBER
_FEATURE = wire.Feature(7, 1, 1_800_000_000_250, 1_800_000_000_000, wire.RAW, b'{"label":7}', 5000)
_LONG = wire.write_frame(_FEATURE._replace(body=b'{"x":"' + b"y" * 70_000 + b'"}'))

_DEVICE: dict[str, wire.Frame] = {
    "the first frame of a new spool": wire.Hello(_SPOOL, 1),
    "the first frame of an old spool": wire.Hello(_SPOOL, 128),
    "a stream without a dictionary": wire.OpenStream(1, "camera/digits", _MANIFEST, b""),
    "a stream with a dictionary": wire.OpenStream(256, "camera/digits", _MANIFEST, _DIGEST),
    "a stream of the longest name": wire.OpenStream(2, f"{'a' * 40}/{'b' * 40}", _MANIFEST, b""),
    "a feature": _FEATURE,
    "a feature that awaits no answer": _FEATURE._replace(answer_ms=0),
    "a feature of the largest numbers": wire.Feature(_MOST, 256, 10**14, 10**14, 2, b"", 300_000),
    "the first part of a long feature": wire.Part(7, 0, len(_LONG), _LONG[:64]),
    "another part of it": wire.Part(7, 64, len(_LONG), _LONG[64:80]),
    "what was dropped": wire.Skip(300),
    "a profile": wire.Profile(b"camera/digits;d=:AAECAwQFBgcICQoL:"),
    "no task is left": wire.Profile(b""),
    "offers are received": wire.Received(1),
}
_CLOUD: dict[str, wire.Frame] = {
    "nothing is stored": wire.Welcome(0, 1_048_576),
    "something is stored": wire.Welcome(_MOST, 0),
    "no dictionary": wire.StreamOpened(1, b"", ""),
    "a dictionary": wire.StreamOpened(256, _DIGEST, f"/walle/v1/artifacts/{_DIGEST.hex()}"),
    "the dictionary that the device holds": wire.StreamOpened(3, _DIGEST, ""),
    "an acknowledgement": wire.Acknowledge(300, 1_048_576),
    "nothing may follow": wire.Acknowledge(_MOST, 0),
    "an answer": wire.Answer(7, wire.ANSWERED, b'{"items":[1,2]}'),
    "no answer": wire.Answer(7, wire.NO_ANSWER, "nobody answers, 画像".encode()),
    "too late": wire.Answer(7, wire.TOO_LATE, b""),
    "offers": wire.Offers(1, b'camera/digits;do=remove;kind=shared;a=:e30=:;s=:AAEC:;k="k";t="t"'),
    "go and come again": wire.Drain(30_000),
    "go at once": wire.Drain(0),
}


def frames() -> dict[str, list[Vector]]:
    """Return the messages of each side, and for each what the other reads."""
    return {
        "device": [*map(_read, _DEVICE.items()), *_refused(_DEVICE["a feature"]), *_wrong_from_devices()],
        "cloud": [*map(_read, _CLOUD.items()), *_refused(_CLOUD["an answer"]), *_wrong_from_the_cloud()],
    }


def _read(named: tuple[str, wire.Frame]) -> Vector:
    name, frame = named
    return {"name": name, "message_hex": wire.write_frame(frame).hex(), "value": plain(frame)}


def plain(frame: wire.Frame) -> Vector:
    """Return a frame as JSON data: its name, and its fields, bytes in hexadecimal."""
    fields = {
        f"{name}_hex" if isinstance(value, bytes) else name: value.hex() if isinstance(value, bytes) else value
        for name, value in frame._asdict().items()
    }
    return {"frame": type(frame).__name__, **fields}


def _sealed(content: bytes) -> bytes:
    return content + crc32(content).to_bytes(4, "little")


def _error(name: str, message: bytes, code: str) -> Vector:
    return {"name": name, "message_hex": message.hex(), "error": code}


def _refused(frame: wire.Frame) -> Iterator[Vector]:
    """Yield what each side refuses, whatever the frame."""
    good = wire.write_frame(frame)
    yield _error("nothing", b"", "frame-damaged")
    yield _error("no sum", good[:-4], "frame-damaged")
    yield _error("a sum of the other byte order", good[:-4] + good[:-5:-1], "frame-damaged")
    yield _error("a bit that flipped", good[:9] + bytes((good[9] ^ 4,)) + good[10:], "frame-damaged")
    yield _error("cut off", good[:-1], "frame-damaged")
    yield _error("a type alone", _sealed(good[:1]), "frame-malformed")
    yield _error("fewer fields", _sealed(good[:2]), "frame-malformed")
    yield _error("more than the fields", _sealed(good[:-4] + b"\0"), "frame-malformed")
    yield _error("type 0", _sealed(b"\0"), "frame-unknown")
    yield _error("a type of a later version", _sealed(bytes((good[0] & 0x80 | 0x7F,)) + b"\1"), "frame-unknown")


def _wrong_from_devices() -> Iterator[Vector]:
    def wrong(name: str, content: str) -> Vector:
        return _error(name, _sealed(bytes.fromhex(content)), "frame-malformed")

    yield _error("a Drain from a device", wire.write_frame(wire.Drain(1)), "frame-unexpected")
    yield wrong("a sequence of 0", "0500")
    yield wrong("a number that is not in its shortest form", "058100")
    yield wrong("a number of 2^53", "058080808080808010")
    yield wrong("a number of nine bytes", "05808080808080808001")
    yield wrong("a number without an end", "05ffff")
    yield wrong("a spool of 7 bytes", "01070001020304050601")
    yield wrong("a length beyond the end", "01080001")
    yield wrong("stream 0", "02000361" + "2f62" + "0c" + _MANIFEST.hex() + "00")
    yield wrong("stream 257", "02810203612f620c" + _MANIFEST.hex() + "00")
    yield wrong("a task of one part", "02010161" + "0c" + _MANIFEST.hex() + "00")
    yield wrong("a task that is not UTF-8", "020103ff2f620c" + _MANIFEST.hex() + "00")
    yield wrong("a digest of 31 bytes", "020103612f620c" + _MANIFEST.hex() + "1f" + _DIGEST[:31].hex())
    yield wrong("encoding 3", "03070101010300" + "00")
    yield wrong("an answer after more than 300 s", "030701010100" + "00" + "e1a712")
    yield wrong("a part of what would fit one message", "040700" + "80e003" + "0178")
    yield wrong("a part of more than a feature may have", "040700" + "818040" + "0178")


def _wrong_from_the_cloud() -> Iterator[Vector]:
    def wrong(name: str, content: str) -> Vector:
        return _error(name, _sealed(bytes.fromhex(content)), "frame-malformed")

    yield _error("a Skip from the cloud", wire.write_frame(wire.Skip(1)), "frame-unexpected")
    yield wrong("an acknowledgement without a window", "8301")
    yield wrong("an answer to sequence 0", "84000000")
    yield wrong("an answer of status 3", "84010300")
    yield wrong("offers without a number", "850000")
    yield wrong("a dictionary of 16 bytes", "820110" + _DIGEST[:16].hex() + "00")
    yield wrong("an address with a space", "820100" + "032f2078")
    yield wrong("a number that is not in its shortest form", "86808000")


# -- bodies


def _sample(number: int) -> bytes:
    values = {"page": f"/item/{number * 7919 % 10007}", "dwell_ms": number * 104_729 % 9973, "clicks": number % 5}
    return json.dumps(values, separators=(",", ":")).encode()


def _dictionary() -> Dictionary:
    return train([_sample(number) for number in range(600)], 1024)


def bodies() -> dict[str, Any]:
    """Return a dictionary, and bodies of features for a stream that uses it."""
    dictionary = _dictionary()
    return {
        "dictionary": b64encode(dictionary.content).decode(),
        "digest": dictionary.digest.hex(),
        "vectors": [*_valid_bodies(dictionary), *_invalid_bodies(dictionary)],
    }


def _body(name: str, encoding: int, body: bytes, **more: Any) -> Vector:
    return {"name": name, "encoding": encoding, "body": b64encode(body).decode(), **more}


def _valid_bodies(dictionary: Dictionary) -> Iterator[Vector]:
    repeated = {"items": ["/item/1"] * 20, "kind": "画像"}
    for name, values, encoding in (
        ("nothing", {}, wire.RAW),
        ("a number", {"label": 7}, wire.RAW),
        ("what repeats", repeated, wire.ZSTD),
        ("what is like the samples", json.loads(_sample(700)), wire.ZSTD_DICTIONARY),
    ):
        data = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()
        chosen, body = compress(data, dictionary if encoding == wire.ZSTD_DICTIONARY else None)
        assert chosen == encoding
        yield _body(name, encoding, body, value=values)
    yield _body("spaces and other orders", wire.RAW, b' { "b" : 1.50e1, "a" : [ ] } ', value={"b": 15.0, "a": []})
    yield _body("a backslash before u0000", wire.RAW, rb'{"x":"\\u0000"}', value={"x": "\\u0000"})
    raw = zstandard.ZstdCompressor(write_checksum=True).compress(b'{"label":7}')
    yield _body("with zstd's own sum, and longer than raw", wire.ZSTD, raw, value={"label": 7})


def _invalid_bodies(dictionary: Dictionary) -> Iterator[Vector]:
    malformed: dict[str, bytes] = {
        "no bytes": b"",
        "a list": b"[1]",
        "cut off": b'{"x":1',
        "NaN": b'{"x":NaN}',
        "a number beyond all": b'{"x":1e999}',
        "NUL": rb'{"x":"\u0000"}',
        "half a surrogate": rb'{"x":"\ud800"}',
        "not UTF-8": b'{"x":"\xff"}',
        "a byte order mark": b'\xef\xbb\xbf{"x":1}',
        "a name twice": b'{"x":1,"x":1}',
        "nested 65 deep": b'{"x":' + b"[" * 64 + b"]" * 64 + b"}",
    }
    for name, body in malformed.items():
        yield _body(name, wire.RAW, body, error="body-malformed")
    zstd = compress(b'{"x":"' + b"y" * 100 + b'"}', None)[1]
    for name, body in {
        "zstd, raw": b'{"label":7}',
        "zstd, cut off": zstd[:-1],
        "zstd, with more behind it": zstd + b"\0",
        "zstd, twice": zstd + zstd,
        "zstd, of a size that is not said": zstandard.ZstdCompressor(write_content_size=False).compress(b'{"x":1}'),
        "zstd, of what is no object": zstandard.ZstdCompressor().compress(b"7" * 100),
        "zstd, with the dictionary": dictionary.compress(_sample(701)),
    }.items():
        yield _body(name, wire.ZSTD, body, error="body-malformed")
    bomb = zstandard.ZstdCompressor(level=19).compress(b'{"x":"' + b"y" * (1 << 27) + b'"}')
    yield _body("zstd, of 128 MiB", wire.ZSTD, bomb, error="body-too-large")
