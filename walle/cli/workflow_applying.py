"""The files of an applied plan, written to the folder of its sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from walle.cli.errors import WrongUsage

if TYPE_CHECKING:
    from walle.bundle.workflows.applying import AppliedTree


def write_applied(folder: Path, applied: AppliedTree) -> None:
    """Write what applying a plan made, and delete what an earlier plan left. Raises WrongUsage where that fails.

    What says which plan it is comes first: where this ends too early, the folder is no valid version, and the plan can
    be applied again.
    """
    from walle.bundle.workflows.documents import PLACEMENT_FILE

    contents = {path: applied.read(path) for path in applied.files}
    try:
        for path in (PLACEMENT_FILE, *applied.files):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents[path])
        for path in applied.outdated:
            (folder / path).unlink()
    except OSError as error:
        raise WrongUsage(f"cannot write to {folder}: {error.strerror}") from error
