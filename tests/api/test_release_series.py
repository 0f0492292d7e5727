"""/api/v1/releases/{release}/series: a release over time."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from releases_app.models import Exposure, Stage
from releases_app.selectors import series
from releases_app.services.figures import keep_figures
from tests.api.contract import problem
from tests.support.cases import cases
from tests.support.releases import draft_of, move_on
from tests.support.selected_devices import ended, select_device
from walle.release.evidence import ArmCounts
from walle.release.findings import failure_bounds

pytestmark = pytest.mark.django_db

ARM = ("drawn", "offered", "installed", "healthy", "failed", "silent")


@pytest.fixture
def began():
    return timezone.now() - timedelta(minutes=10)


@pytest.fixture
def release(shop, digits, began):
    return move_on(draft_of(shop, digits, now=began), "start", now=began)


def last(found, arm="treatment"):
    return {name: found[arm][name][-1] for name in ARM}


def at_moment(found, moment: datetime, name, arm="treatment"):
    """A count at the first moment told that is not before one."""
    place = next(place for place, at in enumerate(found["at"]) if at >= moment.timestamp())
    return found[arm][name][place]


def test_counts_grow_as_things_happen(viewer, release, began):
    minutes = [began + timedelta(minutes=number) for number in range(6)]
    select_device(release, "a", minutes[0], installed_at=minutes[1], **ended(minutes[2], "success"))
    select_device(release, "b", minutes[0], installed_at=minutes[1], **ended(minutes[4], "failure"))
    select_device(release, "c", minutes[3], silent=False)
    select_device(release, "d", minutes[1], "control", **ended(minutes[2], "success"))
    found = viewer.get(f"releases/{release.pk}/series").json()
    assert last(found) == {"drawn": 3, "offered": 3, "installed": 2, "healthy": 1, "failed": 1, "silent": 0}
    assert last(found, "control") == {**dict.fromkeys(ARM, 0), "drawn": 1, "healthy": 1}
    step = timedelta(seconds=found["step_s"])
    assert [at_moment(found, minutes[2] + each, "healthy") for each in (-step, step)] == [0, 1]
    assert [at_moment(found, minutes[4] + each, "failed") for each in (-step, step)] == [0, 1]
    assert (found["treatment"]["rate"][0], found["treatment"]["rate"][-1]) == (None, 0.5)
    assert found["counted_at"] is None


def test_columns_are_of_one_length_and_moments_grow(viewer, release, began):
    select_device(release, "a", began)
    found = viewer.get(f"releases/{release.pk}/series").json()
    columns = [found["at"], found["low"], found["high"]]
    columns += [column for arm in ("treatment", "control") for column in found[arm].values()]
    assert {len(column) for column in columns} == {len(found["at"])}
    assert 100 < len(found["at"]) <= series.MOST_POINTS
    assert all(earlier < later for earlier, later in zip(found["at"], found["at"][1:], strict=False))


def test_silence_begins_when_its_time_is_over(viewer, release, began):
    release.strategy["silence_s"] = 120
    release.save()
    select_device(release, "a", began, silent=True)
    select_device(release, "b", began, "control", silent=True)
    found = viewer.get(f"releases/{release.pk}/series").json()
    for arm in ("treatment", "control"):
        moments = [began + timedelta(seconds=seconds) for seconds in (100, 125)]
        assert [at_moment(found, moment, "silent", arm) for moment in moments] == [0, 1]


def test_the_failure_rate_is_bounded_by_the_tests_own_evidence(viewer, release, began):
    for number in range(40):
        outcome = "failure" if number < 10 else "success"
        select_device(release, f"device-{number}", began, **ended(began + timedelta(seconds=10 * number), outcome))
    found = viewer.get(f"releases/{release.pk}/series").json()
    expected = failure_bounds(ArmCounts(drawn=40, reported=40, failed=10), release.parsed_strategy.limits)
    assert (found["low"][-1], found["high"][-1]) == expected
    assert (found["limit"], found["stop_rate"], found["stop_after"]) == (0.01, 0.5, 8)
    assert found["low"][-1] > found["limit"]


def test_events_are_moves_and_verdicts(releaser, release):
    releaser.post(f"releases/{release.pk}/pause", {"reason": "looking"})
    stage = Stage.objects.get(release=release)
    release.verdicts.create(stage=stage, kind="inconclusive", sentence="too few", evidence={}, at=timezone.now())
    found = releaser.get(f"releases/{release.pk}/series").json()["events"]
    assert [(event["kind"], event["name"], event["actor"], event["text"], event["position"]) for event in found] == [
        ("move", "start", "system", "", 0),
        ("move", "pause", "rita", "looking", 0),
        ("verdict", "inconclusive", "system", "too few", 0),
    ]


def test_a_release_that_ended_is_shown_until_its_last_moment(viewer, release, began):
    select_device(release, "a", began, **ended(began + timedelta(seconds=30), "success"))
    move_on(release, "complete", now=began + timedelta(seconds=60))
    found = viewer.get(f"releases/{release.pk}/series").json()
    assert found["step_s"] == 1
    assert found["at"][-1] - began.timestamp() == pytest.approx(61, abs=1.5)
    assert last(found)["healthy"] == 1


def test_a_draft_has_no_moments(viewer, shop, digits, began):
    draft = draft_of(shop, digits, now=began)
    found = viewer.get(f"releases/{draft.pk}/series").json()
    assert (found["at"], found["treatment"]["drawn"], found["events"], found["step_s"]) == ([], [], [], 0)


def test_many_devices_are_told_as_they_were_counted_last(viewer, release, began, monkeypatch):
    monkeypatch.setattr(series, "MANY", 2)
    select_device(release, "a", began)
    select_device(release, "b", began)
    keep_figures(now=timezone.now())
    select_device(release, "c", began)
    found = viewer.get(f"releases/{release.pk}/series").json()
    assert (last(found)["drawn"], found["counted_at"] is None) == (2, False)


def test_the_series_outlives_the_exposures(viewer, release, began):
    select_device(release, "a", began)
    keep_figures(now=timezone.now())
    Exposure.objects.all().delete()
    assert last(viewer.get(f"releases/{release.pk}/series").json())["drawn"] == 1


def test_it_asks_as_often_however_many_devices_there_are(viewer, release, began):
    counts = []
    for number in range(0, 60, 30):
        for device in range(number, number + 30):
            select_device(release, f"device-{device}", began)
        with CaptureQueriesContext(connection) as captured:
            viewer.get(f"releases/{release.pk}/series")
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 12


def test_only_for_those_who_may_see_the_release(nobody, developer, release):
    problem(nobody.get(f"releases/{release.pk}/series"), 404, "not-found")
    assert developer.get(f"releases/{release.pk}/series").status_code == 200


@cases("seconds", [0, 1, 238, 239, 5000, 86_400, 239 * 86_400, 10**9])
def test_steps_cover_any_time_with_few_points(seconds):
    step = series._step(seconds)
    assert (seconds + step) // step + 1 <= series.MOST_POINTS
