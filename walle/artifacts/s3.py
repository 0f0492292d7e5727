"""A content-addressed store in an S3 bucket, with a cache of files on this machine.

    <prefix><folder>/<digest>   one object for each artifact, never overwritten by other content

Puts write to the cache first, where the digest is computed, and from there to the bucket; reads copy to the cache and
verify the content. So everything that needs a file (a sandbox, sendfile) has one, and an artifact that a thousand
devices download leaves the bucket once for each machine that serves it.

boto3 itself repeats requests (standard mode: back-off with jitter). Credentials come from where AWS's own tools find
them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, the machine's or the pod's role.
"""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO, Final

from walle.artifacts.cache import Cache
from walle.artifacts.store import ArtifactMissing, Content, PutResult, StoredArtifact, StoreUnavailable
from walle.protocol.names import DIGEST_PATTERN, check_digest

ATTEMPTS: Final = 4
_UPLOADS: Final = 8
# In bytes. Up to this size content is sent in one request, which the bucket checks by its MD5; above, in parts of this
# size.
PART: Final = 32 << 20
# In seconds: an object younger than that counts as new when it is put or renewed again.
RENEWED_AFTER: Final = 12 * 3600
_MISSING: Final = ("404", "NoSuchKey", "NotFound")
_HEADERS: Final = {
    "ContentType": "application/octet-stream",
    "CacheControl": "public, max-age=31536000, immutable",
}


@dataclass(frozen=True)
class Bucket:
    """The address of a bucket. An `endpoint` of None is AWS's own, a `region` of None that of AWS's tools."""

    name: str
    prefix: str = ""
    endpoint: str | None = None
    region: str | None = None

    def client(self) -> Any:
        """A client for this bucket's server, shared by all threads."""
        return _client(self.endpoint, self.region)


@cache
def _client(endpoint: str | None, region: str | None) -> Any:
    # Imported here, because it takes a quarter of a second that installations without a bucket need not spend.
    import boto3
    from botocore.config import Config

    config = Config(
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
        connect_timeout=5,
        read_timeout=30,
        max_pool_connections=32,
        # Other servers than AWS's do not know the newer checksums that are sent by default.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"addressing_style": "path" if endpoint else "auto"},
    )
    return boto3.session.Session().client("s3", endpoint_url=endpoint, region_name=region, config=config)


class S3Store:
    """A store in a folder of a bucket. Any number of machines may share it."""

    remote = True

    def __init__(self, bucket: Bucket, folder: str, cache: Cache, clock: Callable[[], float] = time.time) -> None:
        self._bucket, self._cache, self._clock = bucket, cache, clock
        self._prefix = f"{bucket.prefix}{folder}/"

    def put(self, content: Content, expected: str | None = None) -> PutResult:
        """Store the content, durably once this returns; storing it again is harmless.

        Raises DigestMismatch, and stores nothing, if `expected` is given and is not the content's digest.
        """
        stored = self._cache.put(content, expected)
        self._upload(stored)
        return stored

    def put_all(self, contents: Iterable[Content]) -> list[PutResult]:
        """Store each content, all of them durably once this returns; faster than single `put`s."""
        every = self._cache.store.put_all(contents)
        with ThreadPoolExecutor(_UPLOADS) as uploads:
            list(uploads.map(self._upload, set(every)))
        self._cache.added(sum(stored.size for stored in every))
        return every

    def open(self, digest: str) -> BinaryIO:
        """Return the content, open for reading; the caller closes it. Raises ArtifactMissing."""
        return self.path(digest).open("rb")

    def path(self, digest: str) -> Path:
        """Return a local file with the content, never to be written to. Raises ArtifactMissing, DigestMismatch."""
        return self.at_hand(digest) or self._bring(digest)

    def at_hand(self, digest: str) -> Path | None:
        """Return that file if it is already on this machine."""
        return self._cache.path(digest)

    def size(self, digest: str) -> int:
        """Return the size in bytes. Raises ArtifactMissing."""
        found = self._find(digest)
        if found is None:
            raise ArtifactMissing(digest)
        return found.size

    def has(self, digest: str) -> bool:
        return self._find(digest) is not None

    def renew(self, digest: str) -> bool:
        """Make a present artifact about as new as if it had been put now; return False if it is absent."""
        found = self._find(digest)
        if found is None:
            return False
        if self._is_old(found):
            source = {"Bucket": self._bucket.name, "Key": self._key(digest)}
            with self._translated_errors(digest):
                self._s3("copy_object", digest, CopySource=source, MetadataDirective="REPLACE", **_HEADERS)
            copied = self._find(digest)
            if copied is None or self._is_old(copied):  # some servers keep the time of what is copied
                self.path(digest)
                self._send(PutResult(digest, found.size))
        return True

    def delete(self, digest: str, *, unless_since: float | None = None) -> bool:
        """Remove an artifact; return False if it was absent, or was put or renewed since then (Unix seconds).

        Copies in the caches of other machines stay until those make room.
        """
        found = self._find(digest)
        # The bucket's times are in whole seconds.
        if found is None or (unless_since is not None and found.stored_at + 1 > unless_since):
            return False
        with self._translated_errors(digest):
            self._s3("delete_object", digest)
        self._cache.store.delete(digest)
        return True

    def iterate(self) -> Iterator[StoredArtifact]:
        """Yield every artifact, by ascending digest; those put or deleted meanwhile may or may not be included."""
        pages = self._bucket.client().get_paginator("list_objects_v2")
        with self._translated_errors():
            for page in pages.paginate(Bucket=self._bucket.name, Prefix=self._prefix):
                for found in page.get("Contents", ()):
                    digest = found["Key"].removeprefix(self._prefix)
                    if DIGEST_PATTERN.fullmatch(digest):
                        yield StoredArtifact(digest, found["Size"], found["LastModified"].timestamp())

    def sweep_temporary(self, now: float, older_than: float) -> int:
        """Sweep the cache as LocalStore does. The bucket itself should expire the parts of broken uploads by a rule."""
        return self._cache.store.sweep_temporary(now, older_than)

    def _key(self, digest: str) -> str:
        check_digest(digest)
        return self._prefix + digest

    def _s3(self, operation: str, digest: str, **options: Any) -> Any:
        return getattr(self._bucket.client(), operation)(Bucket=self._bucket.name, Key=self._key(digest), **options)

    def _find(self, digest: str) -> StoredArtifact | None:
        try:
            with self._translated_errors(digest):
                head = self._s3("head_object", digest)
        except ArtifactMissing:
            return None
        return StoredArtifact(digest, head["ContentLength"], head["LastModified"].timestamp())

    def _is_old(self, found: StoredArtifact) -> bool:
        return found.stored_at < self._clock() - RENEWED_AFTER

    def _upload(self, stored: PutResult) -> None:
        """Copy from the cache to the bucket unless it is there."""
        found = self._find(stored.digest)
        if found is None or found.size != stored.size or self._is_old(found):
            self._send(stored)

    def _send(self, stored: PutResult) -> None:
        with self._cache.store.open(stored.digest) as file, self._translated_errors():
            if stored.size <= PART:
                md5 = b64encode(file_digest(file, "md5").digest()).decode()
                file.seek(0)
                self._s3("put_object", stored.digest, Body=file, ContentMD5=md5, **_HEADERS)
            else:
                self._upload_parts(stored.digest, file)

    def _upload_parts(self, digest: str, file: BinaryIO) -> None:
        from boto3.s3.transfer import TransferConfig

        self._bucket.client().upload_fileobj(
            file,
            self._bucket.name,
            self._key(digest),
            ExtraArgs=dict(_HEADERS),
            Config=TransferConfig(multipart_threshold=PART, multipart_chunksize=PART, max_concurrency=4),
        )

    def _bring(self, digest: str) -> Path:
        """Copy into the cache. An interrupted transfer is restarted here: boto3 repeats only requests, not bodies."""
        for attempt in range(ATTEMPTS):
            try:
                with self._translated_errors(digest), closing(self._s3("get_object", digest)["Body"]) as body:
                    self._cache.put(body, digest)
                break
            except StoreUnavailable:
                if attempt == ATTEMPTS - 1:
                    raise
        return self._cache.store.path(digest)

    @contextmanager
    def _translated_errors(self, digest: str | None = None) -> Iterator[None]:
        """Translate the errors of the bucket and of the connection into those of this package."""
        from boto3.exceptions import Boto3Error
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except ClientError as error:
            problem = error.response.get("Error", {})
            if digest is not None and problem.get("Code") in _MISSING:
                raise ArtifactMissing(digest) from None
            detail = f"{error.operation_name} was answered {problem.get('Code')}: {problem.get('Message')}"
            raise StoreUnavailable(f"bucket {self._bucket.name}: {detail}") from error
        except (BotoCoreError, Boto3Error) as error:
            raise StoreUnavailable(f"bucket {self._bucket.name}: {error}") from error
