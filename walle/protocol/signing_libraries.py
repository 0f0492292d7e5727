"""The names that Walle uses of securesystemslib and tuf, loaded without boto3.

securesystemslib imports boto3 wherever it is installed, for a signer with keys at AWS that Walle does not use. That
would cost every process that signs or verifies 0.2 seconds and 17 MB, although only a process with a bucket
(`walle.artifacts.s3`) needs boto3. Therefore both libraries are imported only here, with boto3 hidden meanwhile, and
all other modules import their names from here, which an import contract enforces. Afterwards boto3 can be imported as
usual.

A program that embeds Walle and itself signs with keys at AWS must import `securesystemslib.signer` before Walle.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType


class _HidingFinder(MetaPathFinder):
    """Makes a package look uninstalled to the thread that created the finder, and to no other thread."""

    def __init__(self, package: str) -> None:
        self._package, self._thread = package, threading.get_ident()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == self._package and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"{fullname} is hidden from this import", name=fullname)
        return None


@contextmanager
def hide_package(package: str) -> Iterator[None]:
    """Let this thread's imports of a package fail as if it were not installed; if it is already loaded, do nothing."""
    finder = _HidingFinder(package)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


with hide_package("boto3"):
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner, Signature, Signer
    from tuf.api.exceptions import DownloadError, RepositoryError
    from tuf.api.metadata import Metadata, Root
    from tuf.api.serialization import DeserializationError

__all__ = [
    "CryptoSigner",
    "DeserializationError",
    "DownloadError",
    "Envelope",
    "Metadata",
    "RepositoryError",
    "Root",
    "Signature",
    "Signer",
    "hide_package",
]
