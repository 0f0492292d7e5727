"""How many examples property-based tests try: WALLE_EXAMPLES times what they ask for; in CI the same ones."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import settings


def load_profile() -> None:
    """Examples have no deadline: how long one takes says how busy the machine is."""
    same = are_the_same()
    settings.register_profile("walle", deadline=None, derandomize=same, database=None if same else settings().database)
    settings.load_profile("walle")


def are_the_same() -> bool:
    """Whether each run tries the same examples."""
    return os.environ.get("CI") == "true" and _factor() == 1


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
        asked = getattr(function, "_hypothesis_internal_use_settings", None)
        if asked is not None and function not in done:
            done.add(function)
            function._hypothesis_internal_use_settings = settings(asked, max_examples=multiplied(asked.max_examples))


def _factor() -> float:
    return float(os.environ.get("WALLE_EXAMPLES") or 1)
