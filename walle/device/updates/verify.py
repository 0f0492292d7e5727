"""The checks of signed documents on a device: pure functions without I/O; the time comes in as an argument.

The order of checks, which the updater and each function keep:

     1. the root is not expired
     2. the assignment is signed by the root's timestamp role           unsigned, wrong-signature
     3. it is for this app, and for the task and action of the offer     mixed
     4. its time is not over                                             expired
     5. its number is no lower than the highest seen for the app         rolled-back
        (the caller makes the number durable before going on)
     6. the manifest is signed by the root's targets role                unsigned, wrong-signature
     7. it is the manifest that the assignment names                     mixed
     8. it is of the assignment's task, and of a kind that is known here mixed, kind-unknown
     9. its paths stay inside the bundle and its size inside the limits  document-malformed, too-large
    10. this device has what it requires                                 requirement-unmet
    11. every shared file has its digest and size                        digest-mismatch, too-large
    12. every exclusive file has a variant statement, signed by the targets role, that names this manifest
        and this path, and has the digest and size it says               unsigned, wrong-signature, mixed

Genuine documents of different versions thus cannot be combined (mix and match), and an old table cannot be replayed
(rollback), except one that is not yet expired to a device that has seen no newer one.
"""

from __future__ import annotations

from dataclasses import dataclass

from walle.device.errors import TooLarge
from walle.protocol.documents import Assignment, Manifest, Variant
from walle.protocol.errors import DocumentMalformed, Expired, KindUnknown, Mixed, Outdated, Unsigned
from walle.protocol.headers import Offer, read_variant
from walle.protocol.kinds import DEVICE_ONLY
from walle.protocol.signing import TrustedRoots, detached, utc

CLOCK_TOLERANCE_S = 300.0
"""The tolerated error of a device's clock; beyond it, the device waits for a fresher table than necessary."""


@dataclass(frozen=True)
class Sizes:
    """The most that this device accepts, in bytes."""

    envelope: int = 1 << 20
    bundle: int = 1 << 30


def check_root(roots: TrustedRoots, now: float) -> None:
    """Do check 1. `now` is in Unix seconds."""
    roots.check_expiry(utc(now - CLOCK_TOLERANCE_S))


def check_assignment(offer: Offer, roots: TrustedRoots, *, app: str, highest: int, now: float) -> Assignment:
    """Do checks 2 to 5. `now` is in Unix seconds; `highest` is the highest number seen for the app."""
    envelope = detached("assignment", offer.assignment, offer.key_id, offer.signature)
    assignment = Assignment.from_payload(roots.verify("assignment", envelope))
    if assignment.app != app:
        raise Mixed(f"the assignment is for the app {assignment.app}, not for {app}")
    if assignment.task != offer.task:
        raise Mixed(f"{offer.task} was offered with the assignment of {assignment.task}")
    if (assignment.action == "remove") != (offer.action == "remove"):
        raise Mixed(f"{offer.task}: the offer says {offer.action}, its assignment {assignment.action}")
    if assignment.expires + CLOCK_TOLERANCE_S < now:
        raise Expired(f"{offer.task}: the assignment's time is over since {now - assignment.expires:.0f} s")
    if assignment.number < highest:
        raise Outdated(f"{offer.task}: expected an assignment of table {highest} or newer, found {assignment.number}")
    return assignment


def check_manifest(
    envelope: bytes,
    assignment: Assignment,
    roots: TrustedRoots,
    sizes: Sizes,
    kinds: frozenset[str] = DEVICE_ONLY,
) -> Manifest:
    """Do checks 6 to 9; `kinds` are the kinds of tasks that this device knows."""
    manifest = Manifest.from_payload(roots.verify("manifest", envelope))
    if manifest.digest != assignment.manifest:
        raise Mixed(f"expected the assigned manifest {assignment.manifest}, found {manifest.digest}")
    if manifest.name != assignment.task:
        raise Mixed(f"expected a manifest of the assigned task {assignment.task}, found one of {manifest.name}")
    if manifest.kind not in kinds:
        known = ", ".join(sorted(kinds))
        raise KindUnknown(
            f"{manifest.name} {manifest.version} is a task of the kind {manifest.kind}; this device knows {known}"
        )
    _check_paths(manifest)
    if (total := sum(entry.size or 0 for entry in manifest.files)) > sizes.bundle:
        raise TooLarge(f"{manifest.name} {manifest.version}: {total} bytes, this device takes {sizes.bundle}")
    return manifest


def _check_paths(manifest: Manifest) -> None:
    manifest.check_paths()
    missing = {entry.default for entry in manifest.files if entry.default} - shared_files(manifest).keys()
    if missing:
        raise DocumentMalformed(f"manifest.files: the defaults {sorted(missing)} are not shared files of it")


def shared_files(manifest: Manifest) -> dict[str, tuple[str, int]]:
    """Return digest and size of the files that are the same for all devices, by path."""
    return {entry.path: (entry.digest, entry.size or 0) for entry in manifest.files if entry.digest}


def check_variant(header: str | None, manifest: Manifest, path: str, roots: TrustedRoots, sizes: Sizes) -> Variant:
    """Do check 12 for the statement in the Walle-Variant header of the file's response."""
    if header is None:
        raise Unsigned(f"{path}: the exclusive file came without Walle-Variant")
    envelope = read_variant(header.encode("ascii", "replace"))
    variant = Variant.from_payload(roots.verify("variant", envelope))
    if (variant.manifest, variant.path) != (manifest.digest, path):
        raise Mixed(f"{path}: the variant is of {variant.path} of the manifest {variant.manifest}")
    if variant.size > sizes.bundle:
        raise TooLarge(f"{path}: {variant.size} bytes, this device takes {sizes.bundle}")
    return variant
