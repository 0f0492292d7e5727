"""Which offers a device may put off: those of new versions, for as long as their release allows; withdrawals never."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from walle.protocol.deferrals import MOST_S, Deferral
from walle.release.candidates import Change

DEFAULT_S: Final = 86_400.0
"""For how long a release allows devices to put it off, unless it says otherwise: everybody's quiet hours come by."""
LONGEST_S: Final = MOST_S


def may_wait_s(change: Change, withdrawn: Collection[str]) -> int:
    """Return for how many seconds a device may put off a change; `withdrawn` are tasks of which it has a withdrawn
    version. 0 for what takes the place of one, and for removals.
    """
    if isinstance(change, str) or change.task in withdrawn:
        return 0
    return change.defer_s


def is_put_off(change: Change, deferral: Deferral | None, withdrawn: Collection[str]) -> bool:
    """Return whether a device that says so in its check-in puts off a change."""
    if deferral is None or isinstance(change, str):
        return False
    return change.task not in deferral.due and may_wait_s(change, withdrawn) > 0
