"""Kinds of tasks from a tag to a table: one for all versions of a task, and devices that know it."""

import pytest

from accounts_app.actors import SYSTEM
from devices_app.selectors.explanation import explanations
from devices_app.selectors.tables import newest_table
from tasks_app.repository import NO_COMMIT
from tasks_app.services.pushes import Push, RefUpdate, check_contents, check_push
from tasks_app.services.registration import register_version
from tests.releases_app.trials import NOW
from tests.support.fleet import make_device
from tests.support.releases import draft_of, move_on
from tests.tasks_app.working_copy import GOOD, TASK
from walle.bundle import kinds
from walle.bundle.kinds import Kinds, TaskKind
from walle.protocol.documents import Manifest

pytestmark = pytest.mark.django_db


@pytest.fixture
def known(monkeypatch):
    """A server with an engine that runs models."""
    monkeypatch.setattr(kinds, "KINDS", Kinds(TaskKind("device", on_devices=True), TaskKind("model", on_devices=False)))


@pytest.fixture
def tag(copy):
    """Tags a version of the task `digits` that says it is of a kind; the commit."""

    def call(version, kind=None):
        toml = TASK.replace("[task]", f'[task]\nkind = "{kind}"') if kind else TASK
        commit = copy.commit({**GOOD, "task.toml": f"{toml}# {version}\n"})
        copy.tag(f"digits/{version}")
        return commit

    return call


@pytest.fixture
def objections(camera, repository):
    """What stands against new tags of digits at these commits, as the hook that runs before a push finds it."""

    def call(**tags):
        lines = [f"{NO_COMMIT} {commit} refs/tags/digits/{version}" for version, commit in tags.items()]
        push = Push.of(map(RefUpdate.parse, lines))
        contents = check_contents(repository=repository, push=push)
        return [str(one) for one in check_push(scenario=camera, repository=repository, push=push, contents=contents)]

    return call


@pytest.fixture
def register(camera, repository, copy, keys):
    """Pushes what was tagged, past the hooks, and registers a version; its row."""

    def call(version):
        copy.push("digits", "--tags")
        names = {"scenario": camera, "task": "digits", "version": version}
        return register_version(actor=SYSTEM, repository=repository, **names).version

    return call


def test_a_version_has_the_kind_that_its_manifest_says(known, tag, register):
    tag("1.0.0", "model")
    row = register("1.0.0")
    assert row.kind == Manifest.from_payload(bytes(row.manifest)).kind == "model"


def test_all_versions_of_a_task_are_of_one_kind(known, copy, tag, register, objections):
    tag("1.0.0")
    assert register("1.0.0").kind == "device"
    same, other = tag("1.1.0"), tag("1.2.0", "model")
    copy.push("digits")
    assert objections(**{"1.1.0": same}) == []
    said = "expected device, as in the task's other versions, found model"
    assert objections(**{"1.2.0": other}) == [f"digits/1.2.0: task.toml: task.kind: {said}"]


def test_versions_of_one_push_are_of_one_kind_too(known, copy, tag, objections):
    one, other = tag("1.0.0", "model"), tag("1.1.0", "device")
    copy.push("digits")
    (objection,) = objections(**{"1.0.0": one, "1.1.0": other})
    assert objection.startswith("digits/1.1.0: task.toml: task.kind: expected model,")


def test_a_release_reaches_only_devices_that_say_they_know_the_kind(known, tag, register, shop):
    tag("1.0.0", "model")
    move_on(draft_of(shop, register("1.0.0"), now=NOW), "start", now=NOW)
    table, _ = newest_table(shop)
    assert [entry.kind for entry in table.entries] == ["model"]
    (other,) = explanations(make_device(shop, "d-1"), now=NOW).results
    (knowing,) = explanations(make_device(shop, "d-2", **{"kind-model": True}), now=NOW).results
    assert (other.change, knowing.change) == ("none", "install")
    assert other.considered[0].reason == "the device does not support tasks of the kind model"
