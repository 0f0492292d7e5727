"""Where artifacts are kept: folders of the data folder or, if one is configured, a bucket with a cache there."""

from functools import cache
from pathlib import Path

from django.conf import settings

from walle.artifacts import ArtifactStore, LocalStore
from walle.artifacts.cache import Cache
from walle.artifacts.s3 import Bucket, S3Store


def artifact_store() -> ArtifactStore:
    """The content-addressed store of this installation. Whatever it holds is served to anybody by its digest."""
    return _store("artifacts", settings.WALLE_ARTIFACTS_DIR)


def exclusive_store() -> ArtifactStore:
    """The store of exclusive files, apart from the other, because a digest alone must open none of them."""
    return _store("exclusive", settings.WALLE_EXCLUSIVE_DIR)


def bucket() -> Bucket | None:
    """The bucket that artifacts are kept in, if one is configured."""
    name = settings.WALLE_S3_BUCKET
    if not name:
        return None
    return Bucket(name, settings.WALLE_S3_PREFIX, settings.WALLE_S3_ENDPOINT or None, settings.WALLE_S3_REGION or None)


def _store(folder: str, local: Path) -> ArtifactStore:
    place = bucket()
    if place is None:
        return LocalStore(local)
    return S3Store(place, folder, _cache(settings.WALLE_CACHE_DIR / folder, settings.WALLE_CACHE_BYTES))


@cache
def _cache(root: Path, limit: int) -> Cache:
    """One for each process: it counts what was added."""
    return Cache(root, limit)
