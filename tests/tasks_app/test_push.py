"""Pushing with the real git client to a really running server: what is accepted, what is refused, in which words."""

import re
import subprocess

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from tasks_app.models import Task, TaskVersion
from tasks_app.repository import Repository
from tasks_app.services.retirement import retire_task, unretire_task
from tests.support.people import token_of
from tests.tasks_app.working_copy import GOOD, MAIN, TASK, GitFailed

pytestmark = pytest.mark.django_db(transaction=True)


def refusal(clone, *refs, **environment):
    """What git says when the server does not take a push."""
    with pytest.raises(GitFailed) as refused:
        clone.push(*refs, **environment)
    return refused.value.output


def test_a_push_of_a_branch_and_a_tag_registers_the_version_and_says_so(clone, served, server, developer, tmp_path):
    clone.commit(GOOD)
    clone.tag("digits/1.0.0", "The first")
    said = clone.push("digits", "--tags")
    row = TaskVersion.objects.get()
    size = f"{sum(len(content) for content in GOOD.values()) / 1000:.0f} KB"
    line = f"registered {served.slug}/digits 1.0.0 (3 files, {size}, manifest {row.manifest_digest[:12]}…)"
    assert f"remote: {line}" in said
    assert AuditEntry.objects.get(action="version.register").actor_name == "ada"
    other = server.copy(tmp_path / "other", served.slug, token_of(developer), clone=True)
    assert (other.folder / "main.py").read_text() == MAIN
    assert other.git("tag").split() == ["digits/1.0.0"]


def test_the_audit_row_names_token_and_request(clone, developer, released):
    entry = AuditEntry.objects.get(action="version.register")
    assert entry.token_prefix == developer.user.api_tokens.get().prefix
    assert len(entry.request_id) == 32


def test_pushing_the_same_again_is_harmless(clone, released):
    assert "Everything up-to-date" in clone.push("digits", "--tags")
    assert "up-to-date" in clone.push("--force", "refs/tags/digits/1.0.0")
    assert TaskVersion.objects.count() == 1


def test_work_in_progress_may_be_pushed_without_being_proper(clone):
    clone.commit({"main.py": "def broken(:\n"})
    clone.push("digits")
    assert Task.objects.get().slug == "digits"
    assert not TaskVersion.objects.exists()


def test_a_kind_that_is_not_known_is_refused_with_those_that_are(clone):
    clone.commit({**GOOD, "task.toml": TASK.replace("[task]", '[task]\nkind = "model"')})
    clone.tag("digits/1.0.0")
    said = refusal(clone, "digits", "--tags")
    assert (
        "remote: - digits/1.0.0: task.toml: task.kind: expected one of device, pipeline, workflow, found 'model'"
        in said
    )
    assert not TaskVersion.objects.exists()


def test_several_tasks_and_versions_in_one_push(clone):
    clone.commit(GOOD)
    clone.tag("digits/1.0.0")
    clone.commit({"main.py": MAIN + "# more\n"})
    clone.tag("digits/1.1.0-rc.1+build.5", "Candidate")
    clone.branch("faces")
    clone.commit({"main.py": MAIN + "# faces\n"})
    clone.tag("faces/0.1.0")
    said = clone.push("digits", "faces", "--tags")
    assert said.count("remote: registered") == 3
    names = {(row.task.slug, row.version) for row in TaskVersion.objects.all()}
    assert names == {("digits", "1.0.0"), ("digits", "1.1.0-rc.1+build.5"), ("faces", "0.1.0")}


def test_a_moved_tag_is_refused(clone, released):
    clone.commit({"main.py": MAIN + "#\n"})
    clone.push("digits")
    clone.git("tag", "-f", "digits/1.0.0")
    said = refusal(clone, "--force", "refs/tags/digits/1.0.0")
    assert "remote: - tag digits/1.0.0: a version never changes; tag a new one" in said


def test_a_deleted_tag_is_refused(clone, released):
    assert "tag digits/1.0.0: a version is never deleted" in refusal(clone, ":refs/tags/digits/1.0.0")


def test_a_deleted_branch_with_versions_is_refused_and_one_without_is_not(clone, released):
    said = refusal(clone, ":refs/heads/digits")
    assert "branch digits: cannot be deleted, it has versions (1.0.0); retire the task instead" in said
    clone.push("HEAD:refs/heads/typo")
    assert Task.objects.filter(slug="typo").exists()
    clone.push(":refs/heads/typo")
    assert not Task.objects.filter(slug="typo").exists()


def test_rewriting_history_is_refused_only_where_it_would_orphan_a_version(clone, released):
    clone.commit({"main.py": MAIN + "# one\n"}, "One")
    clone.push("digits")
    clone.git("commit", "--amend", "-qm", "Better said")
    clone.push("--force", "digits")
    clone.orphan("other")
    clone.commit(GOOD, "A new beginning")
    said = refusal(clone, "--force", "other:refs/heads/digits")
    assert "branch digits: without the commits of digits/1.0.0; versions stay in their branch's history" in said


def test_a_tag_has_to_be_reachable_from_its_branch_as_it_will_be(clone, released):
    clone.commit({"main.py": MAIN + "# ahead\n"})
    clone.tag("digits/1.1.0")
    said = refusal(clone, "refs/tags/digits/1.1.0")
    assert "is not in the history of branch digits" in said
    clone.tag("faces/1.0.0")
    assert "there is no branch faces; push it together with the tag" in refusal(clone, "refs/tags/faces/1.0.0")
    assert "registered" in clone.push("digits", "refs/tags/digits/1.1.0")


@pytest.mark.parametrize(
    ("ref", "text"),
    [
        ("refs/heads/Digits", "branch: expected a lowercase letter"),
        ("refs/heads/a/b", "branch: expected a lowercase letter"),
        ("refs/tags/v1.0.0", "tag: expected <task>/<version>, such as digits/1.0.0"),
        ("refs/tags/digits/1.0", "version: expected a semantic version such as 1.2.3"),
        ("refs/tags/digits/01.0.0", "version: expected a semantic version"),
        ("refs/notes/commits", "expected a branch, which is a task, or a tag <task>/<version>"),
        ("refs/heads/" + "a" * 41, "up to 39 of a-z, 0-9 and -"),
    ],
)
def test_other_names_are_refused(clone, ref, text):
    clone.commit(GOOD)
    said = refusal(clone, f"HEAD:{ref}")
    assert f"remote: - {ref}: " in said
    assert text in said


def test_one_bad_reference_refuses_the_whole_push(clone, served):
    clone.commit(GOOD)
    clone.tag("digits/1.0.0")
    said = refusal(clone, "digits", "refs/tags/digits/1.0.0", "HEAD:refs/heads/Bad")
    assert f"Nothing in {served.slug} was changed. To put right:" in said
    with Repository(served.slug) as repository:
        assert repository.branches() == repository.version_tags() == {}


def refused_content(clone, files):
    clone.commit({**GOOD, **files})
    clone.tag("digits/1.0.0")
    return refusal(clone, "digits", "--tags")


def test_a_link_is_refused(clone):
    clone.write(GOOD)
    (clone.folder / "data.bin").symlink_to("/etc/passwd")
    assert "data.bin: expected a regular file, found a symbolic link" in refused_content(clone, {})


def test_a_submodule_is_refused(clone):
    clone.write(GOOD)
    clone.git("add", "--all")
    clone.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    clone.git("commit", "-qm", "Module")
    clone.tag("digits/1.0.0")
    said = refusal(clone, "digits", "--tags")
    assert "module: expected a regular file, found a submodule" in said


def test_odd_paths_are_refused(clone):
    said = refused_content(clone, {"a b.txt": "x", "ünicode": "y"})
    assert "'a b.txt': expected a relative path" in said
    assert "'ünicode': expected a relative path" in said


def test_a_path_that_escapes_is_refused_by_git_itself(clone):
    clone.commit(GOOD)
    blob = clone.git("rev-parse", "HEAD:main.py").strip()
    listing = f"100644 blob {blob}\t..\n".encode()
    made = subprocess.run(["git", "mktree"], cwd=clone.folder, input=listing, capture_output=True, check=True)
    tree = made.stdout.decode().strip()
    commit = clone.git("commit-tree", tree, "-m", "escape").strip()
    clone.git("update-ref", "refs/heads/digits", commit)
    said = refusal(clone, "digits")
    assert "hasDotdot" in said


def test_a_file_over_the_limit_is_refused_by_name(clone):
    said = refused_content(clone, {"model.bin": b"\x01" * (1024 * 1024 + 1)})
    assert "model.bin: expected at most 1048576 bytes, found 1048577 bytes" in said


def test_a_missing_task_file_is_refused(clone):
    clone.commit({"main.py": MAIN})
    clone.tag("digits/1.0.0")
    assert "task.toml: expected this file at the top of the tree" in refusal(clone, "digits", "--tags")


def test_a_missing_entry_point_is_refused(clone):
    said = refused_content(clone, {"task.toml": TASK.replace("main:run", "other:run")})
    assert "task.toml: task.entry_point: expected other.py or other/__init__.py in the bundle" in said


def test_python_that_does_not_compile_is_refused_with_its_line(clone):
    said = refused_content(clone, {"helper.py": "x = 1\nif x\n"})
    assert "helper.py:2: expected Python that compiles" in said


def test_all_mistakes_of_a_task_file_are_listed_at_once(clone):
    broken = TASK.replace("every_s = 5", "every_s = -1").replace('type = "number"', 'type = "nmber"', 1)
    said = refused_content(clone, {"task.toml": broken + "[limits]\ntime_ms = 'fast'\n[limit]\n"})
    for field in ("trigger.every_s", "inputs.number.type", "limits.time_ms", "limit:"):
        assert f"digits/1.0.0: task.toml: {field}" in said
    assert '(did you mean "number"?)' in said


def test_a_pointer_of_git_lfs_is_refused(clone):
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n"
    said = refused_content(clone, {"model.bin": pointer})
    assert "model.bin: expected the file itself, found a Git LFS pointer (push it as an ordinary file)" in said


def test_a_date_that_no_calendar_has_is_refused(clone):
    clone.commit(GOOD)
    raw = re.sub(r"(committer .*> )\d+", r"\g<1>999999999999", clone.git("cat-file", "commit", "HEAD"))
    done = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=clone.folder,
        input=raw.encode(),
        capture_output=True,
        check=True,
    )
    clone.git("update-ref", "refs/heads/digits", done.stdout.decode().strip())
    clone.tag("digits/1.0.0")
    said = refusal(clone, "digits", "--tags")
    assert "tag digits/1.0.0: cannot read author, date or message of" in said


def test_contents_of_a_refused_push_leave_nothing_in_the_repository(clone, served):
    refused_content(clone, {"helper.py": "if x\n"})
    with Repository(served.slug) as repository:
        assert repository.branches() == repository.version_tags() == {}
        assert not [path for path in (repository.path / "objects").rglob("*") if path.is_file()]


def test_a_retired_task_takes_no_version_until_it_is_back(clone, released):
    task = Task.objects.get()
    retire_task(actor=SYSTEM, task=task, now=timezone.now())
    clone.commit({"main.py": MAIN + "#\n"})
    clone.tag("digits/1.1.0")
    assert "task digits is retired; unretire it first" in refusal(clone, "digits", "--tags")
    unretire_task(actor=SYSTEM, task=task, now=timezone.now())
    assert "registered" in clone.push("digits", "--tags")
