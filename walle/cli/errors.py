"""Errors of commands, with their exit statuses and hints (docs/guides/cli.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final


class Exit(IntEnum):
    """Exit statuses of all commands; those from 10 on are final states of a watched release."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_ALLOWED = 3
    NOT_FOUND = 4
    CONFLICT = 5
    UNREACHABLE = 6
    ROLLED_BACK = 10
    REJECTED = 11
    ABORTED = 12
    SUPERSEDED = 13
    WAITING = 14
    TIMED_OUT = 15
    INTERRUPTED = 130


class CommandError(Exception):
    """A command failed. `hint` says what to do next."""

    status = Exit.FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint

    @property
    def lines(self) -> list[str]:
        """Return further lines about the error."""
        return []

    def to_dict(self) -> dict[str, Any]:
        """Return the error as `--json` prints it."""
        return {"error": {"exit": int(self.status), "detail": self.message, "hint": self.hint}}


class CommandFailed(CommandError):
    """The command was executed and failed."""


class NoPlan(CommandFailed):
    """No placement plan keeps to all constraints; `reasons` say why, and what would help, a line each."""

    def __init__(self, reasons: Sequence[str] = ()) -> None:
        super().__init__("no plan was found that keeps to all constraints")
        self.reasons = tuple(reasons)

    @property
    def lines(self) -> list[str]:
        return list(self.reasons)

    def to_dict(self) -> dict[str, Any]:
        document = super().to_dict()
        document["error"]["reasons"] = list(self.reasons)
        return document


class WrongUsage(CommandError):
    """The command line or a file that it names is invalid."""

    status = Exit.USAGE


class FileMalformed(WrongUsage):
    """A file that the command line names is malformed; `problems` are all that is wrong with it, a line each."""

    def __init__(self, message: str, problems: Sequence[str]) -> None:
        super().__init__(message)
        self.problems = tuple(problems)

    @property
    def lines(self) -> list[str]:
        return list(self.problems)

    def to_dict(self) -> dict[str, Any]:
        document = super().to_dict()
        document["error"]["problems"] = list(self.problems)
        return document


class NotSignedIn(CommandError):
    status = Exit.NOT_ALLOWED


class ServerUnreachable(CommandError):
    """The server does not answer or is unavailable."""

    status = Exit.UNREACHABLE


@dataclass(frozen=True)
class AskedRequest:
    """What a request was about: its address below the API, and the names and values in its query and its body."""

    address: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


class RequestRefused(CommandError):
    """The server refused the request with a problem document (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.problem = problem
        self.code = str(problem.get("code", ""))
        self.http_status = status
        self.asked = AskedRequest()
        self.found: Mapping[str, Any] = {}
        """What was found out about the refusal, for `--json`."""
        self.status = _STATUSES.get(status, Exit.FAILED)
        self.errors: Sequence[Mapping[str, str]] = problem.get("errors") or ()
        detail = str(problem.get("detail") or problem.get("title") or f"the server answered {status}")
        super().__init__(_message(detail, self.errors), _HINTS.get(self.code, ""))

    @property
    def lines(self) -> list[str]:
        return [_line(error) for error in self.errors] if self.message.endswith(":") else []

    def to_dict(self) -> dict[str, Any]:
        return {"error": {"exit": int(self.status), **self.problem, **self.found, "hint": self.hint}}


def _message(detail: str, errors: Sequence[Mapping[str, str]]) -> str:
    """Return what is said of a refusal; where its errors follow in lines of their own, it ends with a colon."""
    if not errors:
        return detail
    if not all(error.get("detail", "") in detail for error in errors):
        return f"{detail}:"
    several = len(errors) > 1 or detail.startswith(f"{errors[0].get('field')}:")
    return "the server refused it:" if several else detail


def _line(error: Mapping[str, str]) -> str:
    field, detail = error.get("field", ""), error.get("detail", "")
    return f"{field}: {detail}" if field and not detail.startswith(field) else detail


_STATUSES: Final[Mapping[int, Exit]] = {
    401: Exit.NOT_ALLOWED,
    403: Exit.NOT_ALLOWED,
    404: Exit.NOT_FOUND,
    409: Exit.CONFLICT,
    412: Exit.CONFLICT,
    429: Exit.UNREACHABLE,
    500: Exit.UNREACHABLE,
    502: Exit.UNREACHABLE,
    503: Exit.UNREACHABLE,
    504: Exit.UNREACHABLE,
}
_HINTS: Final[Mapping[str, str]] = {
    "not-authenticated": "sign in with: walle login",
    "authentication-failed": "create another token on your account page, then sign in with it: walle login",
    "not-allowed": "see what you may do with: walle status",
    "token-not-enough": "do this in the dashboard",
    "not-found": "check the name; `walle status` says where you have a role",
    "move-refused": "see its state with: walle release show",
    "release-conflict": "see what has changed with: walle release show, then decide again",
    "version-exists": "a version never changes: raise the version and upload it as a new one",
    "version-refused": "try it before you push with: walle version validate FOLDER",
    "throttled": "try again in a moment",
    "precondition-failed": "look again, then decide again",
    "branch-moved": "somebody else pushed in the meantime: try again",
    "internal-server-error": "the server's log says more about this",
}
