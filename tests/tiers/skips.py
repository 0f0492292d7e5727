"""In CI a skipped test is a failed one, unless tests/tiers/skips.txt names it."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

LIST = Path(__file__).with_name("skips.txt")


def read_allowed(text: str) -> dict[str, str]:
    """Reasons by pattern of test names: a line `# reason` stands above the patterns that it is for."""
    allowed, reason = {}, ""
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("#"):
            reason = line.removeprefix("#").strip()
        else:
            assert reason, f"{line} has no reason above it"
            allowed[line] = reason
    return allowed


def is_allowed(nodeid: str, allowed: dict[str, str]) -> bool:
    # Brackets of parameters are no character classes here.
    return any(fnmatchcase(nodeid, pattern.replace("[", "[[]")) for pattern in allowed)
