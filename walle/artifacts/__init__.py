"""Content-addressed storage of artifacts, and its immutable, resumable HTTP endpoint (walle.artifacts.http)."""

from walle.artifacts.local import LocalStore
from walle.artifacts.store import (
    ArtifactError,
    ArtifactMissing,
    ArtifactStore,
    Content,
    DigestMismatch,
    PutResult,
    StoredArtifact,
    StoreUnavailable,
)

__all__ = [
    "ArtifactError",
    "ArtifactMissing",
    "ArtifactStore",
    "Content",
    "DigestMismatch",
    "LocalStore",
    "PutResult",
    "StoreUnavailable",
    "StoredArtifact",
]
