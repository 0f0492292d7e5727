"""The entries of the catalogue of what a device must refuse, and the valid version that they are derived from."""

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
"""Makes a version of a task the current one, and damages it or its offer."""


@dataclass(frozen=True)
class InvalidOffer:
    """An offer that a device must not carry out.

    `name` and `requirement` are those of its check in `walle conformance`. All functions in `publish` are wrong in the
    same respect. `codes` are the error classes under which it may be reported; the first is that of the project's own
    device.
    """

    name: str
    requirement: str
    codes: tuple[str, ...]
    publish: tuple[Publish, ...]
    section: str = SECTION
    installed: bool = False
    """Whether a valid version 1.0.0 of the task must be installed before."""
    exclusive: bool = False
    """Whether it requires an enrolled device that supports exclusive files."""
    checked: bool = True
    """Whether `walle conformance` checks clients with it; otherwise only the project's own device is tested with it."""


@dataclass(frozen=True)
class InvalidRoot:
    """A root that a device must refuse, together with everything signed by its keys.

    Each function in `spoil` changes a repository whose keys have been rotated twice.
    """

    name: str
    requirement: str
    spoil: tuple[Callable[[ReferenceRepository], object], ...]
    checked: bool = True


def publish_sound(
    repository: ReferenceRepository, task: str, version: str = "1.0.0", code: bytes = CODE, **more: Any
) -> Manifest:
    """Publish a valid version; `files` are beside its main.py."""
    files = {"main.py": code + f"# {task} {version}\n".encode(), **more.pop("files", {})}
    return repository.publish(task, version, files, **more)


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
