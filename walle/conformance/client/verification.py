"""What a device checks, in the document's order: each offer here is wrong in one respect."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import CODE, OTHER, TASK, Bench
from walle.conformance.client.repository import manifest_fields
from walle.protocol.canonical import canonical_json
from walle.protocol.documents import Manifest
from walle.protocol.headers import Offer
from walle.protocol.signing import sign
from walle.protocol.signing_libraries import CryptoSigner

SUITE: Final = Suite[Bench]()
SECTION: Final = "what-a-device-checks-in-this-order"
_TOO_OLD_S: Final = -400.0
_TOLERATED_S: Final = -200.0


def _assigned(bench: Bench, **changes: Any) -> Callable[[Offer], Offer]:
    """Offers whose assignment says something else, properly signed."""

    def mangle(offer: Offer) -> Offer:
        payload = canonical_json(json.loads(offer.assignment) | changes)
        return replace(offer, assignment=payload, **bench.repository.signature(payload))

    return mangle


def _signed_by(bench: Bench, signer: CryptoSigner) -> Callable[[Offer], Offer]:
    return lambda offer: replace(offer, **bench.repository.signature(offer.assignment, by=signer))


@SUITE.check("verify.role", SECTION, "Check 2: an assignment signed by another role is refused")
async def wrong_role(bench: Bench) -> None:
    bench.publish()
    bench.repository.mangle = _signed_by(bench, bench.repository.keys.targets)
    await bench.expect_refusal("wrong-signature")


@SUITE.check("verify.unknown-key", SECTION, "Check 2: an assignment signed by an unknown key is refused")
async def unknown_key(bench: Bench) -> None:
    bench.publish()
    bench.repository.mangle = _signed_by(bench, CryptoSigner.generate_ed25519())
    await bench.expect_refusal("wrong-signature")


@SUITE.check("verify.tampered", SECTION, "Check 2: an assignment that was changed after signing is refused")
async def tampered(bench: Bench) -> None:
    bench.publish()
    bench.repository.mangle = lambda offer: replace(
        offer, assignment=offer.assignment.replace(b'"format":1', b'"format": 1')
    )
    await bench.expect_refusal("wrong-signature")


@SUITE.check("verify.fields", SECTION, "Check 2: a signed assignment without the fields of one is refused")
async def fields(bench: Bench) -> None:
    bench.publish()
    bench.repository.mangle = _assigned(bench, number=str(bench.repository.number))
    await bench.expect_refusal("document-malformed")


@SUITE.check("verify.app", SECTION, "Check 3: an assignment for another app is refused")
async def other_app(bench: Bench) -> None:
    bench.publish()
    bench.repository.mangle = _assigned(bench, app="bank")
    await bench.expect_refusal("mixed")


@SUITE.check("verify.task", SECTION, "Check 3: an assignment for another task is refused")
async def other_task(bench: Bench) -> None:
    bench.publish()
    bench.repository.mangle = _assigned(bench, task=OTHER)
    await bench.expect_refusal("mixed")


@SUITE.check("verify.action", SECTION, "Check 3: a removal that is offered as an installation is refused")
async def other_action(bench: Bench) -> None:
    bench.publish()
    bench.repository.mangle = _assigned(bench, action="remove", manifest=None)
    await bench.expect_refusal("mixed")


@SUITE.check("verify.expired", SECTION, "Check 4: an expired assignment is refused")
async def expired(bench: Bench) -> None:
    bench.publish()
    bench.repository.lifetime = _TOO_OLD_S
    await bench.expect_refusal("expired")


@SUITE.check("verify.clocks", SECTION, "Check 4: clocks may differ by 300 seconds", mandatory=False)
async def tolerance(bench: Bench) -> None:
    manifest = bench.publish()
    bench.repository.lifetime = _TOLERATED_S
    await bench.once()
    bench.expect_installed(manifest)


@SUITE.check("verify.rolled-back", SECTION, "Check 5: a lower number than one it has seen is refused")
async def rolled_back(bench: Bench) -> None:
    manifest = await bench.installed()
    bench.publish("2.0.0")
    bench.repository.mangle = _assigned(bench, number=bench.repository.number - 2)
    await bench.expect_refusal("rolled-back", before=manifest)


@SUITE.check("verify.envelope-digest", SECTION, "Check 6: an envelope with another digest is refused")
async def envelope_digest(bench: Bench) -> None:
    bench.publish()
    digest, envelope = _envelope(bench)
    bench.repository.blobs[digest] = envelope.replace(b"payload", b"PAYLOAD", 1)
    await bench.expect_refusal("digest-mismatch")


@SUITE.check("verify.envelope-size", SECTION, "Check 6: an envelope that is longer than announced is refused")
async def envelope_size(bench: Bench) -> None:
    bench.publish()
    digest, envelope = _envelope(bench)
    bench.repository.blobs[digest] = envelope + b" " * 100_000
    await bench.expect_refusal("too-large", "digest-mismatch")


@SUITE.check("verify.envelope-missing", SECTION, "Check 6: an envelope that is not there is refused")
async def envelope_missing(bench: Bench) -> None:
    bench.publish()
    bench.repository.hidden.add(_envelope(bench)[0])
    await bench.expect_refusal("missing")


@SUITE.check("verify.manifest-role", SECTION, "Check 6: a manifest signed by another role is refused")
async def manifest_role(bench: Bench) -> None:
    manifest = bench.publish()
    bench.repository.put_manifest(TASK, manifest, sign("manifest", manifest.payload, [bench.repository.keys.timestamp]))
    await bench.expect_refusal("wrong-signature")


@SUITE.check("verify.manifest-unsigned", SECTION, "Check 6: a manifest without a signature is refused")
async def manifest_unsigned(bench: Bench) -> None:
    manifest = bench.publish()
    envelope = json.loads(bench.repository.tasks[TASK].envelope) | {"signatures": []}
    bench.repository.put_manifest(TASK, manifest, json.dumps(envelope).encode())
    await bench.expect_refusal("unsigned")


@SUITE.check("verify.manifest-other", SECTION, "Check 7: another manifest than the assignment names is refused")
async def manifest_other(bench: Bench) -> None:
    bench.publish()
    other = bench.repository.tasks[TASK].envelope
    wanted = bench.publish("2.0.0")
    bench.repository.put_manifest(TASK, wanted, other)
    await bench.expect_refusal("mixed")


@SUITE.check("verify.manifest-task", SECTION, "Check 8: a manifest of another task is refused")
async def manifest_task(bench: Bench) -> None:
    manifest = bench.publish(task=OTHER)
    envelope = bench.repository.tasks.pop(OTHER).envelope
    bench.repository.put_manifest(TASK, manifest, envelope)
    await bench.expect_refusal("mixed")


@SUITE.check("verify.kind", SECTION, "Check 8: a task of a kind that the client does not know is refused")
async def unknown_kind(bench: Bench) -> None:
    bench.publish(kind="unheard-of")
    await bench.expect_refusal("kind-unknown")


@SUITE.check("verify.paths", SECTION, "Check 9: files that would lie outside the bundle are refused")
async def paths(bench: Bench) -> None:
    for path in ("../conformance-escaped", "/tmp/conformance-escaped"):  # noqa: S108 - where nothing may be written
        entries = [{"path": path, "kind": "shared", **bench.repository.put(b"escaped")}]
        entries.append({"path": "main.py", "kind": "shared", **bench.repository.put(CODE)})
        fields = manifest_fields(TASK, f"1.0.{len(path)}", entries)
        manifest = Manifest.from_payload(canonical_json(fields))
        envelope = sign("manifest", manifest.payload, [bench.repository.keys.targets])
        bench.repository.put_manifest(TASK, manifest, envelope)
        await bench.once()
        bench.expect_installed(None)
    escaped = [str(path) for path in bench.folder.rglob("conformance-escaped")]
    expect(not escaped, "no file outside a bundle", escaped)
    await bench.expect_refusal("document-malformed")


@SUITE.check("verify.requires", SECTION, "Check 10: what the device does not have is said")
async def requires(bench: Bench) -> None:
    bench.publish(requires={"modules": ["no_such_module_of_conformance"]})
    await bench.expect_refusal("requirement-unmet")


@SUITE.check("verify.file-digest", SECTION, "Check 11: a file with another digest is refused")
async def file_digest(bench: Bench) -> None:
    bench.publish(files={"model": b"sound"})
    bench.repository.blobs[hashlib.sha256(b"sound").hexdigest()] = b"spoil"
    await bench.expect_refusal("digest-mismatch")


@SUITE.check("verify.file-size", SECTION, "Check 11: a file that is longer than announced is refused")
async def file_size(bench: Bench) -> None:
    bench.publish(files={"model": b"sound"})
    bench.repository.blobs[hashlib.sha256(b"sound").hexdigest()] = b"sound" * 20_000
    await bench.expect_refusal("too-large", "digest-mismatch")


@SUITE.check("verify.file-missing", SECTION, "Check 11: a file that is not there refuses the offer")
async def file_missing(bench: Bench) -> None:
    bench.publish(files={"model": b"sound"})
    bench.repository.hidden.add(hashlib.sha256(b"sound").hexdigest())
    await bench.expect_refusal("missing")


@SUITE.check("verify.keeps", SECTION, "What is installed stays when its update is refused")
async def keeps(bench: Bench) -> None:
    manifest = await bench.installed()
    bench.publish("2.0.0", files={"model": b"sound"})
    bench.repository.blobs[hashlib.sha256(b"sound").hexdigest()] = b"spoil"
    await bench.expect_refusal("digest-mismatch", before=manifest)


def _envelope(bench: Bench) -> tuple[str, bytes]:
    envelope = bench.repository.tasks[TASK].envelope
    return hashlib.sha256(envelope).hexdigest(), envelope
