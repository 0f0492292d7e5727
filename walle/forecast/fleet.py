"""The devices of a forecast: their facts and versions, and when they check in, pull and run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from walle.forecast.availability import Availability, Seconds, whole_seconds
from walle.forecast.calendar import Calendar, Devices
from walle.forecast.cloud import OLD
from walle.release.vectorized import Points


@dataclass(frozen=True)
class DeviceKind:
    """A number of devices with these facts; `targeted` says whether the release is meant for them."""

    facts: Mapping[str, Any]
    devices: int
    targeted: bool


@dataclass(frozen=True)
class DeviceBehaviour:
    """The behaviour of devices, in seconds and probabilities.

    A device checks in when it comes online and then every `interval` as the gateway spreads it, after 0.9 to 1.1
    intervals (walle.gateway.checkin). A pull takes `pull_s` at the median, log-normal with `pull_sigma`, at most
    `pull_at_most_s`; it starts again if the session ends before. The task runs within `run_s` after a version is
    installed or, in the control group, after the selection; if the session ends before, in the next one. A run of the
    new version fails with the probability `failure`, of the old one with `old_failure`. Of the devices selected in
    either arm, the share `lost` never checks in again.
    """

    interval: int = 60
    pull_s: float = 1.0
    pull_sigma: float = 0.5
    pull_at_most_s: float = 20.0
    run_s: int = 8
    failure: float = 0.01
    old_failure: float = 0.01
    lost: float = 0.001


class ForecastFleet:
    """The fleet: columns by device, and calendars of their next actions."""

    def __init__(
        self,
        kinds: Sequence[DeviceKind],
        availability: Availability,
        behaviour: DeviceBehaviour,
        horizon: int,
        rng: np.random.Generator,
    ) -> None:
        size = sum(kind.devices for kind in kinds)
        self.behaviour = behaviour
        self._availability, self._rng = availability, rng
        self.kind = rng.permuted(np.repeat(np.arange(len(kinds), dtype=np.uint8), [kind.devices for kind in kinds]))
        self.targeted = np.array([kind.targeted for kind in kinds])[self.kind]
        self._point = rng.integers(0, 1 << 32, size, dtype=np.uint32)
        self.version = np.full(size, OLD, np.uint8)
        self.since, self._end = availability.first(size, rng)
        self.online = self.since <= 0
        self._lost = np.zeros(size, np.bool_)
        self._owes = np.zeros(size, np.bool_)
        self._arrivals, self._departures, self._check_ins, self._runs = (Calendar(horizon) for _ in range(4))
        self._pulls = [Calendar(horizon), Calendar(horizon)]
        self._arrivals.add(self.since[~self.online], _devices(~self.online))
        self._departures.add(self._end[self.online], _devices(self.online))
        self._begin(_devices(self.online))

    def __len__(self) -> int:
        return len(self.kind)

    def points(self, devices: Devices) -> Points:
        """Return the points of devices, as for ids that are as random as UUIDs."""
        return self._point[devices].astype(np.uint64)

    def depart(self, second: int) -> Devices:
        """End sessions and enter the start of their devices' next ones."""
        devices = self._departures.take(second)
        devices = devices[~self._lost[devices]]
        self.online[devices] = False
        self.since[devices], self._end[devices] = self._availability.after(self._end[devices], self._rng)
        self._arrivals.add(self.since[devices], devices)
        return devices

    def arrive(self, second: int) -> Devices:
        """Start sessions; runs that an earlier session was too short for come soon."""
        devices = self._arrivals.take(second)
        self.online[devices] = True
        self._departures.add(self._end[devices], devices)
        self.run(devices[self._owes[devices]], second)
        return devices

    def check_ins(self, second: int) -> Devices:
        """Return the devices that check in again."""
        return self._check_ins.take(second)

    def pulled(self, second: int) -> list[Devices]:
        """Return the devices that have pulled a version, by version."""
        return [pulls.take(second) for pulls in self._pulls]

    def install(self, version: int, devices: Devices, second: int) -> None:
        """Install a version on devices, which run it soon."""
        self.version[devices] = version
        self.run(devices, second)

    def ran(self, second: int) -> Devices:
        """Return the devices that run the task for the first time since its installation or their selection."""
        return self._runs.take(second)

    def run(self, devices: Devices, second: int) -> None:
        """Let devices run the task soon, or in their next session."""
        due = second + self._rng.integers(1, self.behaviour.run_s + 1, len(devices), dtype=np.int32)
        in_time = due < self._end[devices]
        self._owes[devices] = ~in_time
        self._runs.add(due[in_time], devices[in_time])

    def lose(self, selected: Devices) -> Devices:
        """Lose some of the selected devices for ever; return them."""
        lost = selected[self._rng.random(len(selected)) < self.behaviour.lost]
        self._lost[lost] = True
        self.online[lost] = False
        self._end[lost] = -1
        return lost

    def answer(self, devices: Devices, offered: NDArray[np.int8], second: int) -> None:
        """Answer devices: they pull the version that they were offered (-1: none), and check in again later."""
        busy = np.zeros(len(devices), np.int32)
        for version, pulls in enumerate(self._pulls):
            chosen = offered == version
            busy[chosen] = self._pull_times(int(chosen.sum()))
            self._enter(pulls, second + busy[chosen], devices[chosen])
        self._enter(self._check_ins, second + busy + self._waits(len(devices)), devices)

    def _begin(self, online: Devices) -> None:
        """Start with the devices that are online, which have checked in since their session began."""
        waits = self._waits(len(online))
        self._enter(self._check_ins, waits - -self.since[online] % waits, online)

    def _enter(self, calendar: Calendar, seconds: Seconds, devices: Devices) -> None:
        """Enter an action, unless the session ends before it."""
        in_time = seconds < self._end[devices]
        calendar.add(seconds[in_time], devices[in_time])

    def _waits(self, count: int) -> Seconds:
        """Return the seconds from an answer to the next check-in."""
        requested = self._rng.random(count, dtype=np.float32)
        return whole_seconds(self.behaviour.interval * (0.9 + requested / 5))

    def _pull_times(self, count: int) -> Seconds:
        times = self._rng.lognormal(np.log(self.behaviour.pull_s), self.behaviour.pull_sigma, count)
        return whole_seconds(np.ceil(np.minimum(times, self.behaviour.pull_at_most_s)))


def _devices(mask: NDArray[np.bool_]) -> Devices:
    return np.flatnonzero(mask).astype(np.int32)
