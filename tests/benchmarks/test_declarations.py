"""What every benchmark says of itself before it is run."""

import re
from importlib import import_module

import pytest

from benchmarks.support.harness import Benchmark
from benchmarks.support.walle import ROOT
from tests.benchmarks.listing import NAMES, declared


@pytest.fixture(autouse=True)
def _stated_scale(monkeypatch):
    monkeypatch.delenv("BENCH_SCALE", raising=False)


@pytest.mark.parametrize("name", NAMES)
def test_claims_something_at_a_stated_scale(name):
    benchmark = declared(name)
    assert isinstance(benchmark, Benchmark)
    assert benchmark.name == name
    assert str(import_module(f"benchmarks.{name}").__doc__).startswith("Claim")
    assert benchmark.scale
    assert benchmark.targets
    assert benchmark.assumptions
    assert benchmark.judged


@pytest.mark.parametrize("name", NAMES)
def test_has_a_tiny_scale(name, monkeypatch):
    benchmark = declared(name)
    for size in benchmark.scale.values():
        assert 0 < size.tiny <= size.stated
    monkeypatch.setenv("BENCH_SCALE", "tiny")
    assert not benchmark.judged


@pytest.mark.parametrize("name", NAMES)
def test_every_target_is_one_bound_of_its_own_figure(name):
    targets = declared(name).targets
    assert len({target.figure for target in targets}) == len(targets)
    for target in targets:
        assert (target.at_least is None) != (target.at_most is None)


def test_the_guide_lists_every_benchmark():
    guide = (ROOT / "docs" / "guides" / "benchmarks.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", guide, re.MULTILINE) == NAMES
