"""Names of values, nodes and graphs, which come from strangers: what they may be, and how a text of theirs is shown."""

from __future__ import annotations

import re
from typing import Final

MAX_NAME: Final = 1000
"""The most characters of a name."""
NAME_WORDS: Final = f"1 to {MAX_NAME} characters, none of which steers a terminal"
_STEERING: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, those that turn the direction of writing, and halves of pairs, which cannot be encoded."""


def is_name(name: str) -> bool:
    """Return whether something can have a name."""
    return 0 < len(name) <= MAX_NAME and _STEERING.search(name) is None


def harmless(text: str) -> str:
    """Return a text with escapes in the place of characters that steer a terminal or cannot be encoded."""
    return _STEERING.sub(lambda found: ascii(found[0])[1:-1], text)
