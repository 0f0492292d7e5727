"""Whether what is kept outside the database has a place, and what pages are made of is there."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings

from devices_app.stores import artifact_store, bucket, exclusive_store
from walle.artifacts import ArtifactError, ArtifactStore
from walleweb.dashboard.build import DIST
from walleweb.dashboard.collected import is_collected
from walleweb.doctor.findings import Finding, missing, ok, warning

_GIB: Final = 1 << 30
SCARCE: Final = 5 * _GIB
TOO_LITTLE: Final = _GIB
_ACCOUNT: Final = "start this as the account of the services (walle-admin), and see whose folder it is: ls -ld {}"


def check_folders() -> Iterator[Finding]:
    data: Path = settings.WALLE_DATA_DIR
    yield _writable("data folder", data)
    if data.is_dir() and data.stat().st_mode & 0o007:
        yield warning("data folder", f"other accounts may look into {data}", f"chmod 750 {data}")
    if settings.WALLE_GIT_DIR.exists():
        yield _writable("repositories", settings.WALLE_GIT_DIR)
    if shutil.which("git") is None:
        yield missing("git", "the program is not installed", "apt-get install git")
    if data.is_dir():
        yield disk_space(data, shutil.disk_usage(data).free)


def _writable(name: str, folder: Path) -> Finding:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ok(name, f"{folder} can be written to")
    except OSError as error:
        return missing(name, f"{folder}: {error.strerror}", _ACCOUNT.format(folder))


def disk_space(folder: Path, free: int) -> Finding:
    """Judge how many bytes are left."""
    said = f"{free / _GIB:.1f} GiB are free for {folder}"
    if free < TOO_LITTLE:
        return missing("disk", said, "make room: reports and pushes fail when there is none")
    if free < SCARCE:
        return warning("disk", said, "make room soon")
    return ok("disk", said)


def check_stores() -> Iterator[Finding]:
    """Store something in the folder or the bucket, read it, and delete it again."""
    yield _usable("artifacts", artifact_store())
    yield _usable("exclusive files", exclusive_store())


def _usable(name: str, store: ArtifactStore) -> Finding:
    content = secrets.token_bytes(64)
    try:
        digest = store.put(content).digest
        with store.open(digest) as file:
            is_same = file.read() == content
        store.delete(digest)
    except (ArtifactError, OSError) as error:
        advice = "see WALLE_S3_* in docs/guides/artifacts.md" if bucket() else _ACCOUNT.format(settings.WALLE_DATA_DIR)
        return missing(name, f"a file could not be stored: {error}", advice)
    if not is_same:
        return missing(name, "a file came back as another", "the disk or the bucket is not to be trusted")
    return ok(name, "in the bucket" if bucket() else "in the data folder")


def check_pages(*, collected: bool) -> Iterator[Finding]:
    """Look for what pages are made of; with `make run`, static files need not be collected."""
    if not (DIST / "index.html").is_file():
        yield missing("dashboard", "it is not built", f"make web, in {DIST.parent.parent}")
    else:
        yield ok("dashboard", "it is built")
    folder: Path = settings.STATIC_ROOT
    if not collected:
        yield ok("static files", "web servers take them from the code")
    elif is_collected(folder):
        readable = os.stat(folder).st_mode & 0o005 == 0o005
        yield (
            ok("static files", f"those of this version lie in {folder}")
            if readable or folder.is_relative_to(settings.WALLE_DATA_DIR)
            else warning("static files", f"nginx cannot read {folder}", f"chmod 755 {folder}")
        )
    else:
        advice = "restart a web server, which collects them, or: walle-admin collect_static_files"
        yield missing("static files", f"those of this version are not in {folder}", advice)
