"""Build the entries of a release in the table, from its state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from walle.release.cohort import BUCKETS
from walle.release.states import ENDED, ReleasePosition, ReleaseState
from walle.release.strategy import Strategy
from walle.release.table import Entry, Mode


def entries_of(
    release: Entry, strategy: Strategy, current: ReleasePosition, stages: Sequence[int], now: datetime
) -> Iterator[Entry]:
    """Return the entries of a release in force; `release` has its task, version, rule and salt, `stages` its stages.

    The beta devices named in a list stay in it whatever the gray share is.
    """
    position = current.position or 0
    share, defer_s = strategy.stages[position].share, int(strategy.defer_s)
    present = replace(release, stage=stages[position], share=share, defer_s=defer_s)
    if current.state == ReleaseState.COMPLETE:
        yield present
        return
    if current.state in ENDED:
        yield replace(present, mode=Mode.KEEP)
        return
    pace = strategy.stages[position].pace
    present = replace(present, **_offering(strategy, current, now), pace=pace, observed=True)
    for stage, stage_strategy in zip(stages[: position + 1], strategy.stages, strict=False):
        if stage_strategy.id_list:
            yield replace(present, rule=_within(release.rule, stage_strategy.id_list), share=BUCKETS, stage=stage)
    if present.share:
        yield replace(present, control=strategy.control_at(position))


def _offering(strategy: Strategy, current: ReleasePosition, now: datetime) -> dict[str, Any]:
    """Return whether offers are made now, and until when."""
    if current.state == ReleaseState.PAUSED:
        return {"mode": Mode.HOLD}
    if strategy.window is None:
        return {"mode": Mode.OFFER}
    closes = strategy.window.closes(now)
    return {"mode": Mode.OFFER, "open_until": int(closes.timestamp())} if closes else {"mode": Mode.HOLD}


def _within(rule: Mapping[str, Any], id_list: str) -> dict[str, Any]:
    return {"all": [dict(rule), {"list": id_list}]}
