"""Offers whose files, shared or exclusive, are not the signed ones: checks 11 and 12."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from walle.conformance.client.catalogue.entry import InvalidOffer, Publish, digest_of, publish_sound
from walle.conformance.client.repository import ReferenceRepository
from walle.protocol.documents import Manifest, Variant

EXCLUSIVE_CONTENT: Final = b'{"for": "the young"}'
EXCLUSIVE_PATH: Final = "prefs.json"
_FILE: Final = b"sound"


def _served_file(data: bytes) -> Publish:
    """Return a function that publishes a valid version and changes the content of one file."""

    def publish(repository: ReferenceRepository, task: str) -> None:
        publish_sound(repository, task, files={"model": _FILE})
        repository.blobs[digest_of(_FILE)] = data

    return publish


def _without_file(repository: ReferenceRepository, task: str) -> None:
    publish_sound(repository, task, files={"model": _FILE})
    repository.hidden.add(digest_of(_FILE))


FILES: Final = (
    InvalidOffer(
        "verify.file-digest",
        "Check 11: a file with another digest is refused",
        ("digest-mismatch",),
        (_served_file(b"spoil"),),
    ),
    InvalidOffer(
        "verify.file-size",
        "Check 11: a file that is longer than announced is refused",
        ("too-large", "digest-mismatch"),
        (_served_file(_FILE * 20_000),),
    ),
    InvalidOffer(
        "verify.file-missing",
        "Check 11: a file that is not there refuses the offer",
        ("missing",),
        (_without_file,),
    ),
)


# -- exclusive files


def publish_exclusive(
    repository: ReferenceRepository,
    task: str,
    version: str = "1.0.0",
    *,
    default: bool = True,
    variant: bytes | None = EXCLUSIVE_CONTENT,
) -> Manifest:
    """Publish a version with an exclusive file, of which the first device has a variant unless `variant` is None."""
    entry: dict[str, Any] = {"path": EXCLUSIVE_PATH, "template": "{age_band}"}
    if default:
        entry["default"] = "default.json"
    if variant is not None:
        repository.variants["device-1", EXCLUSIVE_PATH] = variant
    return publish_sound(repository, task, version, files={"default.json": b"{}"}, exclusive=[entry])


def _stated(state: Callable[[ReferenceRepository, Variant], str | None], **more: Any) -> Publish:
    """Return a function that publishes a version and replaces the statement of its exclusive file."""

    def publish(repository: ReferenceRepository, task: str) -> None:
        manifest = publish_exclusive(repository, task, **more)
        right = Variant(manifest.digest, EXCLUSIVE_PATH, "key", digest_of(EXCLUSIVE_CONTENT), len(EXCLUSIVE_CONTENT))
        repository.restate = lambda text: state(repository, right)

    return publish


def _changed_statement(version: str = "1.0.0", **changes: Any) -> Publish:
    """Return a function that publishes a version with a changed, properly signed statement."""
    return _stated(lambda repository, right: repository.stated(replace(right, **changes)), version=version)


def _without_variant_and_default(repository: ReferenceRepository, task: str) -> None:
    publish_exclusive(repository, task, default=False, variant=None)


EXCLUSIVE_FILES: Final = (
    InvalidOffer(
        "exclusive.none",
        "Where there is neither a variant nor a default, the offer is refused",
        ("missing",),
        (_without_variant_and_default,),
        section="files",
        exclusive=True,
    ),
    InvalidOffer(
        "exclusive.unsigned",
        "Check 12: an exclusive file without Walle-Variant is refused",
        ("unsigned",),
        (_stated(lambda repository, right: None),),
        exclusive=True,
    ),
    InvalidOffer(
        "exclusive.role",
        "Check 12: a statement signed by another role is refused",
        ("wrong-signature",),
        (_stated(lambda repository, right: repository.stated(right, by=repository.keys.timestamp)),),
        exclusive=True,
    ),
    InvalidOffer(
        "exclusive.mixed",
        "Check 12: a statement for another manifest, or for another path, is refused",
        ("mixed",),
        (_changed_statement(manifest="ab" * 32), _changed_statement(version="1.0.1", path="main.py")),
        exclusive=True,
    ),
    InvalidOffer(
        "exclusive.digest",
        "Check 12: content that is not what the statement says is refused",
        ("digest-mismatch",),
        (_changed_statement(digest="ab" * 32),),
        exclusive=True,
    ),
    InvalidOffer(
        "exclusive.size",
        "Check 12: content that is longer than the statement says, or than a device takes, is refused",
        ("too-large",),
        (_changed_statement(size=2), _changed_statement(size=2**40)),
        exclusive=True,
        checked=False,
    ),
    InvalidOffer(
        "exclusive.other-content",
        "Check 12: another device's content under the right statement is refused",
        ("digest-mismatch",),
        (_stated(lambda repository, right: repository.stated(right), variant=EXCLUSIVE_CONTENT.swapcase()),),
        exclusive=True,
        checked=False,
    ),
    InvalidOffer(
        "exclusive.unreadable",
        "Check 12: a statement that cannot be read is refused",
        ("header-malformed",),
        (_stated(lambda repository, right: "nonsense"),),
        exclusive=True,
        checked=False,
    ),
)
