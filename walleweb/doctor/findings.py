"""What a check found."""

from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    """Whether something is as it should be: `missing` fails the examination, a `warning` does not."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, how it is, and what to do about it if it is not well."""

    name: str
    health: Health
    detail: str
    advice: str = ""


def ok(name: str, detail: str) -> Finding:
    return Finding(name, Health.OK, detail)


def warning(name: str, detail: str, advice: str) -> Finding:
    return Finding(name, Health.WARNING, detail, advice)


def missing(name: str, detail: str, advice: str) -> Finding:
    return Finding(name, Health.MISSING, detail, advice)
