"""The simulation test of a pipeline: its samples replayed by each engine, in processes of their own."""

import pytest

from accounts_app.actors import SYSTEM
from devices_app.services.apps import create_app
from devices_app.services.keys import ensure_keys
from devices_app.stores import artifact_store
from releases_app.services.releases import create_release
from releases_app.services.simulation import outcome
from serving_app.jobs import explain_versions
from serving_app.selectors.explanations import explanation_of, unexplained
from serving_app.services.explaining import AGAIN, LATEST
from tasks_app.repository import Repository
from tasks_app.services.registration import register_version
from tasks_app.services.scenarios import create_scenario
from tests.releases_app.simulation.running import NOW, SIMULATED, matrix, work
from tests.serving_app.archives import pipeline_files
from tests.serving_app.callers import EVERYBODY
from tests.support.releases import allow, move_on
from tests.tasks_app.pushed import as_pushed
from walle.whitebox import examination

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


@pytest.fixture
def register(settings, tmp_path):
    """Registers the files of a pipeline as a version of shop/buyers, as after a push."""
    settings.WALLE_GIT_DIR, settings.WALLE_DATA_DIR = tmp_path / "git", tmp_path
    ensure_keys(now=NOW)
    scenario = create_scenario(actor=SYSTEM, slug="shop")

    def call(files, version="1.0.0"):
        with Repository("shop") as repository:
            as_pushed(repository.path, [files], task="buyers", versions=[version])
            names = {"scenario": scenario, "task": "buyers", "version": version, "repository": repository}
            return register_version(actor=SYSTEM, **names).version

    return call


@pytest.fixture
def simulated(register):
    """Simulates a release of these files; the release."""

    def call(files):
        version = register(files)
        app = create_app(slug="shop", name="Shop", actor=SYSTEM, now=NOW)
        allow(app, version.task.scenario, now=NOW)
        release = create_release(app=app, version=version, rule=EVERYBODY, strategy=SIMULATED, actor=SYSTEM, now=NOW)
        move_on(release, "start", now=NOW)
        work()
        return release

    return call


def test_a_pipeline_passes_if_each_engine_predicts_its_samples(simulated):
    release = simulated(pipeline_files((0.5, 0.25)))
    assert matrix(release) == {" serving request-response": "passed", " serving batch": "passed"}
    cells = release.simulation_cells.all()
    assert {cell.sentence for cell in cells} == {"9 samples are predicted as the archive says"}
    assert all(len(cell.result["samples"]) == 9 for cell in cells)
    assert outcome(release).kind == "pass"


def test_a_pipeline_that_predicts_otherwise_than_it_says_is_rejected(simulated):
    release = simulated(pipeline_files((0.5, 0.25), lie=0.001))
    found = outcome(release)
    assert found.kind == "fail"
    assert "2 of 2 cells failed: serving request-response: 9 of 9 samples are not predicted" in found.sentence
    assert "probabilities[0]: expected" in found.sentence


def test_a_pipeline_without_samples_cannot_pass(simulated):
    files = pipeline_files((0.5, 0.25))
    del files["samples/predictions.json"]
    found = outcome(simulated(files))
    assert found.kind == "fail"
    assert "no samples/predictions.json to compare with" in found.sentence


def test_a_version_is_explained_once(register, worker_run):
    version = register(pipeline_files((0.5, 0.25)))
    assert explanation_of(version)["state"] == "pending"
    assert explain_versions(worker_run) == {"explained": 1}
    found = explanation_of(version)
    assert (found["state"], found["problem"]) == ("ready", "")
    explanation = found["explanation"]
    assert [step["operator"] for step in explanation["imported"]] == [
        "concat", "linear", "threshold", "sigmoid", "complement",
    ]  # fmt: skip
    assert explanation["logical"]["stages"]
    assert explanation["physical"]["stages"]
    assert {each["bytes"] for each in explanation["parameters"]} == {16, 8}
    assert list(unexplained(10, NOW + LATEST)) == []
    assert explain_versions(worker_run) == {"explained": 0}


def test_what_could_not_be_examined_is_tried_again_ever_later_until_it_can(register, worker_run, monkeypatch):
    version = register(pipeline_files((0.5, 0.25)))
    with monkeypatch.context() as patch:
        patch.setattr(examination, "TIME_S", 0.001)
        assert explain_versions(worker_run) == {"explained": 1}
        found = explanation_of(version)
        assert (found["state"], found["problem"]) == ("failed", "it took longer than 0.001 s")
        assert explain_versions(worker_run) == {"explained": 0}
        worker_run.now += AGAIN
        assert explain_versions(worker_run) == {"explained": 1}
    worker_run.now += AGAIN
    assert explain_versions(worker_run) == {"explained": 0}, "the second time it waits for longer"
    worker_run.now += AGAIN
    assert explain_versions(worker_run) == {"explained": 1}
    assert (explanation_of(version)["state"], explanation_of(version)["problem"]) == ("ready", "")
    worker_run.now += LATEST
    assert explain_versions(worker_run) == {"explained": 0}


def test_a_version_whose_files_are_gone_keeps_no_other_one_waiting(register, worker_run):
    older = register(pipeline_files((0.5, 0.25)))
    newer = register(pipeline_files((0.5, 0.75)), "1.1.0")
    lost = newer.files.filter(path__startswith="parameters/").exclude(digest__in=digests_of(older)).get().digest
    artifact_store().path(lost).unlink()
    assert explain_versions(worker_run) == {"explained": 2}
    assert [explanation_of(each)["state"] for each in (newer, older)] == ["failed", "ready"]
    assert lost in explanation_of(newer)["problem"]


def digests_of(version):
    return [file.digest for file in version.files.all()]


@pytest.fixture
def worker_run():
    class Running:
        """A run of a job, as far as these jobs use it."""

        now = NOW

        def check(self):
            """Nobody else has the job."""

        def clock(self):
            return self.now

    return Running()
