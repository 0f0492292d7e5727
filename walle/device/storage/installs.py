"""Installed versions as immutable folders.

    <folder>/manifest.json   the manifest's payload, exactly as signed
    <folder>/files.json      path -> digest of every file of the bundle, with exclusive ones resolved
    <folder>/bundle/         the files, as the task sees them

A folder's name is a digest of its manifest and files, so that the same name always means the same content. A folder is
renamed to its name only when it is complete, so that no partial installation is ever visible.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from walle.device.storage.disk import TEMPORARY, Disk, remove_temporaries
from walle.device.storage.files import Files, sha256_of
from walle.device.storage.state import Installation
from walle.protocol.canonical import canonical_digest, canonical_json
from walle.protocol.documents import Manifest
from walle.protocol.errors import ProtocolError

_MANIFEST, _FILES, _BUNDLE = "manifest.json", "files.json", "bundle"


def folder_name(manifest: str, files: Mapping[str, str]) -> str:
    """Return the name of the folder for this manifest (digest) with these files (path -> digest)."""
    return canonical_digest({"manifest": manifest, "files": dict(files)})[:32]


class Installs:
    """The installed folders under one directory."""

    def __init__(self, root: Path, disk: Disk) -> None:
        self._root, self._disk = root, disk
        root.mkdir(parents=True, exist_ok=True)
        remove_temporaries(root)

    def bundle(self, folder: str) -> Path:
        """Return the folder with the task's files."""
        return self._root / folder / _BUNDLE

    def manifest(self, folder: str) -> Manifest:
        """Return the manifest, which was verified when the folder was built."""
        return Manifest.from_payload((self._root / folder / _MANIFEST).read_bytes())

    def files(self, folder: str) -> dict[str, str]:
        """Return the digest of every file by path."""
        inventory: dict[str, str] = json.loads((self._root / folder / _FILES).read_bytes())
        return inventory

    def build(self, manifest: Manifest, files: Mapping[str, str], source: Files) -> str:
        """Build the folder of a version from files in `source` and return its name. Idempotent."""
        name = folder_name(manifest.digest, files)
        if self._intact(name, manifest.digest):
            return name
        self._disk.remove_tree(self._root / name, step="damaged install")
        building = self._root / (TEMPORARY + name)
        shutil.rmtree(building, ignore_errors=True)
        self._fill(building, manifest, files, source)
        self._disk.rename(building, self._root / name, step="install")
        return name

    def _fill(self, building: Path, manifest: Manifest, files: Mapping[str, str], source: Files) -> None:
        bundle = building / _BUNDLE
        bundle.mkdir(parents=True)
        for path, digest in sorted(files.items()):
            target = bundle / path
            target.parent.mkdir(parents=True, exist_ok=True)
            self._disk.link(source.path(digest), target, step=f"link {path}")
        self._disk.write(building / _MANIFEST, manifest.payload, step="install manifest")
        self._disk.write(building / _FILES, canonical_json(dict(files)), step="install inventory")
        for folder in (bundle, *(path for path in bundle.rglob("*") if path.is_dir())):
            self._disk.sync_folder(folder)

    def check(self, installed: Installation) -> bool:
        """Return whether an installed version is complete and unchanged, comparing every file with its digest."""
        return self._intact(installed.folder, installed.manifest)

    def _intact(self, name: str, manifest: str) -> bool:
        folder = self._root / name
        try:
            files = self.files(name)
            return (
                name == folder_name(manifest, files)
                and hashlib.sha256((folder / _MANIFEST).read_bytes()).hexdigest() == manifest
                and all(sha256_of(folder / _BUNDLE / path) == digest for path, digest in files.items())
            )
        except (OSError, ValueError, AttributeError, ProtocolError):
            return False

    def digests(self, folders: set[str]) -> set[str]:
        """Return the digests of all files in these folders; a damaged folder contributes none."""
        found: set[str] = set()
        for folder in folders:
            with contextlib.suppress(OSError, ValueError, AttributeError):
                found.update(self.files(folder).values())
        return found

    def collect(self, keep: set[str]) -> None:
        """Remove all other folders."""
        for path in sorted(self._root.iterdir()):
            if path.name not in keep:
                self._disk.remove_tree(path, step="garbage install")
