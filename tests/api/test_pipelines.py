"""/api/v1/pipelines and /api/v1/serving: who gets which version, where it is installed, how it goes, how it is made."""

from datetime import timedelta

import pytest
from django.utils import timezone

from serving_app.models import ServingHost
from serving_app.services.explaining import keep_explanation
from serving_app.services.outcomes import store_outcomes
from tests.api.conftest import member_of
from tests.api.contract import problem
from tests.serving_app.callers import TASK, completed, pipeline_version
from tests.support.cases import cases
from walle.whitebox.serving.ports import HostFigures, InstallationOutcome, ServingOutcomes, VersionFigures

pytestmark = pytest.mark.django_db


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def version(shop, now):
    """shop/sentiment 1.0.0, which answers every caller of the shop."""
    found = pipeline_version("1.0.0")
    completed(shop, found, now)
    return found


@pytest.fixture
def told(version, shop, now):
    """What a host told of the version in the last minute."""
    at = now.timestamp()
    store_outcomes(
        ServingOutcomes(
            figures=[
                VersionFigures(
                    shop.slug, TASK, version.manifest_digest, "1.0.0", 10, 100, 3, 2, (0,) * 40 + (10,), (0, 95), at, at
                )
            ],
            installations=[
                InstallationOutcome(
                    shop.slug, TASK, 1, 1, version.manifest_digest, "1.0.0", "serving-1", True, "", "", at
                )
            ],
            host=HostFigures("serving-1", at - 60, at, 1, {}, state_of(version)),
        )
    )


def state_of(version):
    """What a runtime counts that has loaded a version."""
    return {"memory": {"shared_bytes": 10}, "plans": {version.manifest_digest: {"engine": "batch"}}}


@pytest.fixture
def viewer(version):
    return member_of("viewer", "scenario:shop", name="vera")


def test_a_pipeline_with_what_answers_its_callers_and_how_it_goes(viewer, told):
    (found,) = viewer.get("pipelines").json()["results"]
    assert (found["name"], found["version"], found["hosts"], found["troubled"]) == (TASK, "1.0.0", 1, 0)
    (offering,) = found["offerings"]
    assert (offering["app"], offering["version"], offering["share_percent"]) == ("shop", "1.0.0", 100)
    assert (offering["mode"], offering["control_percent"]) == ("complete", 0)
    figures = found["figures"]
    assert (figures["requests"], figures["records"], figures["failed"], figures["refused"]) == (10, 100, 2, 3)
    # Bucket 40 ends at 2^5 us.
    assert 0.029 <= figures["p50_ms"] <= figures["p90_ms"] <= 0.032
    assert figures["p99_ms"] is None, "of ten requests none is the one in a hundred"
    assert figures["requests_per_s"] == pytest.approx(10 / figures["seconds"])


def test_one_pipeline_with_its_versions_and_where_they_are(viewer, told, version):
    found = viewer.get("pipelines/shop/sentiment").json()
    assert [(each["version"], each["figures"]["records"]) for each in found["versions"]] == [("1.0.0", 100)]
    (plan,) = found["plans"]
    assert (plan["host"], plan["version"], plan["state"], plan["lost"]) == ("serving-1", "1.0.0", "ready", False)
    assert (plan["manifest_digest"], plan["runtime"]) == (version.manifest_digest, {"engine": "batch"})


def test_a_plan_that_its_host_isolates_is_in_trouble_until_it_answers_again(viewer, told, version, now):
    def tell(isolated):
        host = HostFigures("serving-1", 0, now.timestamp(), 1, isolated, {})
        store_outcomes(ServingOutcomes(host=host))
        found = viewer.get("pipelines/shop/sentiment").json()
        return found["troubled"], found["hosts"], found["plans"][0]["state"], found["plans"][0]["problem"]

    assert tell({version.manifest_digest: "it looped"}) == (1, 0, "isolated", "it looped")
    assert tell({}) == (0, 1, "ready", "")


def test_a_host_that_says_nothing_any_more_is_lost(viewer, told):
    ServingHost.objects.update(seen_at=timezone.now() - timedelta(minutes=1))
    (host,) = viewer.get("serving/hosts").json()["hosts"]
    assert (host["name"], host["lost"]) == ("serving-1", True)
    found = viewer.get("pipelines/shop/sentiment").json()
    assert (found["hosts"], found["plans"][0]["lost"]) == (0, True)


def test_hosts_show_what_their_runtime_counts_and_no_single_plan(viewer, told):
    (host,) = viewer.get("serving/hosts").json()["hosts"]
    assert (host["installed"], host["isolated"], host["lost"]) == (1, 0, False)
    assert host["state"] == {"memory": {"shared_bytes": 10}}
    (point,) = viewer.get("serving/hosts/serving-1/series").json()["points"]
    assert point["state"] == {"memory": {"shared_bytes": 10}}


def test_a_host_that_nobody_knows_is_not_found(viewer):
    problem(viewer.get("serving/hosts/serving-9/series"), 404, "not-found")


def test_figures_by_minute(viewer, told, shop, version, now):
    again = VersionFigures(
        shop.slug, TASK, version.manifest_digest, "1.0.0", 1, 1, 0, 0, (1,), (), now.timestamp(), now.timestamp()
    )
    store_outcomes(ServingOutcomes(figures=[again, again]))
    (point,) = viewer.get("pipelines/shop/sentiment/series?minutes=5").json()["points"]
    assert (point["version"], point["figures"]["requests"], point["figures"]["records"]) == ("1.0.0", 12, 102)
    assert (point["figures"]["latency"][0], point["figures"]["latency"][40]) == (2, 10)


@cases("minutes", [0, 1441, "many"])
def test_figures_of_a_time_that_is_not_kept_are_refused(viewer, version, minutes):
    assert "minutes" in problem(viewer.get(f"pipelines/shop/sentiment/series?minutes={minutes}"), 400, "invalid")


def test_an_explanation_is_pending_until_it_is_there(viewer, version, now):
    address = "pipelines/shop/sentiment/versions/1.0.0/explain"
    assert viewer.get(address).json() == {"state": "pending", "problem": "", "explanation": None, "shared": []}
    keep_explanation(version, explanation={"trace": []}, now=now)
    found = viewer.get(address).json()
    assert found == {"state": "ready", "problem": "", "explanation": {"trace": []}, "shared": []}


def test_an_explanation_that_failed_says_why(viewer, version, now):
    keep_explanation(version, problem="it is broken", now=now)
    found = viewer.get("pipelines/shop/sentiment/versions/1.0.0/explain").json()
    assert found == {"state": "failed", "problem": "it is broken", "explanation": None, "shared": []}


def test_a_version_that_no_host_can_serve_says_so_and_is_not_released(viewer, shop, version, now):
    address = "tasks/shop/sentiment/versions/1.0.0"
    assert viewer.get(address).json()["refusal"] == ""
    keep_explanation(version, problem="it is broken", refused=True, now=now)
    assert viewer.get(address).json()["refusal"] == "it is broken"
    releaser = member_of("releaser", "scenario:shop", "app:shop", name="rita")
    body = {"app": "shop", "task": TASK, "version": "1.0.0", "rule": {"fact": "kind-pipeline", "equals": True}}
    for path in ("releases", "releases/plan"):
        assert "it is broken" in problem(releaser.post(path, body), 400, "invalid")["version"]


def test_an_explanation_says_what_installed_versions_have_in_common(viewer, told, version, now):
    newer = pipeline_version("2.0.0")
    keep_explanation(version, explanation=made_of(["same", "old", None], {"aa": 8, "bb": 100}), now=now)
    keep_explanation(newer, explanation=made_of(["same", "new", None], {"aa": 8, "cc": 1000}), now=now)
    address = "pipelines/shop/sentiment/versions/{}/explain"
    assert viewer.get(address.format("2.0.0")).json()["shared"] == [
        {"task": TASK, "version": "1.0.0", "stages": ["same"], "parameters": 1, "bytes": 8}
    ]
    # No host has the newer one.
    assert viewer.get(address.format("1.0.0")).json()["shared"] == []


def test_what_has_nothing_in_common_is_not_listed(viewer, told, version, now):
    newer = pipeline_version("2.0.0")
    keep_explanation(version, explanation=made_of(["old"], {"bb": 100}), now=now)
    keep_explanation(newer, explanation=made_of(["new"], {"cc": 1000}), now=now)
    assert viewer.get("pipelines/shop/sentiment/versions/2.0.0/explain").json()["shared"] == []


def made_of(identities, sizes):
    """An explanation with these physical stages, and parameters by digest."""
    return {
        "physical": {"stages": [{"identity": each} for each in identities]},
        "parameters": [{"digest": digest, "bytes": size} for digest, size in sizes.items()],
    }


def test_pipelines_of_other_scenarios_are_not_seen(nobody, told):
    assert nobody.get("pipelines").json()["results"] == []
    for address in ("", "/series", "/versions/1.0.0/explain"):
        problem(nobody.get(f"pipelines/shop/sentiment{address}"), 404, "not-found")


def test_tasks_of_devices_are_no_pipelines(staff, digits):
    assert staff.get("pipelines").json()["results"] == []
    problem(staff.get("pipelines/camera/digits"), 404, "not-found")
