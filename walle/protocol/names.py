"""The names in the protocol and their syntax, and versions with their order and ranges.

Every `check_*` function takes any value, returns it unchanged if it is a valid name, and raises `InvalidNameError`
otherwise. They are safe on hostile input: none backtracks, and all work on bounded input.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import total_ordering
from typing import Final, Self

# The version of the device runtime: the entry point's signature, the Context and the task format together.
RUNTIME_VERSION: Final = "1.3.0"
STREAM_RUNTIME: Final = "1.1.0"
"""The first runtime that runs tasks on behaviour events, and that has the module walle_task."""
RUNTIME_BEFORE_STREAMS: Final = "1.0.0"
UPLOAD_RUNTIME: Final = "1.2.0"
"""The first runtime that uploads what tasks give (docs/task-format.md, `[upload]`)."""
RUNTIMES_BEFORE_UPLOADS: Final = (RUNTIME_BEFORE_STREAMS, "1.1.0")
STANDARD_APIS_RUNTIME: Final = "1.3.0"
"""The first runtime whose walle_task has functions for arrays and images, and tensors."""
RUNTIMES_BEFORE_STANDARD_APIS: Final = (*RUNTIMES_BEFORE_UPLOADS, "1.2.0")
WORKFLOW_RUNTIME: Final = "1.3.0"
"""The first runtime whose walle_task runs the halves of workflows."""

MAX_VERSION: Final = 64
MAX_BUNDLE_PATH: Final = 200

_SLUG = r"[a-z][a-z0-9-]{0,39}"
_NUMBER = r"(?:0|[1-9][0-9]*)"
_PRE_PART = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_PRE_AND_BUILD = rf"(?:-(?P<pre>{_PRE_PART}(?:\.{_PRE_PART})*))?(?:\+(?P<build>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"

SLUG_PATTERN: Final = re.compile(_SLUG)
TASK_NAME_PATTERN: Final = re.compile(f"{_SLUG}/{_SLUG}")
DEVICE_ID_PATTERN: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
NEW_DEVICE_ID_PATTERN: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
"""Of devices that enrol for the first time: a command would take an id that begins with "-" for an option."""
NEW_DEVICE_ID: Final = "1 to 64 of A-Z, a-z, 0-9, _ and -, not beginning with -"
DIGEST_PATTERN: Final = re.compile(r"[0-9a-f]{64}")
COMMIT_PATTERN: Final = re.compile(r"[0-9a-f]{40}")
BUNDLE_PATH_PATTERN: Final = re.compile(r"[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*")
VERSION_PATTERN: Final = re.compile(
    rf"(?P<major>{_NUMBER})\.(?P<minor>{_NUMBER})\.(?P<patch>{_NUMBER}){_PRE_AND_BUILD}"
)
# Versions of operating systems (Android "14", iOS "17.1") omit parts.
_LOOSE_PATTERN: Final = re.compile(
    rf"(?P<major>{_NUMBER})(?:\.(?P<minor>{_NUMBER})(?:\.(?P<patch>{_NUMBER}){_PRE_AND_BUILD})?)?"
)
_COMPARATOR_PATTERN: Final = re.compile(r"\s*(>=|<=|==|!=|>|<|=)\s*(\S+)\s*")


class InvalidNameError(ValueError):
    """A malformed name, version or range; the text says what was expected."""

    def __init__(self, what: str, expected: str, found: object) -> None:
        self.what, self.expected, self.found = what, expected, found
        shown = repr(found)
        shown = shown if len(shown) <= 100 else shown[:97] + "..."
        super().__init__(f"{what}: expected {expected}, found {shown}")


def _checked(value: object, pattern: re.Pattern[str], what: str, expected: str) -> str:
    if isinstance(value, str) and pattern.fullmatch(value):
        return value
    raise InvalidNameError(what, expected, value)


def check_slug(value: object, what: str = "name") -> str:
    """Check the short name of a scenario, a task or an app."""
    return _checked(value, SLUG_PATTERN, what, "a lowercase letter, then up to 39 of a-z, 0-9 and -")


def check_task_name(value: object) -> str:
    """Check the full name of a task, `scenario/task`."""
    return _checked(value, TASK_NAME_PATTERN, "task", "<scenario>/<task>, such as camera/digits")


def check_device_id(value: object) -> str:
    return _checked(value, DEVICE_ID_PATTERN, "device id", "1 to 64 of A-Z, a-z, 0-9, _ and -")


def check_digest(value: object) -> str:
    """Check a SHA-256 digest in hex."""
    return _checked(value, DIGEST_PATTERN, "digest", "64 lowercase hex digits")


def check_commit(value: object) -> str:
    return _checked(value, COMMIT_PATTERN, "commit", "40 lowercase hex digits")


def check_version(value: object) -> str:
    """Check the text of a semantic version; see `SemVer` for its meaning."""
    SemVer.parse(value)
    return str(value)


def check_bundle_path(value: object) -> str:
    """Check a path inside a bundle: relative, POSIX, never leaving the bundle."""
    expected = f"relative, of A-Z a-z 0-9 . _ - parts but no . or .., up to {MAX_BUNDLE_PATH} characters"
    path = _checked(value, BUNDLE_PATH_PATTERN, "bundle path", expected)
    if len(path) > MAX_BUNDLE_PATH or not {".", ".."}.isdisjoint(path.split("/")):
        raise InvalidNameError("bundle path", expected, value)
    return path


def is_valid(check: Callable[[object], object], value: object) -> bool:
    """Return whether `check` accepts the value, without raising."""
    try:
        check(value)
    except InvalidNameError:
        return False
    return True


def split_task_name(value: object) -> tuple[str, str]:
    """Split `camera/digits` into `("camera", "digits")`."""
    scenario, task = check_task_name(value).split("/")
    return scenario, task


def version_tag(task: str, version: str) -> str:
    """Return the git tag of a task's version, `digits/1.0.0`, without `refs/tags/`."""
    tag = f"{check_slug(task, 'task')}/{check_version(version)}"
    if tag.endswith(".lock"):
        raise InvalidNameError("version", "one that git can tag, which does not end in .lock", version)
    return tag


def split_version_tag(tag: object) -> tuple[str, SemVer]:
    """Return the task and version of a git tag. Raises InvalidNameError for another tag."""
    task, slash, version = tag.partition("/") if isinstance(tag, str) else ("", "", "")
    if not slash or not SLUG_PATTERN.fullmatch(task):
        raise InvalidNameError("tag", "<task>/<version>, such as digits/1.0.0", tag)
    return task, SemVer.parse(version)


@total_ordering
@dataclass(frozen=True, slots=True)
class SemVer:
    """A semantic version (semver.org 2.0.0).

    The order is total and agrees with equality: precedence first, then the build as text, so that sorting is
    deterministic. Compare `precedence` where builds do not count, as in semantic versioning.
    """

    major: int
    minor: int
    patch: int
    pre: tuple[int | str, ...] = ()
    build: tuple[str, ...] = ()

    @classmethod
    def parse(cls, value: object) -> Self:
        """Parse `MAJOR.MINOR.PATCH[-pre][+build]` of at most 64 characters. Raises InvalidNameError."""
        return cls._parse(value, VERSION_PATTERN, "a semantic version such as 1.2.3 or 1.2.3-rc.1")

    @classmethod
    def parse_loose(cls, value: object) -> Self:
        """Parse like `parse`, but with missing parts as 0: `14` is 14.0.0. For versions of operating systems."""
        return cls._parse(value, _LOOSE_PATTERN, "a version such as 14, 17.1 or 1.2.3")

    @classmethod
    def _parse(cls, value: object, pattern: re.Pattern[str], expected: str) -> Self:
        short = isinstance(value, str) and len(value) <= MAX_VERSION
        match = pattern.fullmatch(value) if short and isinstance(value, str) else None
        if match is None:
            raise InvalidNameError("version", f"{expected}, up to {MAX_VERSION} characters", value)
        pre, build = match["pre"], match["build"]
        return cls(
            int(match["major"]),
            int(match["minor"] or 0),
            int(match["patch"] or 0),
            tuple(int(part) if part.isdigit() else part for part in pre.split(".")) if pre else (),
            tuple(build.split(".")) if build else (),
        )

    @property
    def release(self) -> tuple[int, int, int]:
        return self.major, self.minor, self.patch

    @property
    def precedence(self) -> tuple[object, ...]:
        """A key whose order is the precedence of semver.org, paragraph 11."""
        parts = tuple((0, part, "") if isinstance(part, int) else (1, 0, part) for part in self.pre)
        return *self.release, not self.pre, parts

    @property
    def sort_key(self) -> str:
        """Text whose order by characters is the order of versions; at most 300 characters."""
        release = "".join(map(_number_key, self.release))
        pre = "".join(_number_key(part, "0") if isinstance(part, int) else f"1{part}!" for part in self.pre)
        return f"{release}{f'-{pre} ' if self.pre else '~'}{''.join(f'{part}!' for part in self.build)}"

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, SemVer):
            return NotImplemented
        return (*self.precedence, self.build) < (*other.precedence, other.build)

    def __str__(self) -> str:
        pre = "-" + ".".join(map(str, self.pre)) if self.pre else ""
        build = "+" + ".".join(self.build) if self.build else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}{build}"


def _number_key(number: int, prefix: str = "") -> str:
    return f"{prefix}{len(str(number)):02}{number}"


def _below(version: SemVer, bound: SemVer) -> bool:
    # 2.0.0-beta precedes 2.0.0, but "<2" is not meant to include it.
    if version.pre and not bound.pre and version.release == bound.release:
        return False
    return version.precedence < bound.precedence


_OPERATORS: Final[dict[str, Callable[[SemVer, SemVer], bool]]] = {
    ">=": lambda version, bound: version.precedence >= bound.precedence,
    "<=": lambda version, bound: version.precedence <= bound.precedence,
    ">": lambda version, bound: version.precedence > bound.precedence,
    "<": _below,
    "==": lambda version, bound: version.precedence == bound.precedence,
    "!=": lambda version, bound: version.precedence != bound.precedence,
}


@dataclass(frozen=True, slots=True)
class VersionRange:
    """Comparators that must all hold; none means any version.

    Omitted parts of a bound are 0 (`<2` is `<2.0.0`); builds do not count; `<2.0.0` excludes the pre-releases of 2.0.0,
    while `<2.0.0-rc.1` includes 2.0.0-beta.
    """

    comparators: tuple[tuple[str, SemVer], ...] = ()

    @classmethod
    def parse(cls, value: object) -> Self:
        """Parse `>=1.2,<2`: operators >= > <= < == (also =) !=, joined by commas; `*` is any version."""
        if not isinstance(value, str) or len(value) > 256:
            raise InvalidNameError("version range", "text such as >=1.2.0,<2", value)
        if value.strip() == "*":
            return cls()
        return cls(tuple(cls._comparator(part, value) for part in value.split(",")))

    @staticmethod
    def _comparator(part: str, value: str) -> tuple[str, SemVer]:
        match = _COMPARATOR_PATTERN.fullmatch(part)
        if match is None:
            raise InvalidNameError("version range", "comparators such as >=1.2.0,<2", value)
        operator = "==" if match[1] == "=" else match[1]
        return operator, SemVer.parse_loose(match[2])

    def allows(self, version: SemVer) -> bool:
        return all(_OPERATORS[operator](version, bound) for operator, bound in self.comparators)

    def __str__(self) -> str:
        return ",".join(f"{operator}{bound}" for operator, bound in self.comparators) or "*"
