"""Small secrets that are made once and kept in a file that only its owner can read."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path


def kept_secret(path: Path, *, size: int) -> str:
    """The secret in `path`, made of `size` random bytes when the file does not exist yet.

    Processes that ask at the same time get the same answer: the file appears complete or not at all.
    """
    with contextlib.suppress(FileNotFoundError):
        return path.read_text()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(secrets.token_urlsafe(size))
    try:
        with contextlib.suppress(FileExistsError):
            os.link(file.name, path)
    finally:
        os.unlink(file.name)
    return path.read_text()
