"""A prediction: one release and one fleet, second by second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle.forecast.availability import Availability
from walle.forecast.calendar import Devices
from walle.forecast.cloud import NEW, OLD, ForecastCloud, Move
from walle.forecast.exposures import CONTROL, TREATMENT, Exposures
from walle.forecast.fleet import DeviceBehaviour, DeviceKind, ForecastFleet
from walle.forecast.gateways import Gateways
from walle.release.cohort import SALT_BYTES
from walle.release.decision import DevicePlan
from walle.release.states import ReleaseAction
from walle.release.strategy import Strategy
from walle.release.table import Entry
from walle.release.vectorized import choose_many

COLUMNS: Final = (
    *("online", "covered", "covered_online", "reached", "check_ins", "offers", "refused", "reverted"),
    *("stranded", "wrong_offers"),
)


@dataclass(frozen=True)
class ForecastScenario:
    """The input of a forecast: `rule` and `strategy` of the release, the fleet, how many gateways, and for how long."""

    rule: Mapping[str, Any]
    strategy: Strategy
    kinds: Sequence[DeviceKind]
    availability: Availability = field(default_factory=Availability)
    behaviour: DeviceBehaviour = field(default_factory=DeviceBehaviour)
    gateways: int = 4
    seconds: int = 1200
    seed: int = 2022


@dataclass(frozen=True)
class Prediction:
    """The result of a forecast: an array by second for each of COLUMNS, and the release's moves.

    Of the devices that the release is meant for: `online`; `covered`, which have the new version, and how many of these
    are online; `reached`, which were ever offered it. `check_ins` of all devices, with `offers` of the new version,
    those `refused` for its pace, and offers of the old version to devices with the new one (`reverted`). `stranded` are
    devices that have been online since before the rollback and still have the new version; `wrong_offers` were made to
    devices that the release is not meant for.
    """

    series: Mapping[str, NDArray[np.int64]]
    moves: Sequence[Move]


def predict(scenario: ForecastScenario) -> Prediction:
    """Run a release through the fleet; the same scenario always gives the same prediction."""
    forecast = Forecast(scenario)
    series = {name: np.zeros(scenario.seconds, np.int64) for name in COLUMNS}
    for second in range(scenario.seconds):
        now = forecast.turn(second)
        for name, values in series.items():
            values[second] = now[name]
    return Prediction(series, forecast.cloud.moves)


class Forecast:
    """The state of a forecast between two seconds: the fleet, the cloud, and what the cloud knows of the fleet."""

    def __init__(self, scenario: ForecastScenario) -> None:
        self._rng = np.random.default_rng(scenario.seed)
        salt = self._rng.bytes(SALT_BYTES)
        self._kinds = scenario.kinds
        self.fleet = ForecastFleet(
            scenario.kinds, scenario.availability, scenario.behaviour, scenario.seconds, self._rng
        )
        self.cloud = ForecastCloud(scenario.rule, scenario.strategy, salt, scenario.behaviour.interval)
        self._exposures = Exposures(len(self.fleet), scenario.strategy, salt, scenario.seconds)
        self._gateways = Gateways(scenario.gateways, self._rng)
        self.cloud.start()
        self._plan()
        self._reached = np.zeros(len(self.fleet), np.bool_)
        self._now = dict.fromkeys(COLUMNS, 0)
        self._weigh(np.flatnonzero(self.fleet.online).astype(np.int32), 1)

    def turn(self, second: int) -> Mapping[str, int]:
        """Simulate the next second; return the value of each of COLUMNS."""
        if self.cloud.tick(second, self._exposures):
            self._plan()
        self._weigh(self.fleet.depart(second), -1)
        arrived = self.fleet.arrive(second)
        self._weigh(arrived, 1)
        self._pull(second)
        self._run(second)
        self._check_in(np.concatenate([arrived, self.fleet.check_ins(second)]), second)
        self._now["stranded"] = self._stranded()
        return self._now

    def _plan(self) -> None:
        """Make the plans of devices by kind and version, OLD and NEW in turn, from the present table."""
        self._plans = [self.cloud.plan(kind.facts, version) for kind in self._kinds for version in (OLD, NEW)]
        self._entry = self.cloud.entry()

    def _weigh(self, devices: Devices, sign: int) -> None:
        """Record that devices come online or go offline."""
        self._now["online"] += sign * int(np.count_nonzero(self.fleet.targeted[devices]))
        self._now["covered_online"] += sign * self._covered(devices)

    def _covered(self, devices: Devices) -> int:
        return int(np.count_nonzero(self.fleet.targeted[devices] & (self.fleet.version[devices] == NEW)))

    def _pull(self, second: int) -> None:
        for version, devices in enumerate(self.fleet.pulled(second)):
            covered = self._covered(devices)
            self.fleet.install(version, devices, second)
            gained = self._covered(devices) - covered
            self._now["covered"] += gained
            self._now["covered_online"] += gained

    def _run(self, second: int) -> None:
        """Report first runs."""
        devices = self.fleet.ran(second)
        self._exposures.record_contacts(devices, second)
        behaviour, versions = self.fleet.behaviour, self.fleet.version[devices]
        for arm, version, failure in (
            (TREATMENT, NEW, behaviour.failure),
            (CONTROL, OLD, behaviour.old_failure),
        ):
            ran = devices[versions == version]
            self._exposures.report(arm, ran, self._rng.random(len(ran)) < failure)

    def _check_in(self, devices: Devices, second: int) -> None:
        """Check devices in: decide for all of a kind at once, then apply the pace to their offers."""
        self._exposures.record_contacts(devices, second)
        group = self.fleet.kind[devices] * 2 + self.fleet.version[devices]
        devices, sizes = devices[np.argsort(group, kind="stable")], np.bincount(group, minlength=len(self._plans))
        offered, held_back = np.full(len(devices), -1, np.int8), np.zeros(len(devices), np.bool_)
        for plan, end, size in zip(self._plans, np.cumsum(sizes), sizes, strict=True):
            if plan and size:
                part = slice(end - size, end)
                self._decide(plan, devices[part], offered[part], held_back[part])
        self._now["check_ins"] = len(devices)
        self._select(devices, offered, held_back, second)
        self._offer(devices, offered, second)
        self.fleet.answer(devices, offered, second)

    def _decide(
        self, plan: DevicePlan, devices: Devices, offered: NDArray[np.int8], held_back: NDArray[np.bool_]
    ) -> None:
        """Note which version each device of one plan should be offered, and which are held back from NEW."""
        choices = choose_many(plan, self.fleet.points(devices))
        for change, chosen in choices.changes:
            if isinstance(change, Entry):
                offered[chosen] = self.cloud.version_of(change)
        for _entry, chosen in choices.held_back:
            held_back[chosen] = True

    def _select(self, devices: Devices, offered: NDArray[np.int8], held_back: NDArray[np.bool_], second: int) -> None:
        """Record the selections for NEW while it is under observation; held-back devices run their version."""
        if self._entry is None or not self._entry.observed:
            return
        for arm, selected in ((TREATMENT, devices[offered == NEW]), (CONTROL, devices[held_back])):
            new = self._exposures.select(arm, selected, self.fleet.points(selected), second, self._entry.stage)
            self._weigh(self.fleet.lose(new), -1)
            if arm == CONTROL:
                self.fleet.run(new, second)

    def _offer(self, devices: Devices, offered: NDArray[np.int8], second: int) -> None:
        """Make offers of NEW as far as the pace allows; in `offered`, the others become -1."""
        wanting = self._rng.permutation(np.flatnonzero(offered == NEW))
        admitted = self._gateways.admit(len(wanting), self._entry.pace if self._entry else None)
        offered[wanting[~admitted]] = -1
        found = devices[wanting[admitted]]
        self._exposures.offer(found, second)
        targeted = self.fleet.targeted[found]
        self._now["wrong_offers"] = int(np.count_nonzero(~targeted))
        self._now["offers"], self._now["refused"] = len(found), len(wanting) - len(found)
        self._now["reverted"] = int(np.count_nonzero(offered == OLD))
        new = found[targeted & ~self._reached[found]]
        self._reached[new] = True
        self._now["reached"] += len(new)

    def _stranded(self) -> int:
        last = self.cloud.moves[-1]
        if last.action != ReleaseAction.ROLL_BACK or not self._now["covered_online"]:
            return 0
        left = np.flatnonzero(self.fleet.version == NEW)
        return int(np.count_nonzero(self.fleet.online[left] & (self.fleet.since[left] <= last.second)))
