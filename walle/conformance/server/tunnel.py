"""Checks of the tunnel: what it acknowledges it has, and what is malformed harms only its own connection."""

from __future__ import annotations

from base64 import b64decode
from typing import Any, Final

from walle.conformance.checks import ExpectationUnmet, Suite, expect
from walle.conformance.server.target import Enrolled, Target
from walle.conformance.server.tunnels import feature, new_spool, refusal, tunnel
from walle.conformance.vectors import load
from walle.protocol import headers as wire
from walle.protocol.compression import compress
from walle.protocol.errors import FrameMalformed
from walle.protocol.tunnel_frames import (
    MAX_MESSAGE,
    SUBPROTOCOL,
    ZSTD,
    ZSTD_DICTIONARY,
    Hello,
    OpenStream,
    Part,
    Skip,
    StreamOpened,
    close_code,
    messages,
    write_frame,
)
from walle.protocol.tunnel_messages import MAX_VALUES

SUITE: Final = Suite[Target]()
_LONG: Final = b'{"x":"' + b"y" * 200_000 + b'"}'


@SUITE.check("tunnel.handshake", "tunnel", "The tunnel is opened with its subprotocol, and without an extension")
async def handshake(target: Target) -> None:
    async with tunnel(target, await target.device()) as opened:
        expect(opened.socket.subprotocol == SUBPROTOCOL, SUBPROTOCOL, opened.socket.subprotocol)
        response = opened.socket.response
        extensions = response.headers.get("Sec-WebSocket-Extensions") if response else None
        expect(not extensions, "no extension", extensions)


@SUITE.check("tunnel.refused", "tunnel", "A handshake is refused as a check-in is, and without the subprotocol")
async def refused(target: Target) -> None:
    device = await target.device()
    async with tunnel(target, device):
        pass
    headers = target.headers(device)
    last = "1" if device.credential.endswith("0") else "0"
    forged = target.headers(Enrolled(device.device, device.credential[:-1] + last))
    for wrong, protocol, expected in (
        (forged, SUBPROTOCOL, (401, ("credential-invalid", "credential-key-retired"))),
        ({wire.APP: headers[wire.APP]}, SUBPROTOCOL, (400, ("header-malformed",))),
        (headers | {wire.APP: '"conformance-no-such-app";v="1.0.0"'}, SUBPROTOCOL, (400, ("app-unknown",))),
        (headers, "walle.tunnel.0", (400, ("subprotocol-unknown",))),
    ):
        found = await refusal(target, wrong, protocol)
        said = f"{found.status} {found.code}"
        expect(found.status == expected[0] and found.code in expected[1], f"{expected[0]} {expected[1][0]}", said)


@SUITE.check("tunnel.acknowledged", "sequences", "Features are acknowledged, and a later connection hears of it")
async def acknowledged(target: Target) -> None:
    device, spool = await target.device(), new_spool()
    async with tunnel(target, device) as opened:
        welcome = await opened.greet(spool)
        expect(welcome.acknowledged == 0, "0 acknowledged of a new spool", welcome.acknowledged)
        expect(welcome.window > 0, "a window", welcome.window)
        await opened.send(*map(feature, range(1, 6)))
        await opened.acknowledged(5)
        target.count_features(5)
    async with tunnel(target, device) as opened:
        welcome = await opened.greet(spool, 6)
        expect(welcome.acknowledged == 5, "5 acknowledged", welcome.acknowledged)
    async with tunnel(target, device) as opened:
        welcome = await opened.greet(new_spool())
        expect(welcome.acknowledged == 0, "0 acknowledged of another spool", welcome.acknowledged)


@SUITE.check("tunnel.repeated", "sequences", "A feature that has come before is acknowledged again")
async def repeated(target: Target) -> None:
    device, spool = await target.device(), new_spool()
    async with tunnel(target, device) as opened:
        await opened.greet(spool)
        await opened.send(feature(1), feature(2), feature(1), feature(2), feature(3))
        await opened.acknowledged(3)
        target.count_features(3)
    async with tunnel(target, device) as opened:
        await opened.greet(spool, 2)
        await opened.send(feature(2))
        await opened.acknowledged(3)
        await opened.send(feature(4))
        await opened.acknowledged(4)
        target.count_features(1)


@SUITE.check("tunnel.order", "sequences", "A feature out of order is refused, and nothing of it is stored")
async def order(target: Target) -> None:
    device, spool = await target.device(), new_spool()
    async with tunnel(target, device) as opened:
        await opened.greet(spool)
        await opened.send(feature(1))
        await opened.acknowledged(1)
        target.count_features(1)
        await opened.send(feature(3))
        await opened.expect_closed(4400, "frame-out-of-order")
    async with tunnel(target, device) as opened:
        found = (await opened.greet(spool, 2)).acknowledged
        expect(found == 1, "1 acknowledged", found)


@SUITE.check("tunnel.dropped", "sequences", "What a device dropped is not waited for")
async def dropped(target: Target) -> None:
    device, spool = await target.device(), new_spool()
    async with tunnel(target, device) as opened:
        await opened.greet(spool, 4)
        await opened.send(feature(4), Skip(9), feature(9), Skip(2), feature(10))
        await opened.acknowledged(10)
        target.count_features(3)


@SUITE.check("tunnel.parts", "frames", "A feature that is longer than a message comes in parts")
async def parts(target: Target) -> None:
    device, spool = await target.device(), new_spool()
    async with tunnel(target, device) as opened:
        await opened.greet(spool)
        await opened.send(feature(1, _LONG), feature(2))
        await opened.acknowledged(2)
        target.count_features(2)
        first, _, third, *_ = messages(3, write_frame(feature(3, _LONG)))
        for message in (first, third):
            await opened.send_message(message)
        await opened.expect_closed(4400, "frame-out-of-order")
    async with tunnel(target, device) as opened:
        await opened.greet(spool, 3)
        await opened.send(Part(3, 0, MAX_MESSAGE + 1, b"x"), feature(3))
        await opened.expect_closed(4400, "frame-out-of-order")


@SUITE.check("tunnel.streams", "streams", "Streams are opened by number; one that is not open is refused")
async def streams(target: Target) -> None:
    async with tunnel(target, await target.device()) as opened:
        await opened.greet(new_spool())
        for number in (256, 1):
            await opened.send(OpenStream(number, "conformance/other", bytes(range(12)), bytes(32)))
            found = await opened.receive(StreamOpened)
            expect(found.stream == number, f"stream {number}", found.stream)
        await opened.send(feature(1, stream=256))
        await opened.acknowledged(1)
        target.count_features(1)
        await opened.send(feature(2, stream=2))
        await opened.expect_closed(4400, "stream-unknown")


@SUITE.check("tunnel.hello", "what-each-side-refuses", "Hello is the first frame, and comes once")
async def hello(target: Target) -> None:
    device = await target.device()
    async with tunnel(target, device) as opened:
        await opened.send(Skip(1))
        await opened.expect_closed(4400, "hello-late")
    async with tunnel(target, device) as opened:
        spool = new_spool()
        await opened.greet(spool)
        await opened.send(Hello(spool, 1))
        await opened.expect_closed(4400, "frame-unexpected")


@SUITE.check("tunnel.too-large", "what-each-side-refuses", "What is too large is refused before it is read")
async def too_large(target: Target) -> None:
    device = await target.device()
    async with tunnel(target, device) as opened:
        await opened.greet(new_spool())
        await opened.send_message(bytes(MAX_MESSAGE + 1))
        await opened.expect_ending({4413, 1009}, "frame-too-large")
    async with tunnel(target, device) as opened:
        await opened.greet(new_spool())
        _, bomb = compress(bytes(MAX_VALUES + 1), None)
        await opened.send(feature(1, bomb, encoding=ZSTD))
        await opened.expect_closed(4413, "body-too-large")


@SUITE.check("tunnel.text", "what-each-side-refuses", "A text message is refused")
async def text(target: Target) -> None:
    async with tunnel(target, await target.device()) as opened:
        await opened.greet(new_spool())
        await opened.send_message(write_frame(Skip(9)).decode("latin-1"))
        await opened.expect_closed(4400, "frame-malformed")


@SUITE.check("tunnel.newest", "sequences", "A newer connection of a device takes the place of the older one")
async def newest(target: Target) -> None:
    device, spool = await target.device(), new_spool()
    async with tunnel(target, device) as older:
        await older.greet(spool)
        async with tunnel(target, device) as newer:
            await newer.greet(spool)
            await older.expect_closed(4409, "replaced")
            await newer.send(feature(1))
            await newer.acknowledged(1)
            target.count_features(1)


@SUITE.check("tunnel.others", "what-each-side-refuses", "A malformed frame harms no other connection")
async def others(target: Target) -> None:
    device, spool = await target.device("second"), new_spool()
    async with tunnel(target, device) as sound, tunnel(target, await target.device()) as spoiled:
        await sound.greet(spool)
        await spoiled.send_message(b"nonsense")
        await spoiled.expect_closed(4400, "frame-damaged")
        await sound.send(feature(1))
        await sound.acknowledged(1)
        target.count_features(1)


@SUITE.check("vectors.frames", "frames", "Malformed frames are refused as the vectors say")
async def frame_vectors(target: Target) -> None:
    device = await target.device()
    wrong = []
    vectors = [vector for vector in load("frames.json")["device"] if "error" in vector]
    for vector in vectors:
        async with tunnel(target, device) as opened:
            await opened.greet(new_spool())
            await opened.send_message(bytes.fromhex(vector["message_hex"]))
            wrong += await _problem(vector, opened.expect_closed(_close_code(vector), vector["error"]))
    _expect_none(wrong, len(vectors))


@SUITE.check("vectors.bodies", "bodies-of-features", "Bodies are read or refused as the vectors say")
async def body_vectors(target: Target) -> None:
    device = await target.device()
    wrong = []
    vectors = [vector for vector in load("bodies.json")["vectors"] if vector["encoding"] != ZSTD_DICTIONARY]
    for vector in vectors:
        async with tunnel(target, device) as opened:
            await opened.greet(new_spool())
            await opened.send(feature(1, b64decode(vector["body"]), encoding=vector["encoding"]))
            if "error" in vector:
                wrong += await _problem(vector, opened.expect_closed(_close_code(vector), vector["error"], refused=1))
            else:
                wrong += await _problem(vector, opened.acknowledged(1))
                target.count_features(1)
    _expect_none(wrong, len(vectors))


def _close_code(vector: dict[str, Any]) -> int:
    return close_code(FrameMalformed(vector["error"], ""))


async def _problem(vector: dict[str, Any], held: Any) -> list[str]:
    """Return in words what is not as the vector says; nothing if all is."""
    try:
        await held
    except ExpectationUnmet as unmet:
        return [f"{vector['name']}: expected {unmet.expected}, found {unmet.found}"]
    return []


def _expect_none(wrong: list[str], count: int) -> None:
    expect(not wrong, f"all {count} vectors as they say", f"{len(wrong)} not: {'; '.join(wrong[:3])}")
