"""Walle's side: the archives of a family as plans of a runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from walle.whitebox.archive import DOCUMENT, PARAMETERS, Archive, read_document
from walle.whitebox.runtime.parameter_store import ParameterStore
from walle.whitebox.runtime.served_plan import ServedPlan
from walle.whitebox.runtime.service import Runtime


def read_folder(folder: Path) -> Archive:
    """Return the archive in a folder; it was checked as a whole when it was written."""
    return read_document((folder / DOCUMENT).read_bytes())


def install(store: ParameterStore, folders: Sequence[Path]) -> None:
    """Give a parameter store the parameters of archives, as a serving host has them after installation."""
    for folder in folders:
        for path in (folder / PARAMETERS).iterdir():
            store.install(path.stem, path)


def register(runtime: Runtime, folders: Sequence[Path], prefix: str = "", **options: Any) -> list[str]:
    """Register the plans of archives under the prefix and their place; return their ids."""
    names = [f"{prefix}{place}" for place in range(len(folders))]
    for name, folder in zip(names, folders, strict=True):
        runtime.register(name, ServedPlan.of(read_folder(folder)), **options)
    return names
