"""What to say of a module that is missing in a tailored build, whose makers can add it (`walle device package`)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from walle.container.result import IMPORT_MISSING, RunResult

MARKER: Final = "tailored.json"
"""A file at the interpreter's prefix, in tailored builds only."""
_MISSING: Final = re.compile(r"(?:No module named '|required module )([\w.]+)", re.ASCII)


def message_of(result: RunResult, prefix: Path) -> str | None:
    """The message of a run's result; with a hint if a module is missing and the build at `prefix` is a tailored one."""
    found = _MISSING.search(result.message or "") if result.error_class == IMPORT_MISSING else None
    if found is None or not (prefix / MARKER).is_file():
        return result.message
    module = found[1].rstrip(".")
    return f"{result.message}; left out of this tailored build: add it with walle device package --with {module}"
