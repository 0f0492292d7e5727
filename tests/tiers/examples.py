"""How many examples property-based tests try: WALLE_EXAMPLES times what they ask for; in CI fewer, and the same."""

from __future__ import annotations

import os
from typing import Any, Final

import pytest
from hypothesis import settings

IN_CI: Final = 0.4
"""The part of the examples that is tried in CI, where they are the same ones in each run."""


def load_profile() -> None:
    """Examples have no deadline: how long one takes says how busy the machine is."""
    same = are_the_same()
    settings.register_profile("walle", deadline=None, derandomize=same, database=None if same else settings().database)
    settings.load_profile("walle")


def are_the_same() -> bool:
    """Whether each run tries the same examples."""
    return os.environ.get("CI") == "true" and "WALLE_EXAMPLES" not in os.environ


def multiplied(count: int) -> int:
    """So many examples, for what states their number while it runs."""
    return max(1, round(count * _factor()))


def multiply(items: list[pytest.Item]) -> None:
    """Multiply the examples of collected tests, those included that state a number."""
    factor = _factor()
    if factor == 1:
        return
    done = set()
    for item in items:
        function: Any = getattr(item, "obj", None)
        function = getattr(function, "__func__", function)
        # A state machine has its settings as a test case, other tests as a function.
        place, name = function, "_hypothesis_internal_use_settings"
        if isinstance(getattr(getattr(item, "cls", None), "settings", None), settings):
            place, name = item.cls, "settings"  # type: ignore[attr-defined]
        asked = getattr(place, name, None)
        if asked is not None and place not in done:
            done.add(place)
            setattr(place, name, settings(asked, max_examples=multiplied(asked.max_examples)))


def _factor() -> float:
    return float(os.environ.get("WALLE_EXAMPLES") or (IN_CI if os.environ.get("CI") == "true" else 1))
