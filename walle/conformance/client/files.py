"""Checks of a client's downloads: resumed, bounded, and no more than necessary."""

from __future__ import annotations

import hashlib
from typing import Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import Bench
from walle.conformance.client.repository import RecordedRequest

SUITE: Final = Suite[Bench]()
MODEL: Final = b"".join(hashlib.sha256(b"%d" % number).digest() for number in range(8192))
"""A file of 256 KiB that does not compress."""
_CUT: Final = 100_000
_SLACK: Final = 64 << 10
"""The bytes that may have been in transit when a transfer broke, and are sent again."""
_MOST_ATTEMPTS: Final = 12


def _name() -> str:
    return hashlib.sha256(MODEL).hexdigest()


def _model(bench: Bench) -> list[RecordedRequest]:
    return bench.requests_to(f"/artifacts/{_name()}")


def _sent(bench: Bench) -> int:
    """Return how many bytes of the model were sent in all."""
    return sum(count for path, _, count in bench.repository.served if path.endswith(_name()))


@SUITE.check("files.resume", "files", "A broken transfer goes on where it broke, with Range and If-Range")
async def resume(bench: Bench) -> None:
    manifest = bench.publish(files={"model": MODEL})
    bench.repository.cuts = [_CUT]
    await bench.once()
    if len(_model(bench)) < 2:
        await bench.once()
    bench.expect_installed(manifest)
    _expect_range(_model(bench)[-1])
    expect(_sent(bench) <= len(MODEL) + _SLACK, "only what is missing", f"{_sent(bench)} of {len(MODEL)} bytes in all")


@SUITE.check("files.resume-restart", "files", "A transfer goes on even after a kill -9", mandatory=False)
async def resume_after_kill(bench: Bench) -> None:
    manifest = bench.publish(files={"model": MODEL})
    await bench.killed_at(f"/artifacts/{_name()}", and_then=0.3)
    await bench.once()
    bench.expect_installed(manifest)
    _expect_range(_model(bench)[0])


def _expect_range(request: RecordedRequest) -> None:
    found, tag = request.headers.get("range", ""), request.headers.get("if-range")
    expect(
        found.startswith("bytes=") and found.endswith("-"),
        "Range: bytes=<have>-",
        found or "no Range",
    )
    expect(tag == f'"{_name()}"', "If-Range with the file's ETag", tag or "no If-Range")


@SUITE.check("files.killed", "files", "A kill -9 amid an installation leaves the old version or the new one")
async def killed(bench: Bench) -> None:
    first = await bench.installed()
    second = bench.publish("2.0.0", files={"model": MODEL})
    await bench.killed_at(f"/artifacts/{_name()}", and_then=0.1)
    await bench.once()
    bench.expect_installed(first, which=0)
    bench.expect_installed(second)


@SUITE.check("files.begin-again", "files", "If the server sends the whole file again (200), it begins again")
async def begin_again(bench: Bench) -> None:
    manifest = bench.publish(files={"model": MODEL})
    bench.repository.ranges, bench.repository.cuts = False, [_CUT]
    await bench.once()
    if manifest and len(_model(bench)) < 2:
        await bench.once()
    bench.expect_installed(manifest)


@SUITE.check("files.bounded", "when-to-try-again", "Attempts that bring nothing new are bounded, and the rest goes on")
async def bounded(bench: Bench) -> None:
    bench.publish(files={"model": MODEL})
    bench.repository.cut = 0
    await bench.once()
    tried = len(bench.requests_to("/artifacts"))
    expect(tried <= _MOST_ATTEMPTS, f"at most {_MOST_ATTEMPTS} attempts in one life", tried)
    bench.repair()
    manifest = bench.publish("2.0.0")
    await bench.once()
    bench.expect_installed(manifest)


@SUITE.check("files.identity", "files", "It asks for files as they are: Accept-Encoding: identity")
async def identity(bench: Bench) -> None:
    await bench.installed()
    encodings = {request.headers.get("accept-encoding") for request in bench.requests_to("/artifacts")}
    expect(encodings == {"identity"}, "Accept-Encoding: identity", encodings)


@SUITE.check("files.known", "files", "A file that it has already is not fetched again", mandatory=False)
async def known(bench: Bench) -> None:
    await bench.installed(files={"model": MODEL})
    manifest = bench.publish("2.0.0", files={"model": MODEL})
    await bench.once()
    bench.expect_installed(manifest)
    expect(not _model(bench), "no request for a file that is here", f"{len(_model(bench))} requests")
