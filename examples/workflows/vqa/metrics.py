"""How right the operators are, in percent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from models import said


def features(envelopes: Sequence[Any], truths: Sequence[dict[str, str]]) -> float:
    """Return the share of all three questions that can be answered from an image."""
    right = [
        said(each.records[0], asked) == truth for each in envelopes for asked, truth in truths[each.number].items()
    ]
    return 100 * sum(right) / len(right)


def speech(envelopes: Sequence[Any], truths: Sequence[tuple[str, ...]]) -> float:
    """Return the share of words that are understood."""
    right = [a == b for each in envelopes for a, b in zip(each.records[0], truths[each.number], strict=True)]
    return 100 * sum(right) / len(right)


def answer(envelopes: Sequence[Any], truths: Sequence[str]) -> float:
    """Return the share of right answers."""
    return 100 * sum(each.records[0] == truths[each.number] for each in envelopes) / len(envelopes)
