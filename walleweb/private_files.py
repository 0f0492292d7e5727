"""Files that other accounts of this machine cannot read: folders, and small secrets that are generated once."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path


def own_folder(path: Path) -> Path:
    """Create a folder that only its owner may enter; an open one of ours is closed."""
    passage(path)
    status = path.stat()
    if status.st_uid == os.geteuid() and status.st_mode & 0o077:
        path.chmod(0o700)
    return path


def passage(path: Path) -> Path:
    """Create a folder whose content only its owner can list, and those above it; existing ones stay as they are.

    If root creates it, others may pass through: the account of the embedded PostgreSQL has its folder below.
    """
    for folder in reversed([path, *path.parents]):
        if not folder.exists():
            folder.mkdir(exist_ok=True)
            folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
    return path


def stored_secret(path: Path, *, size: int) -> str:
    """Return the secret in `path`, generated from `size` random bytes if the file does not exist yet.

    Concurrent processes get the same secret: the file appears complete or not at all.
    """
    with contextlib.suppress(FileNotFoundError):
        return path.read_text()
    passage(path.parent)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(secrets.token_urlsafe(size))
    try:
        with contextlib.suppress(FileExistsError):
            os.link(file.name, path)
    finally:
        os.unlink(file.name)
    return path.read_text()
