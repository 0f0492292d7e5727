"""A gray release of a pipeline: a share of its callers, and a verdict from what they got."""

from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError

from accounts_app.actors import SYSTEM
from devices_app.models import Device
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys
from releases_app.models import Exposure, StoredVerdict
from releases_app.selectors.tallies import release_tallies
from releases_app.services.releases import act
from tests.serving_app.callers import STAGED, Callers, answered, completed, look, pipeline_version, release_of
from walle.release.states import ReleaseAction, ReleaseState

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def callers():
    """Five hundred users of a shop, all answered by version 1.0.0, of which some were told about."""
    ensure_keys(now=NOW)
    shop = create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)
    completed(shop, pipeline_version("1.0.0"), NOW)
    found = Callers(shop, 500, NOW)
    found.call(lambda version, number: answered())
    return found


@pytest.fixture
def gray(callers):
    """A release of version 1.1.0 in its first stage."""
    return release_of(callers.app, pipeline_version("1.1.0"), STAGED, callers.now)


def test_a_share_of_the_callers_is_answered_by_the_new_version_and_counts_with_those_held_back(callers, gray):
    callers.call(lambda version, number: answered())
    new = sum(version == "1.1.0" for version in callers.versions().values())
    assert set(callers.versions().values()) == {"1.0.0", "1.1.0"}
    assert 100 < new < 200
    tallies = release_tallies(gray).of_arms(gray.stages.get(position=0))
    assert (tallies.treatment.counts.drawn, tallies.treatment.counts.reported) == (new, new)
    assert tallies.treatment.installed == new
    assert 100 < tallies.control.counts.drawn == tallies.control.counts.reported < 200
    assert tallies.treatment.counts.failed == tallies.control.counts.failed == 0
    assert tallies.new_treatment.counts.drawn == 0


def test_callers_are_in_no_registry_of_devices(callers, gray):
    callers.call(lambda version, number: answered())
    assert not Device.objects.exists()
    first = Exposure.objects.filter(release=gray.pk).first()
    assert first.vouched
    assert first.first_seen == first.drawn_at


def test_a_good_version_reaches_every_caller(callers, gray):
    for _ in range(3):
        callers.call(lambda version, number: answered())
        callers.pass_time(61)
        release = look(gray, callers.now)
    assert release.state == ReleaseState.COMPLETE
    assert set(callers.versions().values()) == {"1.1.0"}


@pytest.mark.parametrize(
    ("bad", "test"),
    [
        ({"failed": 1}, "stop"),
        ({"refused": 1}, "stop"),
        ({"score": 0.9}, "drift"),
        ({"seconds": 0.01}, "slowdown"),
    ],
    ids=["errors", "refusals", "drift", "latency"],
)
def test_a_worse_version_is_rolled_back_and_its_callers_get_the_old_one_again(callers, gray, bad, test):
    assert gray.parsed_strategy.metric == "score"

    def answer(version, number):
        usual = {"score": 0.4 + number % 20 / 100, "seconds": 0.0001}
        return answered(**(usual | bad if version == "1.1.0" else usual))

    callers.call(answer)
    release = look(gray, callers.now)
    assert release.state == ReleaseState.ROLLED_BACK
    findings = StoredVerdict.objects.filter(release=gray.pk).last().evidence["findings"]
    assert test in [finding["test"] for finding in findings if finding["objects"]]
    assert set(callers.versions().values()) == {"1.0.0"}


def test_refusals_of_what_the_callers_held_back_send_too_are_not_blamed_on_the_version(callers, gray):
    callers.call(lambda version, number: answered(refused=1))
    assert look(gray, callers.now).state == ReleaseState.PAUSED


@pytest.mark.parametrize(
    ("metric", "watched"), [({}, "score"), ({"metric": None}, "score"), ({"metric": "confidence"}, "confidence")]
)
def test_the_score_is_watched_unless_the_strategy_names_another_metric(callers, metric, watched):
    release = release_of(callers.app, pipeline_version("1.2.0"), STAGED | metric, callers.now)
    assert release.parsed_strategy.metric == watched


def test_a_pace_is_refused_where_it_stands_because_callers_install_nothing(callers):
    first, last = STAGED["stages"]
    strategy = STAGED | {"stages": [first, last | {"pace": 5}]}
    with pytest.raises(ValidationError, match=r"strategy\.stages\[1\]\.pace: expected no pace"):
        release_of(callers.app, pipeline_version("1.2.0"), strategy, callers.now)


def test_a_pause_keeps_the_callers_and_counts_nobody(callers, gray):
    before = callers.versions()
    act(release=gray, action=ReleaseAction.PAUSE, actor=SYSTEM, now=callers.now)
    callers.call(lambda version, number: answered())
    assert callers.versions() == before
    assert not Exposure.objects.filter(release=gray.pk).exists()
