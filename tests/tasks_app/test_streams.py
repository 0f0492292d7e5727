"""Stream tasks on push: a schema stands for one table, private contents stay where they are, and warnings are shown."""

import pytest

from accounts_app.actors import SYSTEM
from tasks_app.repository import NO_COMMIT
from tasks_app.services.pushes import Push, RefUpdate, check_contents, check_push
from tasks_app.services.registration import register_version
from tests.tasks_app.working_copy import GOOD

pytestmark = pytest.mark.django_db

TOML = """
[task]
entry_point = "main:run"
[outputs.item]
type = "text"
[outputs.clicks]
type = "integer"
[trigger]
on = ["page_exit"]
[requires]
runtime = ">=1.1.0"
"""
MORE = '[outputs.seconds]\ntype = "number"\n[trigger]'
READING = '[inputs.views]\ntype = "list"\n[stream.reads.views]\ntable = "{table}"\n[trigger]'


@pytest.fixture
def push(camera, repository, copy, keys):
    """Tags a version of a task of a scenario; what stands against it, and what its author is warned of. Without
    objections it is registered."""

    def call(version, *changes, task="digits", private=None, schema=None):
        toml = TOML
        for old, new in changes:
            assert old in toml
            toml = toml.replace(old, new)
        said = {"private": private, "schema": schema}
        stream = "".join(f"{key} = {str(value).lower()}\n" for key, value in said.items() if value is not None)
        toml += f"[stream]\n{stream}# {task} {version}\n" if stream else f"# {task} {version}\n"
        if task != "digits":
            copy.git("checkout", "--quiet", "-B", task)
        commit = copy.commit({**GOOD, "task.toml": toml})
        copy.tag(f"{task}/{version}")
        copy.push(task)
        lines = [f"{NO_COMMIT} {commit} refs/tags/{task}/{version}"]
        update = Push.of(map(RefUpdate.parse, lines))
        contents = check_contents(repository=repository, push=update)
        problems = check_push(scenario=camera, repository=repository, push=update, contents=contents)
        if not problems:
            copy.push(task, "--tags")
            register_version(actor=SYSTEM, scenario=camera, task=task, version=version, repository=repository)
        return [str(one) for one in problems], list(contents[task, version].warnings)

    return call


def test_a_schema_has_the_same_outputs_in_all_versions(push):
    assert push("1.0.0") == ([], [])
    assert push("1.1.0") == ([], [])
    (objection,), _ = push("1.2.0", ("[trigger]", MORE), ('"integer"', '"number"'))
    assert objection == (
        "digits/1.2.0: task.toml: stream.schema: expected 2 or another number that no version had, found 1, which "
        "version 1.1.0 has with another table: output clicks was integer and is number; "
        "output seconds was not there and is number"
    )


def test_a_raised_schema_may_have_others_and_is_compared_with_its_own(push):
    assert push("1.0.0") == ([], [])
    assert push("2.0.0", ("[trigger]", MORE), schema=2) == ([], [])
    assert push("1.0.1") == ([], [])
    (objection,), _ = push("2.0.1", schema=2)
    assert "which version 2.0.0 has with another table: output seconds was number and is not there" in objection


def test_a_schema_is_private_or_not(push):
    assert push("1.0.0") == ([], [])
    (objection,), _ = push("1.1.0", private=True)
    assert objection.endswith("version 1.0.0 has with another table: it was not private and is private")
    assert push("2.0.0", private=True, schema=2) == ([], [])


def test_a_task_that_was_periodic_has_no_schema_yet(push):
    assert push("1.0.0", ('on = ["page_exit"]', "every_s = 5"), ("[trigger]", MORE)) == ([], [])
    assert push("1.1.0") == ([], [])


def test_versions_of_one_push_have_one_table_too(camera, repository, copy):
    updates = []
    for version, toml in (("1.0.0", TOML), ("1.1.0", TOML.replace("[trigger]", MORE))):
        commit = copy.commit({**GOOD, "task.toml": toml})
        copy.tag(f"digits/{version}")
        updates.append(f"{NO_COMMIT} {commit} refs/tags/digits/{version}")
    copy.push("digits")
    push = Push.of(map(RefUpdate.parse, updates))
    contents = check_contents(repository=repository, push=push)
    (objection,) = check_push(scenario=camera, repository=repository, push=push, contents=contents)
    assert objection.subject == "digits/1.1.0"
    assert objection.field == "task.toml: stream.schema"


@pytest.mark.parametrize("private", [False, True])
def test_only_private_tasks_read_a_private_table_of_their_scenario(push, private):
    assert push("1.0.0", private=True) == ([], [])
    reading = ("[trigger]", READING.format(table="camera/digits"))
    found, _ = push("1.0.0", reading, task="rank", private=private)
    expected = "expected private = true, or the table of a task that is not private, found camera/digits"
    assert found == ([] if private else [f"rank/1.0.0: task.toml: stream.reads.views: {expected}"])


@pytest.mark.parametrize("table", ["camera/digits", "camera/unknown", "shop/ipv"])
def test_tables_that_are_not_private_or_not_known_may_be_read(push, table):
    assert push("1.0.0") == ([], [])
    assert push("1.0.0", ("[trigger]", READING.format(table=table)), task="rank") == ([], [])


def test_the_author_is_warned_of_what_is_hardly_meant(push):
    objections, warnings = push("1.0.0", ('"page_exit"', '"page_scroll"'), ('runtime = ">=1.1.0"', ""))
    assert objections == []
    assert len(warnings) == 2
    assert "nearly every page_scroll event starts a run" in warnings[0]
    assert warnings[1].endswith('leave them out with requires.runtime = ">=1.1.0".')
