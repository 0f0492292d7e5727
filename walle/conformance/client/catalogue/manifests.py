"""Offers with a manifest that must be refused, or whose requirements the device does not meet: checks 6 to 10."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from walle.conformance.client.catalogue.assignments import offered
from walle.conformance.client.catalogue.entry import (
    CODE,
    OTHER,
    InvalidOffer,
    Publish,
    digest_of,
    publish_sound,
)
from walle.conformance.client.repository import ReferenceRepository
from walle.protocol.documents import Manifest
from walle.protocol.signing import sign
from walle.protocol.signing_libraries import CryptoSigner

ESCAPED: Final = "conformance-escaped"
"""The name of the files that would be outside a bundle."""


def _enveloped(wrap: Callable[[ReferenceRepository, Manifest], bytes]) -> Publish:
    """Return a function that publishes a valid manifest in another envelope."""

    def publish(repository: ReferenceRepository, task: str) -> None:
        manifest = publish_sound(repository, task)
        repository.put_manifest(task, manifest, wrap(repository, manifest))

    return publish


def _served_envelope(change: Callable[[bytes], bytes]) -> Publish:
    """Return a function that publishes a valid version and changes the content of its envelope."""

    def publish(repository: ReferenceRepository, task: str) -> None:
        publish_sound(repository, task)
        envelope = repository.tasks[task].envelope
        repository.blobs[digest_of(envelope)] = change(envelope)

    return publish


def _without_envelope(repository: ReferenceRepository, task: str) -> None:
    publish_sound(repository, task)
    repository.hidden.add(digest_of(repository.tasks[task].envelope))


def _with_the_envelope_of_another_version(repository: ReferenceRepository, task: str) -> None:
    publish_sound(repository, task)
    other = repository.tasks[task].envelope
    repository.put_manifest(task, publish_sound(repository, task, "2.0.0"), other)


def _with_the_manifest_of_another_task(repository: ReferenceRepository, task: str) -> None:
    manifest = publish_sound(repository, OTHER)
    repository.put_manifest(task, manifest, repository.tasks.pop(OTHER).envelope)


def _with(**more: Any) -> Publish:
    """Return a function that publishes a version with these fields."""
    return lambda repository, task: publish_sound(repository, task, **more)


def _with_files(*paths: str) -> Publish:
    files = dict.fromkeys(paths, b"escaped")
    return lambda repository, task: repository.publish(task, f"1.0.{len(paths[0])}", {"main.py": CODE, **files})


def _with_a_file_of_a_tebibyte(repository: ReferenceRepository, task: str) -> None:
    entry = {"path": "main.py", "kind": "shared", **repository.put(CODE), "size": 1 << 40}
    repository.publish(task, "1.0.0", {}, files=[entry])


MANIFESTS: Final = (
    InvalidOffer(
        "verify.envelope-digest",
        "Check 6: an envelope with another digest is refused",
        ("digest-mismatch",),
        (_served_envelope(lambda envelope: envelope.replace(b"payload", b"PAYLOAD", 1)),),
    ),
    InvalidOffer(
        "verify.envelope-size",
        "Check 6: an envelope that is longer than announced is refused",
        ("too-large", "digest-mismatch"),
        (_served_envelope(lambda envelope: envelope + b" " * 100_000),),
    ),
    InvalidOffer(
        "verify.envelope-announced",
        "Check 6: an envelope that is announced with more than a device takes is refused",
        ("too-large",),
        (offered(lambda repository, offer: replace(offer, size=1 << 30)),),
        checked=False,
    ),
    InvalidOffer(
        "verify.envelope-missing",
        "Check 6: an envelope that is not there is refused",
        ("missing",),
        (_without_envelope,),
    ),
    InvalidOffer(
        "verify.manifest-role",
        "Check 6: a manifest signed by another role is refused",
        ("wrong-signature",),
        (_enveloped(lambda repository, manifest: sign("manifest", manifest.payload, [repository.keys.timestamp])),),
    ),
    InvalidOffer(
        "verify.manifest-unknown-key",
        "Check 6: a manifest signed by an unknown key is refused",
        ("wrong-signature",),
        (_enveloped(lambda _, manifest: sign("manifest", manifest.payload, [CryptoSigner.generate_ed25519()])),),
        checked=False,
    ),
    InvalidOffer(
        "verify.manifest-unsigned",
        "Check 6: a manifest without a signature is refused",
        ("unsigned",),
        (_enveloped(lambda repository, manifest: sign("manifest", manifest.payload, [])),),
    ),
    InvalidOffer(
        "verify.manifest-bare",
        "Check 6: a manifest without an envelope is refused",
        ("unsigned",),
        (_enveloped(lambda repository, manifest: manifest.payload),),
        checked=False,
    ),
    InvalidOffer(
        "verify.manifest-kind",
        "Check 6: a signed document of another kind in the place of a manifest is refused",
        ("unsigned",),
        (_enveloped(lambda repository, manifest: sign("variant", manifest.payload, [repository.keys.targets])),),
        checked=False,
    ),
    InvalidOffer(
        "verify.manifest-other",
        "Check 7: another manifest than the assignment names is refused",
        ("mixed",),
        (_with_the_envelope_of_another_version,),
    ),
    InvalidOffer(
        "verify.manifest-task",
        "Check 8: a manifest of another task is refused",
        ("mixed",),
        (_with_the_manifest_of_another_task,),
    ),
    InvalidOffer(
        "verify.kind",
        "Check 8: a task of a kind that the client does not know is refused",
        ("kind-unknown",),
        (_with(kind="unheard-of"),),
    ),
    InvalidOffer(
        "verify.paths",
        "Check 9: files that would lie outside the bundle are refused",
        ("document-malformed",),
        (_with_files(f"../{ESCAPED}"), _with_files(f"/tmp/{ESCAPED}")),  # noqa: S108 - where nothing may be written
    ),
    InvalidOffer(
        "verify.paths-malformed",
        "Check 9: files with paths that no manifest may have are refused",
        ("document-malformed",),
        tuple(_with_files(path) for path in ("a//b", "a\\b", "", "a/../b", "x" * 201)),
        checked=False,
    ),
    InvalidOffer(
        "verify.paths-nested",
        "Check 9: a file where a folder must be is refused",
        ("document-malformed",),
        (_with_files("main.py/x"), _with_files("a/b", "a/b/c/d")),
        checked=False,
    ),
    InvalidOffer(
        "verify.default-missing",
        "Check 9: an exclusive file whose default is not in the manifest is refused",
        ("document-malformed",),
        (_with(exclusive=[{"path": "prefs.json", "template": "{age}", "default": "none.json"}]),),
        checked=False,
    ),
    InvalidOffer(
        "verify.bundle-size",
        "Check 9: a bundle that is larger than a device takes is refused",
        ("too-large",),
        (_with_a_file_of_a_tebibyte,),
        checked=False,
    ),
    InvalidOffer(
        "verify.requires",
        "Check 10: what the device does not have is said",
        ("requirement-unmet",),
        (_with(requires={"modules": ["no_such_module_of_conformance"]}),),
    ),
    InvalidOffer(
        "verify.interpreter",
        "Check 10: bytecode for another interpreter is refused",
        ("requirement-unmet",),
        (_with(bytecode={"interpreter": "no-such-interpreter", "source": "00" * 32}),),
        checked=False,
    ),
)
