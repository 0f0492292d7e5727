"""The checks of a pipeline's signed manifest on a serving host: those of a device (walle.device.updates); pure."""

from __future__ import annotations

from typing import Final

from walle.protocol.documents import FileEntry, Manifest
from walle.protocol.errors import KindUnknown, Mixed
from walle.protocol.signing import TrustedRoots
from walle.release.table import Entry
from walle.whitebox.serving.ports import KIND

PARAMETERS: Final = "parameters/"
MAX_ENVELOPE: Final = 4 << 20
MAX_BUNDLE: Final = 4 << 30
MAX_FILES: Final = 10_000


class PipelineRefused(Exception):
    """This version will never be installed here; the message says what was expected. `code` is the error's class."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def check_manifest(envelope: bytes, entry: Entry, roots: TrustedRoots) -> Manifest:
    """Return the manifest that an entry names. Raises ProtocolError or PipelineRefused."""
    manifest = Manifest.from_payload(roots.verify("manifest", envelope))
    if manifest.digest != entry.manifest:
        raise Mixed(f"the table names the manifest {entry.manifest}, found was {manifest.digest}")
    if manifest.name != entry.task:
        raise Mixed(f"the table names the task {entry.task}, the manifest is of {manifest.name}")
    if manifest.kind != KIND:
        raise KindUnknown(f"{manifest.name} {manifest.version} is of the kind {manifest.kind}, expected {KIND}")
    _check_files(manifest)
    return manifest


def _check_files(manifest: Manifest) -> None:
    manifest.check_paths()
    if exclusive := [entry.path for entry in manifest.files if entry.kind != "shared"]:
        raise PipelineRefused("exclusive-file", f"{exclusive[0]}: expected shared files only, which all callers get")
    if len(manifest.files) > MAX_FILES:
        raise PipelineRefused("too-large", f"expected at most {MAX_FILES} files, found {len(manifest.files)}")
    total = sum(entry.size or 0 for entry in manifest.files)
    if total > MAX_BUNDLE:
        raise PipelineRefused("too-large", f"expected at most {MAX_BUNDLE} bytes, found {total}")
    for entry in manifest.files:
        _check_parameter(entry)


def _check_parameter(entry: FileEntry) -> None:
    """Refuse a parameter that is not named by its content: others would get it by its name."""
    if entry.path.startswith(PARAMETERS) and entry.path != f"{PARAMETERS}{entry.digest}.bin":
        raise PipelineRefused("parameter-mismatch", f"{entry.path}: expected {PARAMETERS}{entry.digest}.bin")
