"""Read the files that the command line names: rules, strategies, releases."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from walle.cli.errors import WrongUsage


def read_object(name: str) -> dict[str, Any]:
    """Read a TOML or JSON file; - is standard input, and a text that starts with { is the JSON itself."""
    text = name if name.lstrip().startswith("{") else _text(name)
    try:
        found = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except ValueError as error:
        raise WrongUsage(f"cannot read {_short(name)} as TOML or JSON: {error}") from error
    except RecursionError as error:
        raise WrongUsage(f"cannot read {_short(name)}: it is nested too deeply") from error
    return dict(found)


def _text(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise WrongUsage(f"cannot read {name}: {reason}") from error


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:57]}..."
