"""The calibration in a moment: rates follow what was measured, its time is bounded, and what it omits is estimated."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walle_task.tensor.backends.own import OwnKernels
from walle_task.tensor.backends.port import BackendUnfit, CompileOptions
from walle_task.tensor.inference import infer_types
from walle_task.tensor.search.brief_calibrating import MOST_LOADING, SECONDS, adjusted_rates, briefly_calibrated
from walle_task.tensor.search.calibrating import Measured, likely
from walle_task.tensor.search.costs import BackendTraits, backend_cost, transferred_bytes
from walle_task.tensor.search.probes import brief_probes
from walle_task.tensor.search.reference_rates import reference_rates
from walle_task.tensor.task_models import OWN, TASK_BACKENDS, known_rates

OWN_RATES = reference_rates()[OWN]
SERIES = [OwnKernels(compiled=False).series(infer_types(graph)) for graph in brief_probes()]
RUNS_OF_A_GRAPH = 4


@dataclass
class Slower:
    """A backend that takes `times` as long for each run as a reference device; loading its library takes `loading`."""

    now: list[float]
    name: str = OWN
    times: float = 1.0
    loading: float = 0.0
    compiles: bool = True
    installed: bool = True
    runs: int = 0
    exact: bool = True
    traits = BackendTraits()

    def version(self):
        return "1" if self.installed else None

    def series(self, typed):
        return OwnKernels(compiled=False).series(typed)

    def compile(self, typed, _options):
        if not self.compiles:
            raise BackendUnfit(self.name, ["nothing"])
        self.now[0] += self.loading
        self.loading = 0.0
        self.seconds = backend_cost(OWN, self.series(typed), self.traits, OWN_RATES).seconds * self.times
        return self

    def run(self, _inputs):
        self.now[0] += self.seconds
        self.runs += 1
        return {}

    def close(self):
        pass


@dataclass
class Other(Slower):
    """A backend with another library."""


def calibrated(*backends, reference=None):
    now = backends[0].now
    return briefly_calibrated(
        backends, reference or {each.name: OWN_RATES for each in backends}, CompileOptions(), lambda: now[0]
    )


@settings(max_examples=5, deadline=None)
@given(st.floats(0.05, 50))
def test_a_device_that_is_slower_in_everything_has_slower_rates(times):
    rates = calibrated(Slower([0.0], times=times))[OWN]
    expected = OWN_RATES.slowed(times)
    for series in SERIES:
        found, wanted = (backend_cost(OWN, series, BackendTraits(), each).seconds for each in (rates, expected))
        assert found == pytest.approx(wanted, rel=0.02)


def test_kinds_of_work_that_are_slower_here_are_found():
    """Products take four times as long on this device, and nothing else does."""
    measured = []
    for series in SERIES:
        cost = backend_cost(OWN, series, BackendTraits(), OWN_RATES)
        products = sum(seconds for kind, seconds in cost.kinds.items() if "products" in kind)
        kinds = tuple(likely(series, BackendTraits()))
        measured.append(Measured(kinds, transferred_bytes(series), cost.seconds + 3 * products))
    rates = adjusted_rates(measured, OWN_RATES)
    for series, each in zip(SERIES, measured, strict=True):
        assert backend_cost(OWN, series, BackendTraits(), rates).seconds == pytest.approx(each.seconds, rel=0.25)


def test_a_slow_device_measures_less():
    backend = Slower([0.0], times=10_000)
    calibrated(backend)
    assert 1 <= backend.runs <= RUNS_OF_A_GRAPH * (len(SERIES) - 1)
    slowest = max(backend_cost(OWN, series, BackendTraits(), OWN_RATES).seconds for series in SERIES) * 10_000
    assert backend.now[0] <= SECONDS + RUNS_OF_A_GRAPH * slowest


def test_a_library_that_loads_long_is_not_loaded_but_estimated():
    now = [0.0]
    loading = OWN_RATES.slowed(1)
    large = {"large": OWN_RATES.__class__(loading.kinds, *([1e-6] * 5), per_process=2 * MOST_LOADING)}
    unmeasured = Other(now, name="large")
    found = calibrated(Slower(now, times=3), unmeasured, reference={OWN: OWN_RATES, **large})
    assert unmeasured.runs == 0
    assert found["large"].per_process == pytest.approx(6 * MOST_LOADING, rel=0.01)


def test_backends_of_one_library_take_as_long_to_load():
    now = [0.0]
    first, second = Other(now, name="float", loading=0.2), Other(now, name="int8")
    found = calibrated(first, second)
    assert found["float"].per_process == found["int8"].per_process == pytest.approx(0.2, rel=1e-3)


def test_what_is_not_installed_or_runs_nothing_changes_nothing():
    now = [0.0]
    found = calibrated(Slower(now), Other(now, name="broken", compiles=False), Other(now, name="none", installed=False))
    assert found.keys() == {OWN, "broken"}
    assert found["broken"] == OWN_RATES


@pytest.mark.parametrize(
    ("calibration", "reason"),
    [
        ({}, "nothing is known of this device"),
        ({"reason": "it is on fire"}, "it is on fire"),
        ({"rates": {"walle": {"kinds": {}}}}, "its calibration cannot be read (KeyError"),
        ({"rates": []}, "its calibration cannot be read (AttributeError"),
    ],
)
def test_without_a_calibration_the_reference_device_decides(calibration, reason):
    rates, found = known_rates(calibration)
    assert rates == reference_rates()
    assert found.startswith(reason)


def test_every_backend_of_tasks_has_rates_of_reference():
    assert {each.name for each in TASK_BACKENDS} == reference_rates().keys()
