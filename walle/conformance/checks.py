"""Checks, each of one requirement of docs/protocol.md, run on a subject (a server or a device client)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final, Generic, Literal, TypeVar

import httpx

Subject = TypeVar("Subject")
Run = Callable[[Subject], Awaitable[None]]
Result = Literal["passed", "failed", "skipped"]

DOCUMENT: Final = "docs/protocol.md"


class ExpectationUnmet(Exception):
    """The subject does not do what the protocol requires."""

    def __init__(self, expected: str, found: object) -> None:
        super().__init__(f"expected {expected}, found {found}")
        self.expected, self.found = expected, str(found)


class Skipped(Exception):
    """The check cannot be run; the message says what it would need."""


class Absent(Skipped):
    """The subject lacks what the check is about, as it may; the check does not count."""


@dataclass(frozen=True)
class Check(Generic[Subject]):
    """One check. `name` is like `files.resume`; `section` is the anchor of a heading in docs/protocol.md."""

    name: str
    requirement: str
    section: str
    mandatory: bool
    run: Run[Subject]


@dataclass(frozen=True)
class CheckOutcome:
    """The outcome of one check. `expected` and `found` say why it failed, `found` alone why it was skipped."""

    check: Check[Any]
    result: Result
    expected: str | None = None
    found: str | None = None
    seconds: float = 0.0
    absent: bool = False

    @property
    def counts(self) -> bool:
        """Whether the conclusion depends on it: it is mandatory, and the subject has what it is about."""
        return self.check.mandatory and not self.absent


class Suite(Generic[Subject]):
    """Checks in the order of the report."""

    def __init__(self) -> None:
        self.checks: list[Check[Subject]] = []

    def check(
        self, name: str, section: str, requirement: str, *, mandatory: bool = True
    ) -> Callable[[Run[Subject]], Run[Subject]]:
        """Return a decorator that adds a function as a check."""

        def add(run: Run[Subject]) -> Run[Subject]:
            self.checks.append(Check(name, requirement, section, mandatory, run))
            return run

        return add


def select(checks: Iterable[Check[Subject]], patterns: Sequence[str] = ()) -> list[Check[Subject]]:
    """Return the checks whose name matches one of the patterns (`files.*`, `files`); without patterns, all."""
    return [check for check in checks if not patterns or any(_matches(check.name, each) for each in patterns)]


def _matches(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or name.startswith(f"{pattern}.")


def expect(condition: object, expected: str, found: object) -> None:
    """Raise ExpectationUnmet unless the condition holds."""
    if not condition:
        raise ExpectationUnmet(expected, found)


async def attempt(check: Check[Subject], subject: Subject) -> CheckOutcome:
    """Run one check. Whatever the subject does becomes an outcome, and is never raised."""
    started = time.monotonic()
    result: Result = "passed"
    expected = found = None
    absent = False
    try:
        await check.run(subject)
    except ExpectationUnmet as unmet:
        result, expected, found = "failed", unmet.expected, unmet.found
    except Skipped as skipped:
        result, found = "skipped", str(skipped)
        absent = isinstance(skipped, Absent)
    except httpx.HTTPError as error:
        result, expected, found = "failed", "an HTTP answer", f"{type(error).__name__}: {error}"
    except Exception as error:
        # An answer of a form that the check does not expect.
        result, expected, found = "failed", "something that can be read", f"{type(error).__name__}: {error}"
    return CheckOutcome(check, result, expected, found, time.monotonic() - started, absent)


async def attempt_all(
    checks: Iterable[Check[Subject]],
    subject_of: Callable[[Check[Subject]], AbstractAsyncContextManager[Subject]],
    *,
    at_once: int = 1,
) -> AsyncIterator[CheckOutcome]:
    """Yield the outcomes in the order of the checks, at most `at_once` of which run at a time."""
    turns = asyncio.Semaphore(at_once)

    async def run_one(check: Check[Subject]) -> CheckOutcome:
        async with turns, subject_of(check) as subject:
            return await attempt(check, subject)

    attempts = [asyncio.ensure_future(run_one(check)) for check in checks]
    try:
        for task in attempts:
            yield await task
    finally:
        for task in attempts:
            task.cancel()
        await asyncio.gather(*attempts, return_exceptions=True)
