"""Read the files that the command line names: rules, strategies, releases."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from walle.cli.errors import WrongUsage

if TYPE_CHECKING:
    from walle.stream.events import BehaviourEvent


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


def read_session_file(path: Path) -> list[BehaviourEvent]:
    """Read a recorded session of behaviour events (docs/guides/streams.md)."""
    from walle.schema import Malformed
    from walle.stream.sessions import read_session

    try:
        return read_session(path)
    except Malformed as error:
        raise WrongUsage(f"cannot read {path} as a recorded session: {error}") from error
    except OSError as error:
        raise WrongUsage(f"cannot read {path}: {error.strerror}") from error


def _text(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise WrongUsage(f"cannot read {name}: {reason}") from error


def _short(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:57]}..."
