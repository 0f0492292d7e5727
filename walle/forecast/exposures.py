"""The exposures of a release as the cloud records them: selected devices and their outcomes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from walle.forecast.calendar import Devices
from walle.release.cohort import Cohort, cohort_limit, cohort_number
from walle.release.evidence import ArmCounts, Evidence, SampleRatio
from walle.release.strategy import Strategy
from walle.release.vectorized import Points

NONE, TREATMENT, CONTROL = range(3)


class _Arm:
    """The counts of one arm. After its selection or offer, a device is awaited until its next check-in or report."""

    def __init__(self, horizon: int) -> None:
        self.drawn = self.offered = self.reported = self.failed = self.due = self.silent = self.comparable = 0
        self._awaited = np.zeros(horizon, np.int64)
        self._silent = np.zeros(horizon, np.int64)
        self._settled = 0

    def wait(self, second: int, count: int) -> None:
        self._awaited[second] += count
        self._silent[second] += count

    def record_contacts(self, since: NDArray[np.int32]) -> None:
        """Count devices that were awaited since these seconds as no longer silent."""
        self._silent -= np.bincount(since, minlength=len(self._silent))

    def settle(self, before: int) -> None:
        """Count devices that were awaited since before a second as due."""
        span = slice(self._settled, max(self._settled, before))
        self.due += int(self._awaited[span].sum())
        self.silent += int(self._silent[span].sum())
        self._settled = span.stop

    def counts(self) -> ArmCounts:
        names = ("drawn", "offered", "reported", "failed", "due", "silent")
        return ArmCounts(**{name: getattr(self, name) for name in names})


class Exposures:
    """One row per device of the fleet: whether, when and in which stage it was selected, and whether it is awaited.

    The ratio of the arms counts the selections in stages that hold the complete control group back, and of treatment
    those of the first gray stage but not of the beta stage before it.
    """

    def __init__(self, devices: int, strategy: Strategy, salt: bytes, horizon: int) -> None:
        self._strategy = strategy
        self._cohort = Cohort(salt)
        self._arm = np.zeros(devices, np.uint8)
        self._stage = np.zeros(devices, np.uint8)
        self._since = np.full(devices, -1, np.int32)
        self._awaited = np.zeros(devices, np.bool_)
        self._reported = np.zeros(devices, np.bool_)
        self._arms = {TREATMENT: _Arm(horizon), CONTROL: _Arm(horizon)}
        self._reported_in_stage = [0] * len(strategy.stages)

    def select(self, arm: int, devices: Devices, points: Points, second: int, position: int) -> Devices:
        """Select devices during a stage; only the first selection counts. Returns the newly selected ones."""
        new = self._arm[devices] == NONE
        devices, counts = devices[new], self._arms[arm]
        self._arm[devices], self._stage[devices] = arm, position
        counts.drawn += len(devices)
        if self._strategy.is_compared(position):
            counts.comparable += len(devices) if arm == CONTROL else self._comparable(points[new])
        if arm == CONTROL:
            self._wait(CONTROL, devices, second)
        return devices

    def offer(self, devices: Devices, second: int) -> None:
        """Offer the version to devices selected for treatment."""
        first = devices[(self._arm[devices] == TREATMENT) & (self._since[devices] < 0)]
        self._arms[TREATMENT].offered += len(first)
        self._wait(TREATMENT, first, second)

    def record_contacts(self, devices: Devices, second: int) -> None:
        """Record check-ins or reports of devices."""
        contacted = devices[self._awaited[devices]]
        contacted = contacted[self._since[contacted] < second]
        self._awaited[contacted] = False
        for arm, counts in self._arms.items():
            counts.record_contacts(self._since[contacted[self._arm[contacted] == arm]])

    def report(self, arm: int, devices: Devices, failures: NDArray[np.bool_]) -> None:
        """Record first runs after the selection; a device has one outcome, its first."""
        first = (self._arm[devices] == arm) & ~self._reported[devices]
        devices, counts = devices[first], self._arms[arm]
        self._reported[devices] = True
        counts.reported += len(devices)
        counts.failed += int(failures[first].sum())
        if arm == TREATMENT:
            for position, count in enumerate(np.bincount(self._stage[devices])):
                self._reported_in_stage[position] += int(count)

    def arm_of(self, devices: Devices) -> NDArray[np.uint8]:
        return self._arm[devices]

    def reported_in(self, position: int) -> int:
        """Return how many devices selected during a stage have reported."""
        return self._reported_in_stage[position]

    def evidence(self, silent_before: int) -> Evidence:
        """Return the evidence; devices still awaited since before second `silent_before` are silent."""
        for arm in self._arms.values():
            arm.settle(silent_before)
        treatment, control = self._arms[TREATMENT], self._arms[CONTROL]
        if not self._strategy.control:
            return Evidence(treatment.counts())
        low, high = self._strategy.compared_buckets
        ratio = SampleRatio(treatment.comparable, control.comparable, high - low, self._strategy.control_share)
        return Evidence(treatment.counts(), control.counts(), ratio)

    def _comparable(self, points: Points) -> int:
        """Return how many of the devices are in the first gray stage but not in the beta stage before it."""
        numbers = cohort_number(self._cohort.factor, self._cohort.offset, points)
        low, high = map(cohort_limit, self._strategy.compared_buckets)
        return int(np.count_nonzero((numbers >= low) & (numbers < high)))

    def _wait(self, arm: int, devices: Devices, second: int) -> None:
        self._since[devices] = second
        self._awaited[devices] = True
        self._arms[arm].wait(second, len(devices))
