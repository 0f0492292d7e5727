"""Names of events, such as `release.start`, and the patterns by which a webhook subscribes to them."""

import re
from collections.abc import Iterable
from typing import Final

_WORD: Final = "[a-z][a-z_-]{0,29}"
PATTERN_PATTERN: Final = re.compile(rf"\*|{_WORD}\.(?:\*|{_WORD})")


def is_pattern(text: str) -> bool:
    """Return whether the text is a pattern: an event, `release.start`; all of a family, `release.*`; or all, `*`."""
    return PATTERN_PATTERN.fullmatch(text) is not None


def is_heard(event: str, patterns: Iterable[str]) -> bool:
    """Return whether any of the patterns matches the event."""
    family, _, _ = event.partition(".")
    return not {"*", f"{family}.*", event}.isdisjoint(patterns)
