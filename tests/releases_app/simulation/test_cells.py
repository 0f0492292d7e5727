"""Simulations from the start of a release to their verdict, with real runs."""

import pytest

from accounts_app.actors import SYSTEM
from devices_app.services.apps import declare_profile
from releases_app.services.releases import create_release
from releases_app.services.simulation import RECONCILE, outcome
from tests.releases_app.simulation.running import ANY, NOW, SIMULATED, looks_due, matrix, work
from tests.support.profiles import profile
from tests.support.releases import move_on
from tests.tasks_app.working_copy import GOOD, MAIN, TASK
from walle.release.rules import uniform

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_good_task_passes_in_every_cell_and_the_release_is_looked_at_once(declare, started):
    declare(v1_0_0=profile(), v2_0_0=profile(os={"android": ["13", "14"], "ios": ["17"]}))
    release = started()
    assert (release.state, outcome(release).kind) == ("simulating", "pending")
    assert looks_due(release) == 0
    work()
    assert matrix(release) == dict.fromkeys(
        ["1.0.0 android 14", "2.0.0 android 13", "2.0.0 android 14", "2.0.0 ios 17"], "passed"
    )
    verdict = outcome(release)
    assert (verdict.kind, verdict.sentence) == ("pass", "4 cells passed")
    assert verdict.summary == {"attempt": 1, "cells": {"passed": 4}, "reasons": {}}
    assert looks_due(release) == 1
    cell = release.simulation_cells.first()
    assert (cell.started_at, cell.finished_at, cell.sentence) == (NOW, NOW, "1 sample passed")
    assert cell.profile["python"] == "3.11"
    [sample] = cell.result["samples"]
    assert (sample["name"], sample["passed"], sample["error_class"]) == ("one", True, None)
    assert cell.result["limits"] == {"time_ms": 2000, "memory_mb": 256, "output_kb": 64}


def test_the_verdict_moves_the_release(declare, started):
    declare(v1_0_0=profile())
    good = started()
    work()
    work(until=RECONCILE)
    good.refresh_from_db()
    assert good.state == "running"
    bad = started({**GOOD, "main.py": "def run(inputs, context): return {'double': 3}\n"})
    work()
    work(until=RECONCILE)
    bad.refresh_from_db()
    assert bad.state == "rejected"
    assert "sample 'one': double: expected 2, found 3" in bad.transitions.order_by("-id").first().reason


def test_a_task_that_cannot_run_on_one_versions_profile_fails_there_only(declare, started):
    needs_comb = {**GOOD, "main.py": "import math\n" + MAIN.replace("2 *", "math.comb(2, 1) *")}
    declare(v1_0_0=profile(without=["math.comb"]), v2_0_0=profile())
    release = started(needs_comb)
    work()
    assert matrix(release) == {"1.0.0 android 14": "failed", "2.0.0 android 14": "passed"}
    verdict = outcome(release)
    assert verdict.kind == "fail"
    assert verdict.sentence == (
        "1 of 2 cells failed: app 1.0.0 on android 14: sample 'one': exception:AttributeError: "
        "AttributeError: module 'math' has no attribute 'comb' (main.py:3)"
    )
    assert "AttributeError" in release.simulation_cells.first().logs


def test_what_one_system_has_of_its_own_counts_there(declare, started):
    hungry = {**GOOD, "main.py": "def run(inputs, context):\n    bytearray(60_000_000)\n    return {'double': 2}\n"}
    declare(v1_0_0=profile(os={"android": {"9": {"memory_mb": 32}, "14": {}}}))
    release = started(hungry)
    work()
    assert matrix(release) == {"1.0.0 android 9": "failed", "1.0.0 android 14": "passed"}
    assert "memory-limit: the task ran out of memory (at most 32 MB here)" in outcome(release).sentence


def test_only_what_the_rule_can_reach_is_simulated(declare, started):
    declare(v1_0_0={}, v2_0_0=profile(os={"android": ["13", "14"], "ios": ["17"]}), v3_0_0=profile())
    rule = {"all": [uniform(["2.0.0", "3.0.0"]), {"not": {"fact": "os", "equals": "ios"}}]}
    rule["all"].append({"fact": "os_version", "version": ">=14"})
    release = started(rule=rule)
    assert list(matrix(release)) == ["2.0.0 android 14", "3.0.0 android 14"]


def test_devices_that_would_refuse_the_task_are_excluded(declare, started):
    declare(v1_0_0=profile(sdk="0.9.0"), v2_0_0=profile())
    demanding = {**GOOD, "task.toml": TASK + '\n[requires]\nruntime = ">=1.0.0"\n'}
    release = started(demanding)
    work()
    assert matrix(release) == {"1.0.0 android 14": "excluded", "2.0.0 android 14": "passed"}
    assert outcome(release).sentence == "1 cell passed, 1 excluded by the task's requirements"


# -- failing closed ------------------------------------------------------------------------------------------


def test_where_every_device_would_refuse_nothing_was_tested(declare, started):
    declare(v1_0_0=profile(sdk="0.9.0"))
    release = started({**GOOD, "task.toml": TASK + '\n[requires]\nruntime = ">=1.0.0"\n'})
    work()
    verdict = outcome(release)
    assert verdict.kind == "error"
    assert verdict.sentence.startswith(
        "nothing was tested: no device that the release can reach would install the task"
    )


def test_a_version_without_a_profile_is_an_error_that_says_what_to_do(declare, started, shop):
    declare(v1_0_0={}, v2_0_0=profile())
    release = started()
    work()
    assert matrix(release) == {"2.0.0 android 14": "passed", "1.0.0  ": "error"}
    verdict = outcome(release)
    assert verdict.kind == "error"
    assert verdict.sentence == (
        "1 of 2 cells could not be tested: app 1.0.0: no profile is declared; declare one with "
        "PATCH /api/v1/apps/shop/versions/1.0.0 (docs/guides/simulation.md)"
    )


def test_once_the_profile_is_declared_the_simulation_is_made_anew(declare, started, shop):
    declare(v1_0_0={})
    release = started()
    assert looks_due(release) == 1
    work(until=RECONCILE)
    release.refresh_from_db()
    assert release.state == "paused"
    declare_profile(version=shop.versions.get(), profile=profile(), actor=SYSTEM)
    move_on(release, "resume", now=NOW)
    work()
    assert outcome(release).summary == {"attempt": 2, "cells": {"passed": 1}, "reasons": {}}
    assert release.simulation_cells.filter(attempt=1).get().state == "error"


@pytest.mark.parametrize(
    ("profiles", "rule", "sentence"),
    [
        ({}, ANY, "of the declared versions of shop (there are none)"),
        ({"v1_0_0": profile()}, {"fact": "os", "equals": "ios"}, "of the declared versions of shop (1.0.0)"),
    ],
)
def test_a_release_without_cells_is_an_error(declare, started, profiles, rule, sentence):
    declare(**profiles)
    release = started(rule=rule)
    verdict = outcome(release)
    assert (verdict.kind, looks_due(release)) == ("error", 1)
    assert "nothing can be tested" in verdict.sentence
    assert sentence in verdict.sentence


def test_a_simulation_that_was_never_begun_is_an_error(shop, register):
    release = create_release(app=shop, version=register(GOOD), rule=ANY, strategy=SIMULATED, actor=SYSTEM, now=NOW)
    assert outcome(release).kind == "error"


def test_a_task_without_samples_fails_and_says_how_to_add_one(declare, started):
    declare(v1_0_0=profile())
    release = started({**GOOD, "task.toml": TASK.partition("[[samples]]")[0]})
    work()
    verdict = outcome(release)
    assert verdict.kind == "fail"
    assert "the task has no samples, so nothing can be tried: add to task.toml a [[samples]]" in verdict.sentence


def test_too_many_cells_are_refused(declare, started):
    many = {f"s{number}": [str(n) for n in range(1, 51)] for number in range(20)}
    declare(v1_0_0=profile(os=many), v1_0_1=profile())
    release = started()
    assert "expected at most 1000 cells, found 1001" in outcome(release).sentence
