"""What serving processes tell is stored once, added up, and forgotten in time; and what of it needs attention."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from accounts_app.actors import SYSTEM
from devices_app.models import Report
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys
from releases_app.models import Exposure
from serving_app.models import HostMinute, PredictionCount, ServingHost
from serving_app.selectors.attention import of_serving
from serving_app.selectors.figures import predictions_line
from serving_app.services.hosts import FORGOTTEN, KEPT, MOST_STATE, forget
from serving_app.services.outcomes import store_outcomes
from tests.serving_app.callers import STAGED, TASK, completed, pipeline_version, release_of
from walle.release.outcome import FELL_BACK
from walle.whitebox.serving.ports import (
    CallerExposure,
    CallerOutcome,
    HostFigures,
    InstallationOutcome,
    ServingOutcomes,
    VersionFigures,
)

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
AT = NOW.timestamp()


@pytest.fixture
def shop():
    ensure_keys(now=NOW)
    return create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)


@pytest.fixture
def release(shop):
    return release_of(shop, pipeline_version("1.1.0"), STAGED, NOW)


def told_of(release, **changes):
    """A caller whom the release selected, and who got some predictions of its version."""
    stage = release.stages.get(position=0).pk
    manifest = release.version.manifest_digest
    exposure = CallerExposure("shop", TASK, release.pk, stage, "treatment", "user-1", 7, 3, True, AT)
    outcome = CallerOutcome(
        "shop", TASK, release.pk, stage, manifest, "1.1.0", ((release.pk, "treatment"),), "user-1", True,
        **{"records": 2, "failed": 0, "error_class": "", "cold": False, "latency_ms": 0.25, "score": 0.75,
           "confidence": 0.8, "at": AT + 1} | changes,
    )  # fmt: skip
    return ServingOutcomes(exposures=[exposure], outcomes=[outcome])


def test_a_caller_is_an_exposure_with_its_outcome(release):
    store_outcomes(told_of(release))
    found = Exposure.objects.get()
    assert (found.device, found.arm, found.bucket, found.number, found.outcome) == (
        "user-1", "treatment", 7, 3, "success",
    )  # fmt: skip
    assert (found.warm_ms, found.cold_ms) == (0.25, None)
    assert found.metrics == {"score": 0.75, "confidence": 0.8}
    report = Report.objects.get()
    assert (report.kind, report.start, report.runs["count"], report.evidence) == ("run", "warm", 2, True)


def test_what_is_told_again_changes_nothing(release):
    store_outcomes(told_of(release))
    store_outcomes(told_of(release))
    assert (Exposure.objects.count(), Report.objects.count()) == (1, 1)


def test_the_first_prediction_after_loading_is_a_cold_run(release):
    store_outcomes(told_of(release, cold=True))
    found = Exposure.objects.get()
    assert (found.cold_ms, found.warm_ms) == (0.25, None)


def test_a_fall_back_turns_success_into_failure(release):
    store_outcomes(told_of(release))
    store_outcomes(told_of(release, failed=2, error_class=FELL_BACK, at=AT + 9))
    found = Exposure.objects.get()
    assert (found.outcome, found.error_class) == ("failure", FELL_BACK)


def test_a_caller_of_the_app_s_key_alone_is_new_until_the_registry_knows_better(release):
    told = told_of(release)
    store_outcomes(replace(told, exposures=[told.exposures[0]._replace(vouched=False)]))
    found = Exposure.objects.get()
    assert (found.vouched, found.first_seen) == (False, None)


def test_figures_of_apps_that_are_gone_are_left_out(shop):
    figures = VersionFigures("mall", TASK, "0" * 64, "1.0.0", 1, 1, 0, 0, (1,), (), AT, AT)
    store_outcomes(ServingOutcomes(figures=[figures, figures._replace(app="shop")]))
    assert PredictionCount.objects.get().app == shop


def test_all_predictions_are_one_line_for_people_who_watch(shop):
    assert predictions_line() == ""
    figures = VersionFigures("shop", TASK, "0" * 64, "1.0.0", 1, 1200, 3, 4, (1,), (), AT, AT)
    store_outcomes(ServingOutcomes(figures=[figures]))
    assert predictions_line() == "predictions 1,200, 7 failed"


def test_a_state_that_is_too_large_is_left_out(db):
    host = HostFigures("serving-1", AT, AT, 1, {}, {"noise": "x" * MOST_STATE})
    store_outcomes(ServingOutcomes(host=host))
    assert ServingHost.objects.get().state["left_out_bytes"] > MOST_STATE


def test_what_is_no_number_is_told_as_null(db):
    host = HostFigures("serving-1", AT, AT, 1, {}, {"results": {"hit_rate": float("nan")}})
    store_outcomes(ServingOutcomes(host=host))
    assert ServingHost.objects.get().state["results"] == {"hit_rate": None}


def test_minutes_and_hosts_are_forgotten(shop):
    store_outcomes(
        ServingOutcomes(
            figures=[VersionFigures("shop", TASK, "0" * 64, "1.0.0", 1, 1, 0, 0, (1,), (), AT, AT)],
            host=HostFigures("serving-1", AT, AT, 1, {}, {}),
        )
    )
    assert forget(now=NOW + KEPT) == {"minutes": 0, "counts": 0, "hosts": 0}
    after = NOW + KEPT + timedelta(seconds=1)
    assert forget(now=after) == {"minutes": 1, "counts": 1, "hosts": 0}
    assert forget(now=NOW + FORGOTTEN + timedelta(seconds=1))["hosts"] == 1
    assert not HostMinute.objects.exists()


@pytest.fixture
def installed(shop):
    """Tells that a version which answers callers is installed on a host, or is not."""
    version = pipeline_version("1.0.0")
    completed(shop, version, NOW)

    def tell(*, ready=True, problem="", isolated=None):
        told = InstallationOutcome(
            "shop", TASK, 1, 1, version.manifest_digest, "1.0.0", "serving-1", ready, "", problem, AT
        )
        reasons = {version.manifest_digest: isolated} if isolated else {}
        store_outcomes(ServingOutcomes(installations=[told]))
        store_outcomes(ServingOutcomes(host=HostFigures("serving-1", AT, AT, 1, reasons, {})))

    return tell


def concerns(shop, now=NOW):
    return [(each.kind, each.urgency.value, each.title) for each in of_serving(SYSTEM, [shop], now)]


def test_a_version_that_did_not_install_needs_attention(shop, installed):
    installed(ready=False, problem="its parameters are damaged")
    assert concerns(shop) == [("not-installed", "soon", f"{TASK} 1.0.0")]
    installed()
    assert concerns(shop) == []


def test_a_plan_that_is_isolated_needs_attention_at_once(shop, installed):
    installed(isolated="it looped")
    assert concerns(shop) == [("plan-isolated", "now", f"{TASK} 1.0.0")]
    assert concerns(create_app(slug="mall", name="Mall", actor=SYSTEM, now=NOW)) == []


def test_a_host_that_is_lost_needs_attention_at_once(shop, installed):
    installed(ready=False, problem="its parameters are damaged")
    assert concerns(shop, NOW + timedelta(minutes=1)) == [("host-lost", "now", "serving-1")]
