"""The moment for installing new versions: the app, or a condition such as running on battery, may say "not now".

What may wait is said by the offer, and for how long by its release. Withdrawals never wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from walle.device.storage.state import DeviceState, PutOff
from walle.protocol.deferrals import MOST_S, check_reason, write_deferral

Condition = Callable[[], str | None]
"""Returns the reason why now is not the moment, None if it is; asked before each check-in and each installation."""
CONDITION_S: Final = 3600.0
"""The seconds for which a condition that holds is expected to hold on."""
POWER_SUPPLIES: Final = Path("/sys/class/power_supply")


class NotNow(NamedTuple):
    """Why offers that may wait are not carried out now, and for how many seconds more."""

    reason: str
    seconds: float


class Moments:
    """Whether offers that may wait are carried out now. For any thread; `monotonic` returns seconds.

    `changed` is called when the app says that any moment is good again.
    """

    def __init__(self, monotonic: Callable[[], float], conditions: Sequence[Condition] = ()) -> None:
        self._monotonic, self._conditions = monotonic, tuple(conditions)
        self.changed: Callable[[], None] = lambda: None
        self._said: tuple[str, float] | None = None

    def not_now(self, reason: str, seconds: float) -> None:
        """Carry out no offer that may wait for so many seconds from now. Raises ValueError."""
        if not 0 < seconds <= MOST_S:
            raise ValueError(f"expected seconds, more than 0 and at most {MOST_S}; found {seconds!r}")
        self._said = check_reason(reason), self._monotonic() + seconds

    def any_time(self) -> None:
        """Take back what `not_now` said: from now on any moment is good, unless a condition says otherwise."""
        self._said = None
        self.changed()

    def present(self) -> NotNow | None:
        """Return why now is not the moment, and how long that lasts; None if it is."""
        if (said := self._said) and (left := said[1] - self._monotonic()) > 0:
            return NotNow(said[0], left)
        reason = next((found for condition in self._conditions if (found := condition())), None)
        return NotNow(reason, CONDITION_S) if reason else None


def put_off(state: DeviceState, task: str, manifest: str, defer_s: int | None, now: float) -> PutOff | None:
    """Return the offer of a manifest as put off, from the first time on; None if it may not, or no longer, wait."""
    if not defer_s:
        return None
    known = state.put_off.get(task)
    since = known.since if known and known.manifest == manifest else now
    offer = PutOff(manifest, since, since + min(defer_s, MOST_S))
    return None if offer.is_due(now) else offer


def deferral_header(moments: Moments, state: DeviceState, now: float) -> str:
    """Return what a check-in says about the moment: the header Walle-Deferral, "" if any moment is good."""
    not_now = moments.present()
    return write_deferral(*not_now, state.due(now)) if not_now else ""


def on_battery(supplies: Path = POWER_SUPPLIES) -> str | None:
    """Return "on-battery" where Linux says that no mains supply is online and that a battery discharges."""
    kinds = {folder: _read(folder / "type") for folder in supplies.glob("*")}
    if any(kind in ("Mains", "USB") and _read(folder / "online") == "1" for folder, kind in kinds.items()):
        return None
    discharges = (kind == "Battery" and _read(folder / "status") == "Discharging" for folder, kind in kinds.items())
    return "on-battery" if any(discharges) else None


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except (OSError, ValueError):
        return ""
