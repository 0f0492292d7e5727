"""The interface of a content-addressed store: immutable artifacts, each under the SHA-256 of its content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

Content = bytes | BinaryIO | Iterable[bytes]
"""Content to store: bytes, a binary file open for reading, or chunks."""


class ArtifactError(Exception):
    """The base of all errors of artifacts."""


class ArtifactMissing(ArtifactError):
    """The store does not hold an artifact with this digest."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"no artifact {digest}")
        self.digest = digest


class DigestMismatch(ArtifactError):
    """The content does not have the expected digest."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(f"expected content with SHA-256 {expected}, found {found}")
        self.expected = expected
        self.found = found


class StoreUnavailable(ArtifactError):
    """The store cannot be reached, or refuses the request, at the moment; trying again later may help."""


@dataclass(frozen=True, slots=True)
class PutResult:
    """Stored content: its SHA-256 in lowercase hex and its size in bytes."""

    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    """A stored artifact; `stored_at` is when it was last put, in Unix seconds."""

    digest: str
    size: int
    stored_at: float


class ArtifactStore(Protocol):
    """A content-addressed store. Methods block; each refuses a malformed digest with InvalidNameError.

    A remote one also raises StoreUnavailable.
    """

    remote: bool
    """Whether `path` and `open` may have to copy the content from another machine first."""

    def put(self, content: Content, expected: str | None = None) -> PutResult:
        """Store the content, durably once this returns; storing it again is harmless.

        Raises DigestMismatch, and stores nothing, if `expected` is given and is not the content's digest.
        """

    def put_all(self, contents: Iterable[Content]) -> list[PutResult]:
        """Store each content, all of them durably once this returns; faster than single `put`s.

        Each content is read to its end before the next one. If one fails, none is certain to be stored.
        """

    def open(self, digest: str) -> BinaryIO:
        """Return the content, open for reading; the caller closes it. Raises ArtifactMissing."""

    def path(self, digest: str) -> Path:
        """Return a local file with the content, which must never be written to. Raises ArtifactMissing."""

    def at_hand(self, digest: str) -> Path | None:
        """Return that file if it is already on this machine."""

    def size(self, digest: str) -> int:
        """Return the size in bytes. Raises ArtifactMissing."""

    def has(self, digest: str) -> bool: ...

    def renew(self, digest: str) -> bool:
        """Make a present artifact about as new as if it had been put now; return False if it is absent."""

    def delete(self, digest: str, *, unless_since: float | None = None) -> bool:
        """Remove an artifact; return False if it was absent, or was put or renewed since then (Unix seconds).

        Readers that have it open can read on.
        """

    def iterate(self) -> Iterator[StoredArtifact]:
        """Yield every artifact, by ascending digest; those put or deleted meanwhile may or may not be included."""

    def sweep_temporary(self, now: float, older_than: float) -> int:
        """Remove the temporary files of dead writers on this machine; return their number.

        `now` is in Unix seconds. `older_than` is in seconds since a file's last write: longer than any live writer
        pauses.
        """
