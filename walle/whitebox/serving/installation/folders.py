"""The pipelines on a serving host's disk; a version is there as a whole or not at all, whenever the power goes.

    parameters/<sha256>.bin           each parameter once, for all versions (walle.whitebox.runtime)
    parameters/<sha256>.packed        what the runtime made of one, which it may make anew at any time
    plans/<manifest>/manifest.json    the signed manifest
    plans/<manifest>/files/...        the version's other files
    plans/<manifest>/compiled.json    what the engine made of them, which it may make anew at any time
    plans/.<manifest>.<process>       a version that is being put together

Everything is fetched under another name, made durable, and renamed. Processes of one machine may share the folder.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from walle.artifacts import DigestMismatch
from walle.protocol.documents import FileEntry, Manifest
from walle.protocol.errors import ProtocolError
from walle.protocol.names import DIGEST_PATTERN
from walle.protocol.signing import open_envelope
from walle.whitebox.serving.installation.checks import PARAMETERS
from walle.whitebox.serving.isolation import fsync_folder

ENVELOPE: Final = "manifest.json"
FILES: Final = "files"
COMPILED: Final = "compiled.json"
_PIECE: Final = 1 << 20

Open = Callable[[str], BinaryIO]
"""Opens the content with a digest for reading (walle.artifacts.ArtifactStore.open)."""


class PlanFolders:
    """The folder of a serving host's pipelines."""

    def __init__(self, folder: Path) -> None:
        self._plans = folder / "plans"
        self.parameters = folder / "parameters"
        self._plans.mkdir(parents=True, exist_ok=True)
        self.parameters.mkdir(parents=True, exist_ok=True)

    def installed(self) -> frozenset[str]:
        """Return the manifests (digests) of all versions that are here."""
        return frozenset(name for name in os.listdir(self._plans) if DIGEST_PATTERN.fullmatch(name))

    def manifest(self, digest: str) -> Manifest:
        """Return the manifest of a version that is here; its signature was checked when it was installed.

        Raises OSError or ProtocolError.
        """
        envelope = open_envelope("manifest", (self._plans / digest / ENVELOPE).read_bytes())
        return Manifest.from_payload(envelope.payload)

    def paths(self, manifest: Manifest) -> dict[str, Path]:
        """Return where the files of a version that is here are, by their paths in the bundle."""
        files = self._plans / manifest.digest / FILES
        return {
            entry.path: self.parameters / Path(entry.path).name if is_parameter(entry) else files / entry.path
            for entry in manifest.files
        }

    def compiled(self, manifest: str) -> Path:
        """Return where the engine keeps what it made of a version; the file goes with the version."""
        return self._plans / manifest / COMPILED

    def install(self, envelope: bytes, manifest: Manifest, open_content: Open) -> None:
        """Put a version here. Raises what `open_content` does, DigestMismatch, or OSError; then it is not here."""
        for entry in filter(is_parameter, manifest.files):
            self._fetch_parameter(entry, open_content)
        partial = self._plans / f".{manifest.digest}.{os.getpid()}"
        shutil.rmtree(partial, ignore_errors=True)
        try:
            self._fill(partial, envelope, manifest, open_content)
            try:
                partial.rename(self._plans / manifest.digest)
            except OSError as error:
                # Another process of this machine was first.
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
            fsync_folder(self._plans)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def remove(self, manifest: str) -> None:
        """Remove a version; from its first moment it is not here any more."""
        gone = self._plans / f".{manifest}.gone.{os.getpid()}"
        with contextlib.suppress(FileNotFoundError):
            (self._plans / manifest).rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def repair(self, manifest: str) -> None:
        """Forget a version and those of its parameters whose content is not what their names say."""
        with contextlib.suppress(OSError, ProtocolError):
            for name in self._parameters_of(manifest):
                path = self.parameters / name
                if path.exists() and _digest_of(path) != path.stem:
                    path.unlink(missing_ok=True)
        self.remove(manifest)

    def sweep(self, now: float, older_than: float) -> int:
        """Remove what died before it was complete, and parameters of no version; return how many.

        `now` is in Unix seconds; what changed within the last `older_than` seconds may be in the making.
        """
        used = {Path(name).stem for manifest in self.installed() for name in self._parameters_of(manifest)}
        removed = 0
        for path in [*self._plans.glob(".*"), *self.parameters.glob("*.*")]:
            with contextlib.suppress(FileNotFoundError):
                if path.stem in used or now - path.stat().st_ctime <= older_than:
                    continue
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()
                removed += 1
        return removed

    def _parameters_of(self, manifest: str) -> list[str]:
        return [Path(entry.path).name for entry in filter(is_parameter, self.manifest(manifest).files)]

    def _fill(self, partial: Path, envelope: bytes, manifest: Manifest, open_content: Open) -> None:
        files = partial / FILES
        files.mkdir(parents=True)
        (partial / ENVELOPE).write_bytes(envelope)
        for entry in manifest.files:
            if not is_parameter(entry):
                path = files / entry.path
                path.parent.mkdir(parents=True, exist_ok=True)
                _copy(entry, path, open_content)
        for folder, _, names in os.walk(partial, topdown=False):
            for name in names:
                _fsync_file(Path(folder, name))
            fsync_folder(Path(folder))

    def _fetch_parameter(self, entry: FileEntry, open_content: Open) -> None:
        path = self.parameters / f"{entry.digest}.bin"
        if path.exists():
            return
        partial = path.with_suffix(f".{os.getpid()}.part")
        try:
            _copy(entry, partial, open_content)
            # Processes map it: whoever wrote to it would write into their memory.
            partial.chmod(0o444)
            _fsync_file(partial)
            partial.rename(path)
        finally:
            partial.unlink(missing_ok=True)
        fsync_folder(self.parameters)


def is_parameter(entry: FileEntry) -> bool:
    """Return whether a file of a manifest is a parameter, which versions share."""
    return entry.path.startswith(PARAMETERS)


def _copy(entry: FileEntry, path: Path, open_content: Open) -> None:
    """Write the content of a file of a manifest, never more than its size. Raises DigestMismatch."""
    expected, left, found = str(entry.digest), entry.size or 0, hashlib.sha256()
    with open_content(expected) as source, path.open("wb") as target:
        while piece := source.read(min(_PIECE, left + 1)):
            left -= len(piece)
            if left < 0:
                raise DigestMismatch(expected, f"a content of more than the {entry.size} bytes that the manifest says")
            found.update(piece)
            target.write(piece)
    if found.hexdigest() != expected:
        raise DigestMismatch(expected, found.hexdigest())


def _digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fsync_file(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
