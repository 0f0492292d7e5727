"""Exclusive files: check 12, and what is taken where there is none."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import TASK, Bench
from walle.conformance.client.verification import SECTION
from walle.protocol.documents import Manifest, Variant

SUITE: Final = Suite[Bench]()
_CONTENT: Final = b'{"for": "the young"}'
_PATH: Final = "prefs.json"


async def _enrolled(bench: Bench) -> None:
    """The device has its id, for which there may be variants, before it is offered anything."""
    bench.needs("exclusive")
    await bench.once()


def _publish(
    bench: Bench, *, default: bool = True, variant: bytes | None = _CONTENT, version: str = "1.0.0"
) -> Manifest:
    entry: dict[str, Any] = {
        "path": _PATH,
        "template": "{age_band}",
        **({"default": "default.json"} if default else {}),
    }
    if variant is not None:
        bench.repository.variants["device-1", _PATH] = variant
    return bench.publish(version, files={"default.json": b"{}"}, exclusive=[entry])


def _stated(bench: Bench, **changes: Any) -> str:
    """Another statement than the right one, properly signed."""
    manifest = bench.repository.tasks[TASK].manifest
    digest = manifest.digest if manifest else ""
    said = {"manifest": digest, "path": _PATH, "key": "key", "digest": hashlib.sha256(_CONTENT).hexdigest()}
    return bench.repository.stated(Variant(**{**said, "size": len(_CONTENT), **changes}))


@SUITE.check("exclusive.fetched", "files", "It fetches its exclusive file at x, and installs it")
async def fetched(bench: Bench) -> None:
    await _enrolled(bench)
    manifest = _publish(bench)
    await bench.once()
    bench.expect_installed(manifest)
    asked = [request.path for request in bench.asked("/exclusive")]
    expect(asked and asked[0].endswith(f"/{_PATH}"), f"a request for <x>/{_PATH}", asked)


@SUITE.check("exclusive.default", "files", "Where there is nothing for it (404), it takes the default")
async def default(bench: Bench) -> None:
    await _enrolled(bench)
    manifest = _publish(bench, variant=None)
    await bench.once()
    bench.expect_installed(manifest)


@SUITE.check("exclusive.none", "files", "Where there is neither a variant nor a default, the offer is refused")
async def none(bench: Bench) -> None:
    await _enrolled(bench)
    _publish(bench, variant=None, default=False)
    await bench.expect_refusal("missing")


@SUITE.check("exclusive.unsigned", SECTION, "Check 12: an exclusive file without Walle-Variant is refused")
async def unsigned(bench: Bench) -> None:
    await _enrolled(bench)
    _publish(bench)
    bench.repository.restate = lambda text: None
    await bench.expect_refusal("unsigned")


@SUITE.check("exclusive.role", SECTION, "Check 12: a statement signed by another role is refused")
async def wrong_role(bench: Bench) -> None:
    await _enrolled(bench)
    manifest = _publish(bench)
    said = Variant(manifest.digest, _PATH, "key", hashlib.sha256(_CONTENT).hexdigest(), len(_CONTENT))
    bench.repository.restate = lambda text: bench.repository.stated(said, by=bench.repository.keys.timestamp)
    await bench.expect_refusal("wrong-signature")


@SUITE.check("exclusive.mixed", SECTION, "Check 12: a statement for another manifest, or for another path, is refused")
async def mixed(bench: Bench) -> None:
    await _enrolled(bench)
    _publish(bench)
    bench.repository.restate = lambda text: _stated(bench, manifest="ab" * 32)
    await bench.once()
    bench.expect_installed(None)
    _publish(bench, version="1.0.1")
    bench.repository.restate = lambda text: _stated(bench, path="main.py")
    await bench.expect_refusal("mixed")


@SUITE.check("exclusive.digest", SECTION, "Check 12: content that is not what the statement says is refused")
async def digest(bench: Bench) -> None:
    await _enrolled(bench)
    _publish(bench)
    bench.repository.restate = lambda text: _stated(bench, digest="ab" * 32)
    await bench.expect_refusal("digest-mismatch")


@SUITE.check("exclusive.too-old", "files", "An address that is too old (401): it checks in again, and goes on")
async def too_old(bench: Bench) -> None:
    await _enrolled(bench)
    manifest = _publish(bench)
    bench.repository.failures["/exclusive"] = (401, {"walle_error": "credential-expired"})
    await bench.once()
    bench.expect_installed(None)
    bench.heal()
    await bench.once()
    bench.expect_installed(manifest)
