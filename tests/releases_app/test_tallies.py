"""The tallies that PostgreSQL keeps are what a count of the exposures gives, whatever is written, and by whom."""

import threading
from collections import Counter
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobs_app.models import Job
from jobs_app.runner import JobRun
from releases_app.jobs import compare_tallies, forget
from releases_app.models import Exposure, ExposureTally, Release, TalliedRelease
from releases_app.models.tallies import COUNTS
from releases_app.selectors.tallies import Group, release_tallies
from releases_app.services import tallies
from releases_app.services.reconciliation import reconcile
from releases_app.services.tallies import compare, ensure_tallied, fold, recount
from tests.api.conftest import NOW, camera, digits, folders, keys, register, shop  # noqa: F401
from tests.releases_app.trials import STAGED
from tests.support.releases import draft_of, move_on
from tests.support.waiting import ANSWER_S, wait_for

pytestmark = pytest.mark.django_db
STRATEGY = {**STAGED, "metric": "confidence", "limits": {"latency_ms": 50}}
BASELINE = {
    **{"latency_ms": 30.0, "warm_latency_ms": 20.0, "median": 0.5},
    **{
        "cold_grid": [5.0, 9.0, 20.0, 50.0, 60.0],
        "warm_grid": [9.0, 10.0, 15.0, 24.0],
        "metric_grid": [0.1, 0.3, 0.8, 0.9],
    },
}
COLD = dict(zip(("slower_25", "slower_50", "slower_75", "slower_95", "slower_99"), BASELINE["cold_grid"], strict=True))
WARM = {"warm_slower_25": 9.0, "warm_slower_50": 10.0, "warm_slower_75": 15.0, "warm_slower_95": 24.0}
LOW = dict(zip(("low_5", "low_25", "low_75", "low_95"), BASELINE["metric_grid"], strict=True))


@pytest.fixture
def release(shop, digits):  # noqa: F811
    made = move_on(draft_of(shop, digits, now=NOW, strategy=STRATEGY), "start", now=NOW)
    Release.objects.filter(pk=made.pk).update(baseline=BASELINE)
    return Release.objects.get(pk=made.pk)


def rows(release, *devices, **values):
    stage = values.pop("stage", 0)
    about = {"app": release.app, "release": release.pk, "stage": release.stages.get(position=stage).pk}
    about |= {"task": "camera/digits", "arm": "treatment", "bucket": 5, "drawn_at": NOW, **values}
    return [Exposure(**about, device=device) for device in devices]


def select(release, *devices, **values):
    Exposure.objects.bulk_create(rows(release, *devices, **values))


def counted(release):
    """The counts of each group, by the rules in words, without SQL."""
    found = {}
    held_back = {stage.pk for stage in release.stages.filter(position__lt=2)}  # the last stage takes control in
    for row in Exposure.objects.filter(release=release.pk):
        established = row.vouched or (row.first_seen is not None and row.first_seen < release.began_at)
        measured = isinstance(row.metrics.get("confidence"), int | float)
        said = {
            "drawn": True,
            "offered": row.offered_at,
            "installed": row.installed_at,
            "reported": row.outcome,
            "failed": row.outcome == "failure",
            "due": row.silent is not None,
            "silent": row.silent,
            "timed": row.cold_ms is not None,
            "slow": row.cold_ms is not None and row.cold_ms > 50,
            "slower": row.cold_ms is not None and row.cold_ms > 30,
            "warm_timed": row.warm_ms is not None,
            "warm_slow": row.warm_ms is not None and row.warm_ms > 50,
            "warm_slower": row.warm_ms is not None and row.warm_ms > 20,
            "measured": measured,
            "low": measured and row.metrics["confidence"] < 0.5,
            "comparable": row.stage in held_back
            and (row.arm == "control" or (row.arm == "treatment" and row.bucket < 200_000)),
            "warm_slower_99": False,
            **{name: row.cold_ms is not None and row.cold_ms > took_ms for name, took_ms in COLD.items()},
            **{name: row.warm_ms is not None and row.warm_ms > took_ms for name, took_ms in WARM.items()},
            **{name: measured and row.metrics["confidence"] < value for name, value in LOW.items()},
        }
        arm = "crossed" if row.crossed else row.arm
        counts = found.setdefault(Group(row.stage, arm, established), Counter())
        counts.update(name for name in COUNTS if said[name])
    return {group: tuple(counts[name] for name in COUNTS) for group, counts in found.items()}


def kept(release):
    """The tallies, without groups that have become empty."""
    return {group: counts for group, counts in release_tallies(release).groups.items() if any(counts)}


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "offered_at": st.sampled_from([None, NOW]),
        "installed_at": st.sampled_from([None, NOW]),
        "settled": st.sampled_from(["", "success", "failure"]),
        "silent": st.sampled_from([None, True, False]),
        "cold_ms": st.sampled_from([None, 10.0, 30.0, 40.0, 60.0]),
        "warm_ms": st.sampled_from([None, 10.0, 25.0, 60.0]),
        "metrics": st.sampled_from([{}, {"confidence": 0.2}, {"confidence": 0.9}, {"confidence": "low"}]),
        "vouched": st.booleans(),
        "crossed": st.booleans(),
        "first_seen": st.sampled_from([None, NOW - timedelta(days=1), NOW + timedelta(seconds=1)]),
    },
)
STEPS = st.one_of(
    st.tuples(
        st.just("select"),
        st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True),
        st.tuples(
            st.integers(0, 2), st.sampled_from(["treatment", "control", "repeat"]), st.sampled_from([5, 200_000])
        ),
    ),
    st.tuples(st.just("change"), st.lists(st.integers(0, 9), min_size=1, max_size=5, unique=True), CHANGES),
    st.tuples(st.just("delete"), st.lists(st.integers(0, 9), max_size=3), st.none()),
    st.tuples(st.sampled_from(["tally", "fold"]), st.none(), st.none()),
)


def somebody_waits():
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)")
        return cursor.fetchone()[0]


def columns(changes):
    changes = dict(changes)
    if (outcome := changes.pop("settled", None)) is not None:
        changes |= {"outcome": outcome, "settled_at": NOW if outcome else None}
    return changes


def take(release, step):
    what, numbers, values = step
    chosen = Exposure.objects.filter(release=release.pk, device__in=[f"d{number}" for number in numbers or ()])
    match what:
        case "select":
            stage, arm, bucket = values
            new = rows(release, *(f"d{number}" for number in numbers), stage=stage, arm=arm, bucket=bucket)
            Exposure.objects.bulk_create(new, ignore_conflicts=True)
        case "change" if columns(values):
            chosen.update(**columns(values))
        case "delete":
            chosen.delete()
        case "tally":
            ensure_tallied(release)
        case "fold":
            fold(release.pk)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=12))
def test_tallies_are_what_a_count_gives(release, steps):
    with transaction.atomic(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallies, "MOST_ROWS", 1)
        for step in steps:
            take(release, step)
            assert kept(release) == counted(release)
        ensure_tallied(release)
        assert kept(release) == counted(release)
        assert compare(TalliedRelease.objects.get(), now=NOW) == []
        transaction.set_rollback(True)


def test_a_look_begins_to_tally_and_sums_what_has_become_many(release, monkeypatch):
    monkeypatch.setattr(tallies, "MOST_ROWS", 3)
    select(release, "a", "b")
    reconcile(release=release.pk, now=NOW)
    assert ExposureTally.objects.count() == 1
    for name in "cdef":
        select(release, name)
    assert ExposureTally.objects.count() == 5
    reconcile(release=release.pk, now=NOW)
    assert ExposureTally.objects.count() == 1
    assert kept(release) == counted(release)


def test_statements_that_change_no_count_add_nothing(release):
    select(release, "a")
    ensure_tallied(release)
    Exposure.objects.update(error_class="x", number=7)
    assert ExposureTally.objects.count() == 1


def test_a_release_that_has_met_no_device_is_not_tallied(shop, digits):  # noqa: F811
    draft = draft_of(shop, digits, now=NOW)
    assert not ensure_tallied(draft)
    assert recount(draft, now=NOW) == []


def spoil(release):
    """As no process does: tallies without their exposures."""
    ensure_tallied(release)
    ExposureTally.objects.filter(release=release.pk).update(failed=5)


def test_the_nightly_comparison_names_what_differs_and_mends_nothing(release):
    select(release, "a", "b")
    spoil(release)
    result = compare_tallies(JobRun(Job(), owner="test", clock=lambda: NOW))
    stage = release.stages.get(position=0).pk
    found = f"release {release.pk}, stage {stage}, new devices in treatment: failed -5"
    assert result == {"compared": 1, "differing": 1, "differences": [found]}
    assert TalliedRelease.objects.get().differences == 1
    assert kept(release) != counted(release)


def test_the_command_mends_what_differs_and_says_so(release):
    select(release, "a", "b")
    spoil(release)
    out = StringIO()
    call_command("recount_exposures", release.pk, stdout=out)
    assert "new devices in treatment: failed -5" in out.getvalue()
    assert "1 releases counted, 1 tallies mended" in out.getvalue()
    assert kept(release) == counted(release)
    assert TalliedRelease.objects.get().differences == 0
    with pytest.raises(CommandError, match="expected releases that have met devices, found 999"):
        call_command("recount_exposures", 999)


def test_recounting_goes_by_thresholds_that_were_changed_by_hand(release):
    select(release, "a", cold_ms=35.0)
    ensure_tallied(release)
    Release.objects.filter(pk=release.pk).update(baseline={**BASELINE, "latency_ms": 40.0})
    (difference,) = recount(Release.objects.get(pk=release.pk), now=NOW)
    assert difference.counts == {"slower": -1}


def test_tallies_of_releases_that_nobody_looks_at_are_summed_too(release, monkeypatch):
    monkeypatch.setattr(tallies, "MOST_ROWS", 2)
    ensure_tallied(release)
    for name in "abc":
        select(release, name)
    assert forget(JobRun(Job(), owner="test", clock=lambda: NOW))["folded_tallies"] == 1
    assert ExposureTally.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_what_is_being_written_while_the_tallying_begins_is_counted_once(release):
    select(release, "a")
    written, waited_for = threading.Event(), []

    def write():
        try:
            with transaction.atomic():
                select(release, "b", "c")
                written.set()
                waited_for.append(wait_for(somebody_waits))
        finally:
            connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    assert written.wait(ANSWER_S)
    assert ensure_tallied(release)
    writer.join(ANSWER_S)
    assert waited_for == [True]
    select(release, "d")
    assert kept(release) == counted(release)
    assert sum(counts[0] for counts in counted(release).values()) == 4
