"""The common options of one run of the command."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class CommandSession:
    """`json`: print what REST returns instead of tables. `color`: whether colours may be used at all.

    `server` and `token_file`, if given, take the place of those of the environment and of the file of accounts.
    """

    json: bool = False
    color: bool = True
    server: str = ""
    token_file: str = ""


_session = CommandSession()


def begin() -> None:
    """Reset the options of an earlier command in this process."""
    _session.json, _session.color = False, True
    _session.server = _session.token_file = ""


def current() -> CommandSession:
    return _session


def wants_json() -> bool:
    """Return whether --json was given."""
    return _session.json
