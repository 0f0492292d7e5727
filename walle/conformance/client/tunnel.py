"""Checks of a device's tunnel: features go up until they are acknowledged, offers come down and are verified."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import TASK, Bench
from walle.conformance.client.repository_tunnel import ReceivedFeature, ServedTunnel, SimulatedTunnels
from walle.protocol import headers as wire
from walle.protocol.documents import Manifest
from walle.protocol.headers import short_digest
from walle.protocol.tunnel_frames import GOING_AWAY, MALFORMED, Drain, Feature, Hello, Part, write_frame

SUITE: Final = Suite[Bench]()
_SOON_S: Final = 30.0
_UPLOAD: Final = {"outputs": ["y"]}
_LARGE: Final = b"def run(inputs, context):\n    return {'y': [n * n % 100_003 for n in range(40_000)]}\n"
"""A run that returns 230 KB of JSON, more than a message takes even when compressed."""


def _tunnels(bench: Bench) -> SimulatedTunnels:
    """Have the simulated cloud take tunnels."""
    bench.needs("tunnel")
    bench.repository.tunnels = bench.repository.tunnels or SimulatedTunnels()
    return bench.repository.tunnels


@contextlib.asynccontextmanager
async def _connected(bench: Bench) -> AsyncIterator[SimulatedTunnels]:
    """Run the client until it has said hello, then for the length of the block."""
    tunnels = _tunnels(bench)
    before = len(tunnels.opened)
    async with bench.living():
        await bench.until(lambda: len(tunnels.opened) > before and tunnels.newest.frames, _SOON_S, "Hello in a tunnel")
        yield tunnels
    expect(not tunnels.malformed, "frames that can be read, in order", "; ".join(tunnels.malformed))


async def _uploaded(bench: Bench, tunnels: SimulatedTunnels, before: int = 0) -> ReceivedFeature:
    """Wait for a feature more than there were before, and return the first of these."""
    bench.needs("runs")
    await bench.until(lambda: len(tunnels.features) > before, _SOON_S, "a feature of a run")
    return tunnels.features[before]


@SUITE.check("tunnel.opened", "tunnel", "It opens a tunnel as it checks in, and says Hello first")
async def opened(bench: Bench) -> None:
    manifest = await bench.installed()
    async with _connected(bench) as tunnels:
        headers = tunnels.newest.headers
        profile = wire.read_profile(headers.get("walle-profile", "").encode("latin-1"))
        expect(profile.get(TASK) == short_digest(manifest.digest), "a Walle-Profile with the task", profile)
        extensions = headers.get("sec-websocket-extensions")
        expect(not extensions, "no extension", extensions)


@SUITE.check("tunnel.without", "tunnel", "Without a tunnel of the cloud it does everything else")
async def without(bench: Bench) -> None:
    bench.needs("tunnel")
    manifest = bench.publish(upload=_UPLOAD)
    async with bench.living():
        await bench.until(lambda: len(bench.check_ins()) > 1, _SOON_S, "a second check-in")
        await bench.until(lambda: _has(bench, manifest), _SOON_S, f"{TASK} in the profile")


@SUITE.check("tunnel.upload", "bodies-of-features", "What a run returns goes up as a feature of its version")
async def upload(bench: Bench) -> None:
    manifest = bench.publish(upload=_UPLOAD)
    async with _connected(bench) as tunnels:
        found = await _uploaded(bench, tunnels)
    expect(found.values == {"y": 1}, '{"y": 1}', found.values)
    said = (found.stream.task, found.stream.manifest)
    expect(said == (TASK, short_digest(manifest.digest)), f"a stream of {TASK} {manifest.version}", said)
    expect(found.feature.sequence == 1, "sequence 1", found.feature.sequence)


@SUITE.check("tunnel.kept", "sequences", "A feature that is not acknowledged survives kill -9, as the same feature")
async def kept(bench: Bench) -> None:
    bench.publish(upload=_UPLOAD)
    tunnels = _tunnels(bench)
    tunnels.acknowledging = False
    async with bench.living() as life:
        first = await _uploaded(bench, tunnels)
        life.kill()
    before = len(tunnels.features)
    tunnels.acknowledging = True
    async with _connected(bench):
        again = await _uploaded(bench, tunnels, before)
    expect(again[:1] == first[:1], f"the spool {first.spool.hex()}", again.spool.hex())
    expect(_told(again) == _told(first), str(_told(first)), _told(again))


@SUITE.check("tunnel.acknowledged", "sequences", "A feature that was acknowledged is not sent again")
async def acknowledged(bench: Bench) -> None:
    bench.publish(upload=_UPLOAD)
    async with _connected(bench) as tunnels:
        first = await _uploaded(bench, tunnels)
        await _opened_again_after(bench, tunnels, lambda tunnel: tunnel.close(GOING_AWAY))
        await bench.until(lambda: tunnels.newest.frames, _SOON_S, "Hello")
        await _two_check_ins(bench)
    hello = tunnels.newest.frames[0]
    expect(isinstance(hello, Hello) and hello.spool == first.spool, f"the spool {first.spool.hex()}", hello)
    sent = [each.feature.sequence for each in tunnels.features if each.spool == first.spool]
    expect(len(set(sent)) == len(sent), "each sequence once", sent)


@SUITE.check("tunnel.parts", "frames", "A message is never longer than 61440 bytes, and has its parts in order")
async def parts(bench: Bench) -> None:
    limits = {"time_ms": 10_000, "memory_mb": 512, "output_kb": 512}
    bench.publish(code=_LARGE, outputs={"y": {"type": "list"}}, limits=limits, upload=_UPLOAD)
    async with _connected(bench) as tunnels:
        found = await _uploaded(bench, tunnels)
    large = [n * n % 100_003 for n in range(40_000)]
    expect(found.values == {"y": large}, "the values of the run", str(found.values)[:80])
    kinds = {type(frame) for frame in tunnels.newest.frames} & {Feature, Part}
    expect(kinds, "a Feature, or Parts of one", kinds)


@SUITE.check("tunnel.window", "flow-control", "It keeps within the window")
async def window(bench: Bench) -> None:
    bench.publish(upload=_UPLOAD)
    tunnels = _tunnels(bench)
    tunnels.window = 0
    async with _connected(bench):
        await bench.until(lambda: len(bench.check_ins()) > 3, _SOON_S, "check-ins")
        expect(not tunnels.features, "no feature into a window of 0", len(tunnels.features))


@SUITE.check("tunnel.again", "close-codes", "It comes again after the connection broke, and when it is asked to leave")
async def again(bench: Bench) -> None:
    async with _connected(bench) as tunnels:
        await _opened_again_after(bench, tunnels, lambda tunnel: tunnel.close(1011))
        await bench.until(lambda: tunnels.newest.frames, _SOON_S, "Hello")
        await _opened_again_after(bench, tunnels, lambda tunnel: tunnel.send(Drain(0)))


@SUITE.check("tunnel.malformed", "what-each-side-refuses", "It closes at what is not a frame, and comes again")
async def malformed(bench: Bench) -> None:
    async with _connected(bench) as tunnels:
        good, tunnel = write_frame(Drain(600_000)), tunnels.newest
        damaged = good[:-1] + bytes((good[-1] ^ 1,))
        await _opened_again_after(bench, tunnels, lambda tunnel: tunnel.send_message(damaged))
        expect(tunnel.left == MALFORMED, f"the close code {MALFORMED}", tunnel.left)


@SUITE.check(
    "tunnel.damaged", "close-codes", "A feature whose frame was damaged on the way is sent again, not given up"
)
async def damaged(bench: Bench) -> None:
    bench.needs("runs")
    bench.publish(upload=_UPLOAD)
    tunnels = _tunnels(bench)
    tunnels.refusing = "frame-damaged"
    async with _connected(bench):
        await bench.until(lambda: len(tunnels.refused) > 2, _SOON_S, "the feature three times")
        tunnels.refusing = ""
        found = await _uploaded(bench, tunnels)
    expect(_told(found) == _told(tunnels.refused[0]), "the feature that was refused first", _told(found))


@SUITE.check("tunnel.offers", "offers-without-a-check-in", "Offers by the tunnel are acknowledged and carried out")
async def offers(bench: Bench) -> None:
    _hide_offers(bench)
    async with _connected(bench) as tunnels:
        manifest = bench.publish()
        number = await tunnels.newest.offer(_offer(bench))
        await bench.until(lambda: tunnels.newest.received(number), _SOON_S, "Received")
        await bench.until(lambda: _has(bench, manifest), _SOON_S, f"{TASK} in the profile")
        bench.repository.remove(TASK)
        number = await tunnels.newest.offer(_offer(bench))
        await bench.until(lambda: tunnels.newest.received(number), _SOON_S, "Received for a removal")
        await bench.until(lambda: not _has(bench, manifest), _SOON_S, f"no {TASK} in the profile")


@SUITE.check("tunnel.forged", "offers-without-a-check-in", "Offers by the tunnel are verified as any others")
async def forged(bench: Bench) -> None:
    _hide_offers(bench)
    async with _connected(bench) as tunnels:
        bad = bench.publish()
        spoiled = replace(bench.repository.offer("device-1", TASK), signature=bytes(64))
        await tunnels.newest.offer(wire.write_offers([spoiled]))
        await _two_check_ins(bench)
        sound = bench.publish("2.0.0")
        await tunnels.newest.offer(_offer(bench))
        await bench.until(lambda: _has(bench, sound), _SOON_S, f"{TASK} 2.0.0 in the profile")
        short = short_digest(bad.digest)
        expect(all(short not in each for each in _profiles(bench)), "nothing of the forged offer", "it was installed")


def _hide_offers(bench: Bench) -> None:
    """Let check-ins offer nothing, so that what changes came by the tunnel."""
    bench.repository.offers = lambda device, profile: []  # type: ignore[method-assign]


def _offer(bench: Bench) -> str:
    return wire.write_offers([bench.repository.offer("device-1", TASK)])


def _profiles(bench: Bench) -> list[Any]:
    return [list(bench.profile(which).values()) for which in range(len(bench.check_ins()))]


def _has(bench: Bench, manifest: Manifest) -> bool:
    return bool(bench.check_ins()) and bench.profile().get(manifest.name) == short_digest(manifest.digest)


def _told(received: ReceivedFeature) -> tuple[int, int, dict[str, Any]]:
    return received.feature.sequence, received.feature.at_ms, received.values


async def _two_check_ins(bench: Bench) -> None:
    """Give the client the time to do what it should not."""
    seen = len(bench.check_ins())
    await bench.until(lambda: len(bench.check_ins()) > seen + 1, _SOON_S, "two further check-ins")


async def _opened_again_after(
    bench: Bench, tunnels: SimulatedTunnels, strike: Callable[[ServedTunnel], Awaitable[None]]
) -> None:
    """Do something to the newest connection, and wait for its end and for another one."""
    tunnel, before = tunnels.newest, len(tunnels.opened)
    await strike(tunnel)
    await bench.until(tunnel.ended.is_set, _SOON_S, "an end of the connection")
    await bench.until(lambda: len(tunnels.opened) > before, _SOON_S, "another connection")
