"""The facts that a device claims about itself and its app: they serve targeting and never grant access."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from walle.protocol.headers import AppHeader
from walle.protocol.interpreters import FACT, THIS_INTERPRETER
from walle.protocol.kinds import IN_SANDBOX, facts_of

Fact = str | int | float | bool


@dataclass(frozen=True)
class Facts:
    """The facts of one device and of the app on it.

    `extra` holds further device-side facts by name (lowercase), `kinds` the kinds of tasks that the device knows,
    `interpreter` the cache tag of the one that its tasks run with.
    """

    app: str
    app_version: str
    os: str
    os_version: str
    performance: str | None = None
    region: str | None = None
    extra: Mapping[str, Fact] = field(default_factory=dict)
    kinds: frozenset[str] = IN_SANDBOX
    interpreter: str | None = THIS_INTERPRETER

    def header(self) -> AppHeader:
        """Return the Walle-App header, the same bytes for equal facts: gateways use it as a key of their caches."""
        known = {
            "app_version": self.app_version,
            "os": self.os,
            "os_version": self.os_version,
            "performance": self.performance,
            "region": self.region,
            FACT: self.interpreter,
        }
        facts = {name: value for name, value in known.items() if value is not None}
        extra = {name: _wire(self.extra[name]) for name in sorted(self.extra.keys() - {FACT})}
        return AppHeader(self.app, {**facts, **extra, **facts_of(self.kinds)})


def _wire(fact: Fact) -> Any:
    """Return a fact as a value of structured fields, which have decimals instead of floats."""
    return Decimal(str(fact)) if isinstance(fact, float) else fact


def parse_fact(text: str) -> tuple[str, Fact]:
    """Parse `name=value` from a command line, where true, false and numbers are recognized. Raises ValueError."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ValueError(f"expected name=value, found {text!r}")
    if value in ("true", "false"):
        return name, value == "true"
    for read in (int, float):
        try:
            return name, read(value)
        except ValueError:
            continue
    return name, value
