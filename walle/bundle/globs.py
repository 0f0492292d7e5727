"""The patterns of `files.exclude`: `*` and `?` stay inside one part of a path, `**` spans parts.

Matching keeps the set of places reached so far, so its time is bounded by pattern times path: a pattern
written to make a matcher backtrack gains nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def is_excluded(patterns: Iterable[str], path: str) -> bool:
    """Whether the path, or a folder that holds it, matches one of the patterns from the top of the tree."""
    parts = path.split("/")
    return any(_matches(pattern.split("/"), parts) for pattern in patterns)


def _matches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    reached = {0}
    for index, wanted in enumerate(pattern):
        if wanted == "**":
            # In the middle `**` may stand for no folder; at the end it is what the folder holds.
            first = min(reached, default=len(parts)) + (index == len(pattern) - 1)
            reached = set(range(first, len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and _part_matches(wanted, parts[at])}
    return bool(reached)


def _part_matches(wanted: str, part: str) -> bool:
    reached = {0}
    for character in wanted:
        if character == "*":
            reached = set(range(min(reached, default=len(part) + 1), len(part) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(part) and character in ("?", part[at])}
    return len(part) in reached
