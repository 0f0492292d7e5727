"""What the catalogue says of each thing that a device must refuse, and the sound version that it is made from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from walle.conformance.client.repository import ReferenceRepository
from walle.protocol.documents import Manifest

SECTION: Final = "what-a-device-checks-in-this-order"
CODE: Final = b"def run(inputs, context):\n    return {'y': 1}\n"
OTHER: Final = "conformance/other"

Publish = Callable[[ReferenceRepository, str], object]
"""Makes a version of a task the current one, and spoils it or its offer."""


@dataclass(frozen=True)
class InvalidOffer:
    """What a device must not carry out.

    `name` and `requirement` are those of the check that `walle conformance` makes of it. Each of `publish` is wrong in
    the same respect. `codes` are the error classes with which it may be reported; the first is our device's.
    """

    name: str
    requirement: str
    codes: tuple[str, ...]
    publish: tuple[Publish, ...]
    section: str = SECTION
    installed: bool = False
    """Whether a sound version 1.0.0 of the task has been installed before."""
    exclusive: bool = False
    """Whether it takes a device that has an id and knows exclusive files."""
    checked: bool = True
    """Whether `walle conformance` makes a check of it; else it is tried on our own device only."""


@dataclass(frozen=True)
class InvalidRoot:
    """A root that a device must not believe, and nothing that is signed by its keys.

    Each of `spoil` changes a repository whose keys have been rotated twice.
    """

    name: str
    requirement: str
    spoil: tuple[Callable[[ReferenceRepository], object], ...]
    checked: bool = True


def publish_sound(
    repository: ReferenceRepository, task: str, version: str = "1.0.0", code: bytes = CODE, **more: Any
) -> Manifest:
    """Publish a version with nothing wrong in it; `files` are beside its main.py."""
    files = {"main.py": code + f"# {task} {version}\n".encode(), **more.pop("files", {})}
    return repository.publish(task, version, files, **more)


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
