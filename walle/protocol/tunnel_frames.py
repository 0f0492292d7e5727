"""The frames of the tunnel: what device and cloud tell each other over one WebSocket (docs/protocol.md, "Tunnel").

One binary message is one frame: a type byte, the fields in the order of the class, and the CRC-32 of all that. Numbers
are unsigned LEB128 varints in their shortest form, of at most 2^53 - 1; bytes and text have their length before them.
A frame has exactly one spelling, so that reading and writing are inverse to each other. Reading takes time and memory
linear in the length of the message, whatever a stranger sends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from zlib import crc32

from walle.protocol.errors import FrameMalformed
from walle.protocol.headers import MAX_HEADER_BYTES, SHORT_DIGEST_BYTES
from walle.protocol.names import TASK_NAME_PATTERN

PATH: Final = "/walle/v1/tunnel"
SUBPROTOCOL: Final = "walle.tunnel.1"
MAX_MESSAGE: Final = 60 * 1024
"""The most bytes of one message: servers and proxies commonly take 64 KiB."""
MAX_FEATURE: Final = 1024 * 1024
"""The most bytes of one written Feature, which goes in parts if it is longer than one message."""
MAX_ANSWER: Final = 32 * 1024
MAX_STREAMS: Final = 256
"""The most streams of one connection; a number that is opened again means the new stream from then on."""
MAX_NUMBER: Final = 2**53 - 1
MAX_TIME_MS: Final = 10**14
"""The latest time in a frame, in Unix milliseconds: it lies in the year 5138."""
MAX_ANSWER_MS: Final = 300_000
SPOOL_BYTES: Final = 8
DIGEST_BYTES: Final = 32
MAX_URL: Final = 2048
_CRC_BYTES: Final = 4
_PART_HEAD: Final = 64
"""Enough bytes for all of a part but its data."""

RAW: Final = 0
ZSTD: Final = 1
ZSTD_DICTIONARY: Final = 2

ANSWERED: Final = 0
NO_ANSWER: Final = 1
TOO_LATE: Final = 2

MALFORMED: Final = 4400
CREDENTIAL: Final = 4401
REPLACED: Final = 4409
TOO_LARGE: Final = 4413
TOO_MUCH: Final = 4429
GOING_AWAY: Final = 1012
MAX_REASON: Final = 120
"""The most bytes of a close reason; RFC 6455 leaves 123."""


class Hello(NamedTuple):
    """A device's first frame: its spool's id, and the sequence of the oldest feature that is not acknowledged."""

    spool: bytes
    next: int


class OpenStream(NamedTuple):
    """Says what a stream's number means on this connection: a task in the version of a manifest (short digest).

    `dictionary` is the SHA-256 of the one that the device holds, empty for none.
    """

    stream: int
    task: str
    manifest: bytes
    dictionary: bytes


class Feature(NamedTuple):
    """One run's outputs. `encoding` says how `body` is spelled (RAW, ZSTD, ZSTD_DICTIONARY).

    `at_ms` is when the run began and `tracked_ms` when the event that triggered it happened, in Unix milliseconds;
    `answer_ms` is how long an answer is awaited, 0 for not at all.
    """

    sequence: int
    stream: int
    at_ms: int
    tracked_ms: int
    encoding: int
    body: bytes
    answer_ms: int


class Part(NamedTuple):
    """The bytes from `offset` on of a written Feature of `total` bytes that is longer than one message."""

    sequence: int
    offset: int
    total: int
    data: bytes


class Skip(NamedTuple):
    """The device's spool dropped every feature below `to`, which is the next one that comes."""

    to: int


class Profile(NamedTuple):
    """The value of `Walle-Profile` after the installed tasks changed."""

    value: bytes


class Received(NamedTuple):
    """Acknowledges the Offers of this number."""

    number: int


class Welcome(NamedTuple):
    """The answer to Hello: the highest stored sequence of that spool, 0 for none, and the window in bytes."""

    acknowledged: int
    window: int


class StreamOpened(NamedTuple):
    """The answer to OpenStream: the dictionary that ZSTD_DICTIONARY means from now on, and where to fetch it."""

    stream: int
    dictionary: bytes
    url: str


class Acknowledge(NamedTuple):
    """Every feature up to `sequence` is durable; `window` is how many bytes may be unacknowledged from now on."""

    sequence: int
    window: int


class Answer(NamedTuple):
    """The answer to a feature: JSON if ANSWERED, else text that says why there is none (NO_ANSWER, TOO_LATE)."""

    sequence: int
    status: int
    body: bytes


class Offers(NamedTuple):
    """Offers, withdrawals above all, without a check-in: `value` is that of the header `Walle-Offers`."""

    number: int
    value: bytes


class Drain(NamedTuple):
    """The device shall leave within this many milliseconds and connect anew."""

    within_ms: int


DeviceFrame = Hello | OpenStream | Feature | Part | Skip | Profile | Received
CloudFrame = Welcome | StreamOpened | Acknowledge | Answer | Offers | Drain
Frame = DeviceFrame | CloudFrame


class _Number(NamedTuple):
    """An unsigned number in seven bits a byte, the lowest first; every byte but the last has its highest bit set."""

    low: int = 0
    high: int = MAX_NUMBER

    def write(self, value: int) -> bytes:
        if not self.low <= value <= self.high:
            raise ValueError(f"expected {self.low} to {self.high}, found {value}")
        written = bytearray()
        while value > 0x7F:
            written.append(value & 0x7F | 0x80)
            value >>= 7
        written.append(value)
        return bytes(written)

    def read(self, data: bytes, at: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 49:
                raise ValueError("expected a number of at most 8 bytes")
        if shift and not byte:
            raise ValueError("expected a number in its shortest form")
        if not self.low <= value <= self.high:
            raise ValueError(f"expected {self.low} to {self.high}, found {value}")
        return value, at


_LENGTH: Final = _Number(0, MAX_FEATURE)


class _Bytes(NamedTuple):
    """Bytes after their length, which is one of `sizes`, or at most `most`."""

    most: int
    sizes: tuple[int, ...] = ()

    def write(self, value: bytes) -> bytes:
        self._check(len(value))
        return _LENGTH.write(len(value)) + value

    def read(self, data: bytes, at: int) -> tuple[bytes, int]:
        length, at = _LENGTH.read(data, at)
        self._check(length)
        if at + length > len(data):
            raise ValueError(f"expected {length} bytes, found {len(data) - at}")
        return data[at : at + length], at + length

    def _check(self, length: int) -> None:
        if length > self.most or (self.sizes and length not in self.sizes):
            sizes = " or ".join(map(str, self.sizes)) or f"at most {self.most}"
            raise ValueError(f"expected {sizes} bytes, found {length}")


class _Text(NamedTuple):
    """UTF-8 after its length in bytes, that matches a pattern."""

    pattern: re.Pattern[str]
    expected: str
    encoded: _Bytes

    def write(self, value: str) -> bytes:
        self._check(value)
        return self.encoded.write(value.encode())

    def read(self, data: bytes, at: int) -> tuple[str, int]:
        value, at = self.encoded.read(data, at)
        return self._check(value.decode()), at

    def _check(self, value: str) -> str:
        if not self.pattern.fullmatch(value):
            raise ValueError(f"expected {self.expected}")
        return value


_Field = _Number | _Bytes | _Text

_SEQUENCE: Final = _Number(1)
_STREAM: Final = _Number(1, MAX_STREAMS)
_TIME: Final = _Number(0, MAX_TIME_MS)
_DIGEST: Final = _Bytes(DIGEST_BYTES, (0, DIGEST_BYTES))
_TASK: Final = _Text(TASK_NAME_PATTERN, "a task such as camera/digits", _Bytes(81))
_URL: Final = _Text(re.compile(r"[!-~]*"), "an address of printable ASCII", _Bytes(MAX_URL))

_LAYOUTS: Final[Mapping[int, tuple[type[Any], tuple[_Field, ...]]]] = {
    0x01: (Hello, (_Bytes(SPOOL_BYTES, (SPOOL_BYTES,)), _SEQUENCE)),
    0x02: (OpenStream, (_STREAM, _TASK, _Bytes(SHORT_DIGEST_BYTES, (SHORT_DIGEST_BYTES,)), _DIGEST)),
    0x03: (
        Feature,
        (_SEQUENCE, _STREAM, _TIME, _TIME, _Number(0, 2), _Bytes(MAX_FEATURE), _Number(0, MAX_ANSWER_MS)),
    ),
    0x04: (Part, (_SEQUENCE, _Number(0, MAX_FEATURE), _Number(MAX_MESSAGE + 1, MAX_FEATURE), _Bytes(MAX_MESSAGE))),
    0x05: (Skip, (_SEQUENCE,)),
    0x06: (Profile, (_Bytes(MAX_HEADER_BYTES),)),
    0x07: (Received, (_SEQUENCE,)),
    0x81: (Welcome, (_Number(), _Number())),
    0x82: (StreamOpened, (_STREAM, _DIGEST, _URL)),
    0x83: (Acknowledge, (_Number(), _Number())),
    0x84: (Answer, (_SEQUENCE, _Number(0, 2), _Bytes(MAX_ANSWER))),
    0x85: (Offers, (_SEQUENCE, _Bytes(MAX_MESSAGE))),
    0x86: (Drain, (_Number(),)),
}
_TYPES: Final = {frame: (kind, fields) for kind, (frame, fields) in _LAYOUTS.items()}
_FROM_CLOUD: Final = 0x80


def write_frame(frame: Frame) -> bytes:
    """Return a frame as bytes. Raises ValueError for a field, or a length, that `read_frame` would refuse.

    Only a Feature may be longer than MAX_MESSAGE, up to MAX_FEATURE: send what `messages` returns for it.
    """
    kind, fields = _TYPES[type(frame)]
    written = bytearray((kind,))
    for name, codec, value in zip(frame._fields, fields, frame, strict=True):
        try:
            written += codec.write(value)  # type: ignore[arg-type]
        except ValueError as error:
            raise ValueError(f"{type(frame).__name__}.{name}: {error}") from error
    written += crc32(written).to_bytes(_CRC_BYTES, "little")
    most = MAX_FEATURE if kind == _TYPES[Feature][0] else MAX_MESSAGE
    if len(written) > most:
        raise ValueError(f"{type(frame).__name__}: expected at most {most} bytes, found {len(written)}")
    return bytes(written)


def messages(sequence: int, written: bytes) -> Iterator[bytes]:
    """Yield the messages of a written Feature of that sequence: itself, or its parts if it is too long for one."""
    if len(written) <= MAX_MESSAGE:
        yield written
        return
    step = MAX_MESSAGE - _PART_HEAD
    for offset in range(0, len(written), step):
        yield write_frame(Part(sequence, offset, len(written), written[offset : offset + step]))


def read_frame(data: bytes) -> Frame:
    """Return the frame in one message of either side. Raises FrameMalformed."""
    if len(data) > MAX_MESSAGE:
        raise FrameMalformed("frame-too-large", f"expected at most {MAX_MESSAGE} bytes, found {len(data)}")
    return _read(data)


def read_device_frame(data: bytes) -> DeviceFrame:
    """Return the frame in one message of a device. Raises FrameMalformed, also for a frame of the cloud."""
    return _of_side(data, 0, "device")  # type: ignore[return-value]


def read_cloud_frame(data: bytes) -> CloudFrame:
    """Return the frame in one message of the cloud. Raises FrameMalformed, also for a frame of a device."""
    return _of_side(data, _FROM_CLOUD, "cloud")  # type: ignore[return-value]


def _of_side(data: bytes, side: int, name: str) -> Frame:
    frame = read_frame(data)
    if data[0] & _FROM_CLOUD != side:
        raise FrameMalformed("frame-unexpected", f"expected a frame of the {name}, found {type(frame).__name__}")
    return frame


def _read(data: bytes) -> Frame:
    body = data[:-_CRC_BYTES]
    if not body or crc32(body) != int.from_bytes(data[-_CRC_BYTES:], "little"):
        raise FrameMalformed("frame-damaged", "expected a type, fields and their CRC-32")
    if body[0] not in _LAYOUTS:
        raise FrameMalformed("frame-unknown", f"expected a type of {SUBPROTOCOL}, found {body[0]}")
    frame, fields = _LAYOUTS[body[0]]
    values: list[Any] = []
    at = 1
    try:
        for codec in fields:
            value, at = codec.read(body, at)
            values.append(value)
    except (IndexError, ValueError) as error:
        found = "expected more fields" if isinstance(error, IndexError) else str(error)
        text = f"{frame.__name__}.{frame._fields[len(values)]}: {found}"
        raise FrameMalformed("frame-malformed", text) from error
    if at != len(body):
        raise FrameMalformed("frame-malformed", f"{frame.__name__}: expected no more than its fields")
    return frame(*values)  # type: ignore[no-any-return]


class Joiner:
    """Puts the parts of features together again, one feature at a time; what is held never exceeds MAX_FEATURE."""

    def __init__(self) -> None:
        self._first: Part | None = None
        self._data = bytearray()

    @property
    def held(self) -> int:
        """The bytes of the feature in progress that have come so far."""
        return len(self._data)

    def add(self, part: Part) -> Feature | None:
        """Return the feature that a part completes, None before that. Raises FrameMalformed if it does not follow."""
        first = self._first or part
        due = (first.sequence, len(self._data), first.total)
        if part[:3] != due or not part.data or len(self._data) + len(part.data) > first.total:
            raise FrameMalformed("frame-out-of-order", f"expected sequence, offset and total {due}, found {part[:3]}")
        self._first = first
        self._data += part.data
        if len(self._data) < first.total:
            return None
        whole = _read(bytes(self._data))
        self.forget()
        if not isinstance(whole, Feature) or whole.sequence != part.sequence:
            raise FrameMalformed("frame-malformed", f"expected parts of the feature {part.sequence}")
        return whole

    def forget(self) -> None:
        """Drop the feature in progress."""
        self._first = None
        self._data.clear()


def close_reason(code: str, text: str) -> str:
    """Return the reason of a close frame, `code: sentence`, cut to MAX_REASON bytes."""
    return f"{code}: {text}".encode()[:MAX_REASON].decode(errors="ignore")


def close_code(error: FrameMalformed) -> int:
    """Return the close code with which a malformed message is answered."""
    return TOO_LARGE if error.code in ("frame-too-large", "body-too-large") else MALFORMED
