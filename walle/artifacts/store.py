"""What a content-addressed store is: immutable artifacts, each under the SHA-256 of its content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

Content = bytes | BinaryIO | Iterable[bytes]
"""Content to store: all at once, a binary file open for reading, or chunks."""


class ArtifactError(Exception):
    """Something is wrong with an artifact of a store."""


class ArtifactMissing(ArtifactError):
    """The store does not hold an artifact with this digest."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"no artifact {digest}")
        self.digest = digest


class DigestMismatch(ArtifactError):
    """Content does not have the digest that it should have."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(f"expected content with SHA-256 {expected}, found {found}")
        self.expected = expected
        self.found = found


class StoreUnavailable(ArtifactError):
    """The store cannot be reached, or refuses us, at the moment; trying again later may help."""


@dataclass(frozen=True, slots=True)
class PutResult:
    """Content that a store took: its SHA-256 in lowercase hex and its size in bytes."""

    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    """An artifact that a store holds; stored_at: when it was last put, in Unix seconds."""

    digest: str
    size: int
    stored_at: float


class ArtifactStore(Protocol):
    """A content-addressed store. Methods block; each refuses a malformed digest with InvalidNameError.

    A remote one also raises StoreUnavailable.
    """

    remote: bool
    """Whether `path` and `open` may have to bring the content from another machine first."""

    def put(self, content: Content, expected: str | None = None) -> PutResult:
        """Keep the content, durably once this returns; storing it again is harmless.

        Raises DigestMismatch, and keeps nothing, if `expected` is given and is not the content's digest.
        """

    def put_all(self, contents: Iterable[Content]) -> list[PutResult]:
        """Keep each content, all of them durably once this returns; quicker than one `put` after the other.

        They are taken in turn: each is read to its end before the next is asked for. If one fails, none is certain to
        be kept.
        """

    def open(self, digest: str) -> BinaryIO:
        """The content, open for reading; the caller closes it. Raises ArtifactMissing."""

    def path(self, digest: str) -> Path:
        """A local file with the content, never to be written to. Raises ArtifactMissing."""

    def at_hand(self, digest: str) -> Path | None:
        """That file if it is on this machine already."""

    def size(self, digest: str) -> int:
        """Size in bytes. Raises ArtifactMissing."""

    def has(self, digest: str) -> bool: ...

    def renew(self, digest: str) -> bool:
        """Make an artifact that is here about as new as if it had been put now; False if it is not here."""

    def delete(self, digest: str, *, unless_since: float | None = None) -> bool:
        """Remove an artifact; False if it was not there, or was put or renewed since then (Unix seconds).

        Readers that have it open keep what they have.
        """

    def iterate(self) -> Iterator[StoredArtifact]:
        """Every artifact, by ascending digest; those put or deleted meanwhile may or may not appear."""

    def sweep_temporary(self, now: float, older_than: float) -> int:
        """Remove what dead writers left behind on this machine; returns how many files.

        now: Unix seconds.  older_than: seconds since a file's last write; longer than any live writer ever pauses.
        """
