"""The frames of the tunnel: each has one spelling, which is read back, and the rest is refused in bounded time."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walle.protocol import tunnel_frames as wire
from walle.protocol.errors import FrameMalformed
from walle.protocol.tunnel_frames import (
    MAX_FEATURE,
    MAX_MESSAGE,
    MAX_NUMBER,
    Acknowledge,
    Answer,
    Drain,
    Feature,
    Hello,
    Joiner,
    Offers,
    OpenStream,
    Part,
    Profile,
    Received,
    Skip,
    StreamOpened,
    Welcome,
    messages,
    read_cloud_frame,
    read_device_frame,
    read_frame,
    write_frame,
)

numbers = st.one_of(st.integers(0, 300), st.integers(0, MAX_NUMBER))
sequences = st.one_of(st.integers(1, 300), st.integers(1, MAX_NUMBER))
streams = st.integers(1, wire.MAX_STREAMS)
times = st.integers(0, wire.MAX_TIME_MS)
digests = st.one_of(st.just(b""), st.binary(min_size=32, max_size=32))
slugs = st.from_regex(r"[a-z][a-z0-9-]{0,39}", fullmatch=True)
tasks = st.builds("{}/{}".format, slugs, slugs)
bodies = st.binary(max_size=300)
answer_times = st.integers(0, wire.MAX_ANSWER_MS)
features = st.builds(Feature, sequences, streams, times, times, st.integers(0, 2), bodies, answer_times)
device_frames = st.one_of(
    st.builds(Hello, st.binary(min_size=8, max_size=8), sequences),
    st.builds(OpenStream, streams, tasks, st.binary(min_size=12, max_size=12), digests),
    features,
    st.builds(Part, sequences, st.integers(0, MAX_FEATURE), st.integers(MAX_MESSAGE + 1, MAX_FEATURE), bodies),
    st.builds(Skip, sequences),
    st.builds(Profile, bodies),
    st.builds(Received, sequences),
)
cloud_frames = st.one_of(
    st.builds(Welcome, numbers, numbers),
    st.builds(StreamOpened, streams, digests, st.from_regex(r"[!-~]{0,200}", fullmatch=True)),
    st.builds(Acknowledge, numbers, numbers),
    st.builds(Answer, sequences, st.integers(0, 2), bodies),
    st.builds(Offers, sequences, bodies),
    st.builds(Drain, numbers),
)
frames = st.one_of(device_frames, cloud_frames)

FEATURE = Feature(7, 1, 1_800_000_000_250, 1_800_000_000_000, wire.ZSTD, b"body", 5000)


def sealed(content: bytes) -> bytes:
    """Return content, a type and fields, with the CRC-32 that makes it a message."""
    return content + crc32(content).to_bytes(4, "little")


def refusal(read: Any, *arguments: Any) -> FrameMalformed:
    with pytest.raises(FrameMalformed) as refused:
        read(*arguments)
    return refused.value


@given(frames)
def test_what_is_written_is_read(frame: wire.Frame) -> None:
    read = read_frame(write_frame(frame))
    assert read == frame
    assert type(read) is type(frame)


@given(device_frames, cloud_frames)
def test_each_side_takes_only_the_frames_of_the_other(up: wire.DeviceFrame, down: wire.CloudFrame) -> None:
    assert read_device_frame(write_frame(up)) == up
    assert read_cloud_frame(write_frame(down)) == down
    assert refusal(read_device_frame, write_frame(down)).code == "frame-unexpected"
    assert refusal(read_cloud_frame, write_frame(up)).code == "frame-unexpected"


@given(frames)
def test_every_truncation_is_refused(frame: wire.Frame) -> None:
    written = write_frame(frame)
    for length in range(len(written)):
        assert refusal(read_frame, written[:length]).code == "frame-damaged"


@given(frames, st.data())
def test_every_bit_flip_is_refused(frame: wire.Frame, data: st.DataObject) -> None:
    written = bytearray(write_frame(frame))
    bit = data.draw(st.integers(0, len(written) * 8 - 1))
    written[bit // 8] ^= 1 << bit % 8
    assert refusal(read_frame, bytes(written)).code == "frame-damaged"


@given(frames)
def test_truncated_fields_under_a_right_sum_are_refused(frame: wire.Frame) -> None:
    content = write_frame(frame)[:-4]
    for length in range(1, len(content)):
        assert refusal(read_frame, sealed(content[:length])).code == "frame-malformed"


@given(frames)
def test_nothing_may_follow_the_fields(frame: wire.Frame) -> None:
    assert refusal(read_frame, sealed(write_frame(frame)[:-4] + b"\0")).code == "frame-malformed"


@given(st.sampled_from([*range(1, 8), *range(0x81, 0x87)]), st.binary(max_size=80))
@settings(max_examples=300)
def test_any_fields_under_a_right_sum_are_read_as_written_or_refused(kind: int, fields: bytes) -> None:
    """A frame has exactly one spelling, whoever writes it."""
    message = sealed(bytes((kind,)) + fields)
    try:
        frame = read_frame(message)
    except FrameMalformed:
        return
    assert write_frame(frame) == message


@pytest.mark.parametrize("kind", [0, 8, 0x80, 0x87, 0xFF])
def test_other_types_are_refused(kind: int) -> None:
    assert refusal(read_frame, sealed(bytes((kind,)))).code == "frame-unknown"


@pytest.mark.parametrize(
    ("number", "spelled"),
    [(1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), (2**53 - 1, "ffffffffffffff0f")],
)
def test_a_number_has_one_spelling(number: int, spelled: str) -> None:
    assert write_frame(Skip(number))[1:-4].hex() == spelled
    assert read_frame(sealed(b"\x05" + bytes.fromhex(spelled))) == Skip(number)


@pytest.mark.parametrize(
    "spelled", ["8100", "ff8000", "ffffffffffffff1f", "ffffffffffffffff0f", "80" * 40 + "01", "80"]
)
def test_other_spellings_of_numbers_are_refused(spelled: str) -> None:
    assert refusal(read_frame, sealed(b"\x05" + bytes.fromhex(spelled))).code == "frame-malformed"


@pytest.mark.parametrize(
    "frame",
    [
        Hello(bytes(7), 1),
        Hello(bytes(8), 0),
        Skip(0),
        Skip(2**53),
        FEATURE._replace(sequence=0),
        FEATURE._replace(stream=0),
        FEATURE._replace(stream=257),
        FEATURE._replace(at_ms=10**14 + 1),
        FEATURE._replace(tracked_ms=-1),
        FEATURE._replace(encoding=3),
        FEATURE._replace(answer_ms=300_001),
        OpenStream(1, "camera", bytes(12), b""),
        OpenStream(1, "Camera/digits", bytes(12), b""),
        OpenStream(1, "camera/digits", bytes(11), b""),
        OpenStream(1, "camera/digits", bytes(12), bytes(31)),
        StreamOpened(1, b"", "/a b"),
        StreamOpened(1, b"", "/" * 2049),
        Answer(1, 3, b""),
        Answer(1, 0, bytes(32 * 1024 + 1)),
        Part(1, 0, MAX_MESSAGE, b"x"),
        Profile(bytes(8193)),
        Offers(1, bytes(MAX_MESSAGE)),
    ],
)
def test_what_would_be_refused_is_not_written(frame: wire.Frame) -> None:
    with pytest.raises(ValueError, match=type(frame).__name__):
        write_frame(frame)


def test_a_refusal_names_the_field_and_what_was_expected() -> None:
    message = sealed(b"\x01\x08" + bytes(8) + b"\0")
    assert refusal(read_frame, message).text == f"Hello.next: expected 1 to {2**53 - 1}, found 0"


def test_a_message_has_a_largest_size() -> None:
    room = MAX_MESSAGE - len(write_frame(Offers(1, b""))) - 2
    assert len(write_frame(Offers(1, bytes(room)))) == MAX_MESSAGE
    assert read_frame(write_frame(Offers(1, bytes(room)))) == Offers(1, bytes(room))
    assert refusal(read_frame, bytes(MAX_MESSAGE + 1)).code == "frame-too-large"
    assert refusal(read_frame, write_frame(FEATURE._replace(body=bytes(MAX_MESSAGE)))).code == "frame-too-large"


def lines_run(message: bytes) -> int:
    """Return how many lines of Python the refusal of a message takes."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(FrameMalformed):
            read_frame(message)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("kind", [*range(1, 8), *range(0x81, 0x87)])
@pytest.mark.parametrize("filling", [b"\0", b"\1", b"\x7f", b"\x80", b"\xff"])
def test_the_longest_nonsense_takes_no_more_work_than_a_short_one(kind: int, filling: bytes) -> None:
    """What is proportional to the length is left to C: the sum, and one copy of each field."""
    assert lines_run(sealed(bytes((kind,)) + filling * 60_000)) < 300


# -- parts


@pytest.mark.parametrize("size", [0, 300, MAX_MESSAGE - 40, MAX_MESSAGE, MAX_MESSAGE + 1, 200_000, MAX_FEATURE - 40])
def test_a_long_feature_goes_in_parts_and_is_joined_again(size: int) -> None:
    feature = FEATURE._replace(body=bytes(range(256)) * (size // 256))
    sent = list(messages(feature.sequence, write_frame(feature)))
    assert all(len(message) <= MAX_MESSAGE for message in sent)
    received = [read_device_frame(message) for message in sent]
    if len(received) == 1:
        assert received == [feature]
        return
    joiner = Joiner()
    joined = [joiner.add(part) for part in received if isinstance(part, Part)]
    assert joined == [None] * (len(sent) - 1) + [feature]
    assert joiner.held == 0


def test_a_feature_has_a_largest_size() -> None:
    room = MAX_FEATURE - len(write_frame(FEATURE._replace(body=b""))) - 2
    assert len(write_frame(FEATURE._replace(body=bytes(room)))) == MAX_FEATURE
    with pytest.raises(ValueError, match="at most"):
        write_frame(FEATURE._replace(body=bytes(room + 1)))


LONG_FEATURE = FEATURE._replace(body=bytes(150_000))


def parts(sequence: int = 7, feature: Feature = LONG_FEATURE) -> list[Part]:
    return [read_frame(each) for each in messages(sequence, write_frame(feature))]  # type: ignore[misc]


def test_parts_are_joined_one_feature_after_the_other() -> None:
    joiner = Joiner()
    second = FEATURE._replace(sequence=8, body=b"\1" * 150_000)
    joined = [joiner.add(part) for part in [*parts(), *parts(8, second)]]
    assert [each for each in joined if each] == [LONG_FEATURE, second]


WRONG_PARTS = {
    "begins in the middle": parts()[1:2],
    "one is missing": [parts()[0], parts()[2]],
    "one is repeated": [parts()[0], parts()[0]],
    "another feature's": [parts()[0], parts()[1]._replace(sequence=8)],
    "another length": [parts()[0], parts()[1]._replace(total=200_000)],
    "more than the whole": [*parts()[:2], parts()[2]._replace(data=parts()[2].data + b"x")],
    "empty": [parts()[0]._replace(data=b"")],
}


@pytest.mark.parametrize("wrong", WRONG_PARTS.values(), ids=WRONG_PARTS)
def test_parts_that_do_not_follow_each_other_are_refused(wrong: list[Part]) -> None:
    joiner = Joiner()
    for part in wrong[:-1]:
        assert joiner.add(part) is None
    assert refusal(joiner.add, wrong[-1]).code == "frame-out-of-order"


def pieces(whole: bytes, sequence: int = 7) -> list[Part]:
    return [Part(sequence, at, len(whole), whole[at : at + 50_000]) for at in range(0, len(whole), 50_000)]


LONG = write_frame(LONG_FEATURE)
WRONG_WHOLES = {
    "damaged": (pieces(LONG[:-1] + b"\0"), "frame-damaged"),
    "of another sequence": (pieces(LONG, 8), "frame-malformed"),
    "not a feature": (pieces(sealed(b"\x85\x01\xf0\x93\x09" + bytes(150_000))), "frame-malformed"),
}


@pytest.mark.parametrize(("wrong", "code"), WRONG_WHOLES.values(), ids=WRONG_WHOLES)
def test_what_the_parts_make_is_checked(wrong: list[Part], code: str) -> None:
    joiner = Joiner()
    for part in wrong[:-1]:
        assert joiner.add(part) is None
    assert refusal(joiner.add, wrong[-1]).code == code


def test_a_feature_in_progress_can_be_forgotten() -> None:
    joiner = Joiner()
    joiner.add(parts()[0])
    assert joiner.held == len(parts()[0].data)
    joiner.forget()
    assert [joiner.add(part) for part in parts()][-1] == LONG_FEATURE


# -- ends


@given(st.from_regex("[a-z-]{1,30}", fullmatch=True), st.text(max_size=200))
def test_a_close_reason_is_short_and_begins_with_the_code(code: str, text: str) -> None:
    reason = wire.close_reason(code, text)
    assert len(reason.encode()) <= 120
    assert reason.startswith(f"{code}: ")
    assert f"{code}: {text}".startswith(reason)


@pytest.mark.parametrize(
    ("code", "close"),
    [("frame-too-large", 4413), ("body-too-large", 4413), ("frame-damaged", 4400), ("frame-out-of-order", 4400)],
)
def test_a_refusal_has_a_close_code(code: str, close: int) -> None:
    assert wire.close_code(FrameMalformed(code, "")) == close
