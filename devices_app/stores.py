"""The stores of artifacts: folders of the data folder or, if one is configured, a bucket with a cache there."""

from functools import cache
from pathlib import Path

from django.conf import settings

from walle.artifacts import ArtifactStore, LocalStore
from walle.artifacts.cache import Cache
from walle.artifacts.s3 import Bucket, S3Store


def artifact_store() -> ArtifactStore:
    """Return the content-addressed store of this installation. Everything in it is served to anybody by its digest."""
    return _store("artifacts", settings.WALLE_ARTIFACTS_DIR)


def exclusive_store() -> ArtifactStore:
    """Return the store of exclusive files, apart from the other, because a digest alone must give no access to them."""
    return _store("exclusive", settings.WALLE_EXCLUSIVE_DIR)


def bucket() -> Bucket | None:
    """Return the bucket in which artifacts are stored, if one is configured."""
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
    """Return the cache of this process, which counts what was added."""
    return Cache(root, limit)
