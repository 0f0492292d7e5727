"""Rewrites of the source that are bugs: read from TOML, and applied as text."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
BUGS: Final = Path(__file__).with_name("bugs")
HARMLESS: Final = Path(__file__).with_name("harmless.toml")


class DoesNotApply(Exception):
    """The text that a rewrite replaces is not in its file, or more than once."""


@dataclass(frozen=True)
class Rewrite:
    """Replaces `before`, which occurs once in `file`, by `after`; `what` says in a sentence what is wrong then.

    `tests` are what pytest is given: the tests that are expected to fail.
    """

    area: str
    what: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...] = ()

    def rewritten(self) -> str:
        """The file with the bug; raises DoesNotApply."""
        path = ROOT / self.file
        if not path.is_file():
            raise DoesNotApply(f"{self.file} is gone")
        source = path.read_text()
        if (found := source.count(self.before)) != 1:
            raise DoesNotApply(f"{self.file} holds {self.before!r} {found} times; expected it once")
        return source.replace(self.before, self.after)

    def missing_test(self) -> str:
        """The first of its tests that is not in the file it names; empty when all are there."""
        for test in self.tests:
            file, _, name = test.partition("::")
            path = ROOT / file
            function = name.partition("[")[0].rpartition("::")[2]
            if not path.exists() or (function and f"def {function}(" not in path.read_text()):
                return test
        return ""


@dataclass(frozen=True)
class Mutant:
    """One file with one bug in it, and the tests that should notice: `source` is the whole file."""

    area: str
    what: str
    file: str
    source: str
    tests: tuple[str, ...]

    def diff(self) -> str:
        """What differs from the file as it is."""
        before = (ROOT / self.file).read_text().splitlines()
        lines = difflib.unified_diff(before, self.source.splitlines(), self.file, self.file, n=1, lineterm="")
        return "\n".join(lines)


def listed() -> list[Rewrite]:
    """The bugs of the list, each with the area that its file is named for."""
    return [one for path in sorted(BUGS.glob("*.toml")) for one in _read(path, "bugs")]


def harmless() -> list[Rewrite]:
    """Rewrites that change nothing that a test should ask for; `what` says why."""
    return list(_read(HARMLESS, "harmless"))


def _read(path: Path, table: str) -> Iterator[Rewrite]:
    for given in tomllib.loads(path.read_text())[table]:
        test = given.get("test", ())
        tests = (test,) if isinstance(test, str) else tuple(test)
        # Literals of several lines end with the line before their quotes.
        before, after = given["before"].rstrip("\n"), given["after"].rstrip("\n")
        yield Rewrite(path.stem, given["what"], given["file"], before, after, tests)
