"""What holds for one run of the command: what its common options say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class CommandSession:
    """`json`: print what REST returns instead of tables. `color`: whether colours may be used at all."""

    json: bool = False
    color: bool = True


_session = CommandSession()


def begin() -> None:
    """Forget what an earlier command of this process was told."""
    _session.json, _session.color = False, True


def current() -> CommandSession:
    return _session


def wants_json() -> bool:
    """Whether --json was given."""
    return _session.json
