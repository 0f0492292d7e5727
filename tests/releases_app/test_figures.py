"""Figures of releases with many devices are counted from time to time, and kept beyond the exposures themselves."""

from datetime import timedelta

import pytest

from releases_app.models import Exposure, KeptFigures
from releases_app.selectors import evidence
from releases_app.selectors.evidence import count_figures, figures_of
from releases_app.services import figures
from releases_app.services.figures import keep_figures
from tests.api.conftest import NOW, camera, digits, folders, keys, register, shop  # noqa: F401
from tests.support.releases import draft_of, move_on

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(minutes=1)


@pytest.fixture
def release(shop, digits):  # noqa: F811
    return move_on(draft_of(shop, digits, now=NOW), "start", now=NOW)


def select(release, *devices):
    stage = release.stages.get()
    seen = {"app": release.app, "release": release.pk, "stage": stage.pk, "task": "camera/digits", "bucket": 1}
    Exposure.objects.bulk_create(
        Exposure(**seen, device=device, arm="treatment", drawn_at=NOW, offered_at=NOW) for device in devices
    )


def test_few_devices_are_counted_when_somebody_looks(release):
    select(release, "a")
    assert keep_figures(now=NOW) == [release.pk]
    select(release, "b")
    uncounted = {"counted_at": None, "exposures_deleted_at": None}
    assert figures_of(release, now=NOW) == {**count_figures(release, now=NOW), **uncounted}
    assert figures_of(release, now=NOW)["treatment"]["drawn"] == 2


def test_failures_after_a_stage_was_left_are_told_apart(release):
    select(release, "in-time", "late")
    release.stages.update(left_at=LATER)
    for device, seconds in (("in-time", 0), ("late", 1)):
        settled = {"outcome": "failure", "settled_at": LATER + timedelta(seconds=seconds)}
        Exposure.objects.filter(device=device).update(**settled)
    (stage,) = count_figures(release, now=LATER)["stages"]
    assert (stage["failed"], stage["failed_late"]) == (2, 1)


def test_many_are_shown_as_they_were_counted_last(release, monkeypatch):
    monkeypatch.setattr(evidence, "MANY", 2)
    select(release, "a", "b")
    keep_figures(now=NOW)
    select(release, "c")
    shown = figures_of(release, now=NOW)
    assert (shown["treatment"]["drawn"], shown["counted_at"]) == (2, NOW.isoformat())
    assert keep_figures(now=LATER) == [release.pk]
    kept = {"counted_at": LATER.isoformat(), "exposures_deleted_at": None}
    assert figures_of(release, now=NOW) == {**count_figures(release, now=NOW), **kept}


def test_what_takes_long_is_counted_less_often(release, monkeypatch):
    select(release, "a")
    keep_figures(now=NOW)
    KeptFigures.objects.update(took_s=1.0)
    assert keep_figures(now=LATER) == []
    assert keep_figures(now=NOW + timedelta(seconds=figures.REST_FACTOR)) == [release.pk]


def test_figures_outlive_exposures(release):
    select(release, "a", "b")
    keep_figures(now=NOW)
    Exposure.objects.all().delete()
    KeptFigures.objects.update(took_s=0.0)
    keep_figures(now=LATER)
    assert figures_of(release, now=NOW)["treatment"]["drawn"] == 2


def test_what_ended_long_ago_is_counted_once(release):
    move_on(release, "complete", now=NOW)
    assert keep_figures(now=NOW) == [release.pk]
    KeptFigures.objects.update(took_s=0.0)
    assert keep_figures(now=LATER) == [release.pk]
    assert keep_figures(now=NOW + figures.AFTER_ITS_END + timedelta(hours=1)) == []


def test_a_draft_has_nothing_to_be_counted(shop, digits):  # noqa: F811
    draft_of(shop, digits, now=NOW)
    assert keep_figures(now=NOW) == []
