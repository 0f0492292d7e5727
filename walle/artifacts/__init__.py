"""Content-addressed storage of artifacts and its immutable, resumable HTTP face (walle.artifacts.http)."""

from walle.artifacts.local import LocalStore
from walle.artifacts.store import (
    ArtifactError,
    ArtifactMissing,
    Content,
    DigestMismatch,
    Kept,
    Store,
    Stored,
    StoreUnavailable,
)

__all__ = [
    "ArtifactError",
    "ArtifactMissing",
    "Content",
    "DigestMismatch",
    "Kept",
    "LocalStore",
    "Store",
    "StoreUnavailable",
    "Stored",
]
