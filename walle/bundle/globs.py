"""The patterns of `files.exclude`: `*` and `?` match inside one part of a path, `**` spans parts.

Matching keeps the set of positions reached so far, so that its time is at most pattern length times path length: there
is no backtracking that a hostile pattern could exploit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def is_excluded(patterns: Iterable[str], path: str) -> bool:
    """Return whether the path, or a folder that contains it, matches one of the patterns from the top of the tree."""
    parts = path.split("/")
    return any(_matches(pattern.split("/"), parts) for pattern in patterns)


def _matches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    reached = {0}
    for index, expected in enumerate(pattern):
        if expected == "**":
            # In the middle `**` may match no part; at the end it matches at least one, the content of the folder.
            first = min(reached, default=len(parts)) + (index == len(pattern) - 1)
            reached = set(range(first, len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and _part_matches(expected, parts[at])}
    return bool(reached)


def _part_matches(expected: str, part: str) -> bool:
    reached = {0}
    for character in expected:
        if character == "*":
            reached = set(range(min(reached, default=len(part) + 1), len(part) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(part) and character in ("?", part[at])}
    return len(part) in reached
