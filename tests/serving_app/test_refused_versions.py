"""A version that no host can serve: it is not released, by nobody, and a release under way goes on hold."""

from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError

from accounts_app.actors import SYSTEM
from devices_app.attention import Urgency
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys
from releases_app.services.releases import create_release
from serving_app.selectors.attention import of_serving
from serving_app.services.explaining import keep_explanation
from serving_app.services.outcomes import store_outcomes
from tasks_app.selectors.refusals import refusal_of
from tests.serving_app.callers import (
    EVERYBODY,
    STAGED,
    TASK,
    Callers,
    answered,
    completed,
    look,
    pipeline_version,
    release_of,
)
from tests.support.cases import cases
from tests.support.people import make_member, make_staff
from tests.support.releases import make_version
from walle.release.states import ReleaseState
from walle.whitebox.serving.ports import (
    ARCHIVE_MALFORMED,
    SAMPLE_REFUSED,
    InstallationOutcome,
    ServingOutcomes,
)

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
WHY = "transformation n3: expected an operator with a kernel, found 'dream'"


@pytest.fixture
def shop():
    """An app whose callers are answered by version 1.0.0."""
    ensure_keys(now=NOW)
    found = create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)
    completed(found, pipeline_version("1.0.0"), NOW)
    return found


@pytest.fixture
def version(shop):
    return pipeline_version("1.1.0")


def installation(version, error_class: str) -> ServingOutcomes:
    """What a host tells that cannot install a version."""
    told = InstallationOutcome(
        "shop", TASK, 1, 1, version.manifest_digest, version.version, "serving-1", False, error_class, WHY,
        NOW.timestamp(),
    )  # fmt: skip
    return ServingOutcomes(installations=[told])


def test_what_the_oven_refuses_is_not_released_by_anybody(shop, version):
    assert refusal_of(version) == ""
    keep_explanation(version, problem=WHY, refused=True, now=NOW)
    assert refusal_of(version) == WHY
    for actor in (SYSTEM, make_staff()):
        with pytest.raises(ValidationError, match=r"nothing can run shop/sentiment 1.1.0.*'dream'"):
            create_release(app=shop, version=version, rule=EVERYBODY, actor=actor, now=NOW)


def test_a_version_that_could_not_be_examined_may_be_released(shop, version):
    """A worker that was killed says nothing about the archive."""
    keep_explanation(version, problem="it took longer than 300 s", now=NOW)
    assert refusal_of(version) == ""


@cases("error_class", [ARCHIVE_MALFORMED, SAMPLE_REFUSED])
def test_what_hosts_refuse_for_its_archive_is_not_released(shop, version, error_class):
    store_outcomes(installation(version, error_class))
    assert refusal_of(version) == WHY


@cases("error_class", ["reservation-refused", "OSError", "digest-mismatch"])
def test_what_one_host_cannot_install_another_one_may(shop, version, error_class):
    store_outcomes(installation(version, error_class))
    assert refusal_of(version) == ""


def test_the_newest_version_needs_attention_until_a_later_one_comes(shop, version):
    mall = create_app(slug="mall", name="Mall", actor=SYSTEM, now=NOW)
    keep_explanation(version, problem=WHY, refused=True, now=NOW)
    (concern,) = of_serving(SYSTEM, [shop, mall], NOW)
    assert (concern.kind, concern.urgency, concern.title) == ("version-refused", Urgency.SOON, f"{TASK} 1.1.0")
    assert (concern.since, concern.target) == (NOW, f"pipelines/{TASK}")
    assert WHY in concern.reason
    assert list(of_serving(SYSTEM, [mall], NOW)) == [], "the scenario may not release to it"
    assert list(of_serving(make_member("viewer", "scenario:other"), [shop], NOW)) == []
    later = pipeline_version("1.2.0")
    assert list(of_serving(SYSTEM, [shop], NOW)) == []
    keep_explanation(later, problem="it took longer than 300 s", now=NOW)
    assert list(of_serving(SYSTEM, [shop], NOW)) == [], "nobody knows yet"


def test_a_retired_pipeline_needs_no_attention(shop, version):
    keep_explanation(version, problem=WHY, refused=True, now=NOW)
    version.task.retired_at = NOW
    version.task.save()
    assert list(of_serving(SYSTEM, [shop], NOW)) == []


def test_tasks_of_other_kinds_are_not_asked_about(shop):
    script = make_version("shop", "resize", "1.0.0")
    store_outcomes(installation(script, ARCHIVE_MALFORMED))
    assert refusal_of(script) == ""


def test_a_release_that_was_faster_than_the_oven_goes_on_hold_instead_of_on(shop, version):
    callers = Callers(shop, 100, NOW)
    release = release_of(shop, version, STAGED, NOW)
    callers.call(lambda version, number: answered())
    keep_explanation(version, problem=WHY, refused=True, now=NOW)
    callers.pass_time(61)
    found = look(release, callers.now)
    assert (found.state, found.position) == (ReleaseState.PAUSED, 0)
    assert WHY in found.transitions.last().reason
