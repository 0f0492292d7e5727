"""What Walle uses of securesystemslib and tuf, loaded without boto3.

securesystemslib imports boto3 wherever it is installed, for a signer that keeps its keys at AWS and that Walle does not
have. That would cost every process that signs or verifies 0.2 seconds and 17 MB, although only a process with a bucket
(`walle.artifacts.s3`) needs boto3. So both libraries are imported here only, with boto3 hidden meanwhile, and everybody
else imports their names from here: an import contract sees to it. Afterwards boto3 can be imported as ever.

A program that embeds Walle and itself signs with keys at AWS imports `securesystemslib.signer` before Walle.
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
    """Answers the thread that made it that a package is not installed. Other threads find the package."""

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
    """Let this thread's imports of a package fail as if it were not installed; if it is loaded already, do nothing."""
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
