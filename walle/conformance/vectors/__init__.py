"""The protocol's test vectors as data of the package; README.md says how to read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent


def load(name: str) -> Any:
    """Return the content of a file, such as `headers.json`."""
    return json.loads((FOLDER / name).read_text("utf-8"))
