"""What is known of versions of tasks above this app: devices tell only the digests of their manifests."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class VersionBook:
    """`manifest_of` gives the digest of the manifest of a task's version, or None; tasks_app sets it when it starts."""

    manifest_of: Callable[[str, str], str | None] = lambda task, version: None


VERSIONS = VersionBook()
