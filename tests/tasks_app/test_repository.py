"""The module that speaks git, on real repositories."""

import stat
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from tasks_app.repository import (
    NoSuchRef,
    Repository,
    RepositoryError,
    TagFacts,
    create_repository,
    repository_path,
)
from tests.support.cases import cases
from tests.tasks_app.working_copy import GOOD, GitFailed
from walle.protocol.names import InvalidNameError


@pytest.fixture
def pushed(copy):
    """digits 1.0.0 (light) and 1.1.0 (annotated) on two commits; returns the commits."""
    first = copy.commit(GOOD, "First\n\nwith a body")
    copy.tag("digits/1.0.0")
    second = copy.commit({"main.py": "x = 1\n"}, "Second")
    copy.tag("digits/1.1.0", "Second version")
    copy.push("digits", "--tags")
    return first, second


def test_a_new_repository_is_bare_and_configured(camera):
    path = repository_path("camera")
    assert path.name == "camera.git"
    config = subprocess.run(["git", "config", "-l"], cwd=path, capture_output=True, text=True, check=True).stdout
    for line in (
        "core.bare=true",
        "http.receivepack=true",
        "receive.fsckobjects=true",
        "receive.denydeletes=false",
        f"core.hookspath={path.parent / 'hooks'}",
    ):
        assert line in config.splitlines() or line in config.lower().splitlines()
    assert (path / "HEAD").read_text() == "ref: refs/heads/main\n"
    for name in ("pre-receive", "post-receive"):
        assert (path.parent / "hooks" / name).stat().st_mode & stat.S_IXUSR


def test_creating_again_changes_nothing_but_mends_configuration(pushed, repository):
    subprocess.run(["git", "config", "receive.fsckObjects", "false"], cwd=repository.path, check=True)
    (repository.path.parent / "hooks" / "pre-receive").write_text("exit 0")
    create_repository("camera")
    assert repository.branches() == {"digits": pushed[1]}
    assert "fsckobjects = true" in (repository.path / "config").read_text().lower()
    assert "pre-receive" in (repository.path.parent / "hooks" / "pre-receive").read_text()


def test_a_push_that_does_not_come_over_http_is_refused(copy, repository):
    create_repository("camera")
    copy.commit(GOOD)
    with pytest.raises(GitFailed) as refused:
        copy.push("digits")
    assert "push over HTTP" in refused.value.output
    assert repository.branches() == {}


@cases("slug", ["../camera", "-camera", "Camera", "", "camera.git", "a/b"])
def test_a_slug_that_is_no_slug_never_becomes_a_path(slug, camera):
    with pytest.raises(InvalidNameError):
        repository_path(slug)


def test_a_scenario_without_repository_is_an_error(settings):
    with pytest.raises(RepositoryError, match="scenario shop has no repository"):
        Repository("shop")


def test_branches_and_tags_are_read(pushed, repository):
    first, second = pushed
    assert repository.branches() == {"digits": second}
    tags = repository.version_tags()
    assert set(tags) == {("digits", "1.0.0"), ("digits", "1.1.0")}
    assert tags["digits", "1.0.0"] == first
    assert repository.tag("digits", "1.0.0") == first
    assert repository.tag("digits", "2.0.0") is None
    assert repository.commit_of(tags["digits", "1.1.0"]) == second != tags["digits", "1.1.0"]


def test_a_light_tag_speaks_through_its_commit_an_annotated_one_for_itself(pushed, repository):
    tags = repository.version_tags()
    when = datetime(2026, 5, 1, 8, tzinfo=UTC)
    light = repository.tag_facts(tags["digits", "1.0.0"])
    assert light == TagFacts(pushed[0], "Ada", "ada@example.org", "First\n\nwith a body", when)
    assert repository.tag_facts(tags["digits", "1.1.0"]).message == "Second version"


def test_history_questions(pushed, repository, copy):
    first, second = pushed
    assert repository.is_ancestor(first, second)
    assert repository.is_ancestor(first, first)
    assert not repository.is_ancestor(second, first)
    assert repository.tags_not_in(second, "digits") == []
    assert repository.tags_not_in(first, "digits") == ["digits/1.1.0"]
    assert repository.tags_not_in(first, "faces") == []


def test_commits_of_one_version_that_another_lacks(pushed, repository, copy):
    first, second = pushed
    long = copy.commit({"main.py": "x = 2\n"}, f"Größer{'!' * 300}\n\nwith a body")
    copy.push("digits")
    found = repository.commits_since(first, long, 9)
    assert [(each.commit, each.author_name) for each in found] == [(long, "Ada"), (second, "Ada")]
    assert found[1].subject == "Second"
    assert found[0].subject.startswith("Größer!")
    assert len(found[0].subject) == 200
    assert found[0].committed_at == datetime(2026, 5, 1, 8, tzinfo=UTC)
    assert repository.commits_since(first, long, 1) == found[:1]
    assert repository.commits_since(long, first, 9) == []


def test_what_is_not_there_is_said_so(pushed, repository):
    with pytest.raises(NoSuchRef):
        repository.commit_of("0" * 39 + "1")
    with pytest.raises(RepositoryError):
        repository.is_ancestor("0" * 39 + "1", pushed[0])
    with pytest.raises(RepositoryError):
        repository.commits_since("0" * 39 + "1", pushed[0], 9)
    tree = subprocess.run(
        ["git", "rev-parse", f"{pushed[0]}^{{tree}}"], cwd=repository.path, capture_output=True, text=True, check=True
    ).stdout.strip()
    with pytest.raises(NoSuchRef, match="tree"):
        repository.commit_of(tree)


@cases("oid", ["--output=/tmp/x", "HEAD", "", "A" * 40, "digits"])
def test_only_full_object_names_reach_git(oid, pushed, repository, tmp_path):
    for ask in (repository.commit_of, repository.entries, lambda o: list(repository.read(o))):
        with pytest.raises(InvalidNameError):
            ask(oid)
    with pytest.raises(InvalidNameError):
        repository.tags_not_in(oid, "digits")
    with pytest.raises(InvalidNameError):
        repository.commits_since(pushed[0], oid, 9)
    with pytest.raises(InvalidNameError):
        repository.commits_since(oid, pushed[0], 9)
    with pytest.raises(InvalidNameError):
        repository.tags_not_in(pushed[0], f"{oid}/")


def test_entries_name_files_links_and_submodules_with_odd_paths(copy, repository):
    copy.write({"a file\nwith ünicode": "x", "deep/er/file.bin": b"\x00" * 10})
    (copy.folder / "link").symlink_to("/etc/passwd")
    copy.git("add", "--all")
    copy.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    copy.git("commit", "-qm", "Odd")
    copy.push("digits")
    kinds = {entry.path: (entry.kind, entry.size) for entry in repository.entries(copy.head())}
    assert kinds == {
        "a file\nwith ünicode": ("file", 1),
        "deep/er/file.bin": ("file", 10),
        "link": ("symlink", 11),
        "module": ("submodule", None),
    }


def test_blobs_are_read_in_pieces_one_after_another(copy, repository):
    big = bytes(range(256)) * 4096
    copy.commit({"big": big, "empty": b"", "small": b"s"})
    copy.push("digits")
    oids = {entry.path: entry.oid for entry in repository.entries(copy.head())}
    pieces = list(repository.read(oids["big"]))
    assert b"".join(pieces) == big
    assert len(pieces) > 1
    assert list(repository.read(oids["empty"])) == []
    assert list(repository.read(oids["small"])) == [b"s"]
    with pytest.raises(RepositoryError, match="expected a blob"):
        list(repository.read(copy.head()))


def test_head_follows_the_branches(copy, repository):
    repository.point_head()
    assert (repository.path / "HEAD").read_text() == "ref: refs/heads/main\n"
    copy.commit(GOOD)
    copy.push("digits", "HEAD:refs/heads/faces")
    repository.point_head()
    assert (repository.path / "HEAD").read_text() == "ref: refs/heads/digits\n"
    copy.push(":refs/heads/digits")
    repository.point_head()
    assert (repository.path / "HEAD").read_text() == "ref: refs/heads/faces\n"


def test_one_exclusive_holder_at_a_time(repository):
    with repository.exclusive_if_free() as first, Repository("camera").exclusive_if_free() as second:
        assert (first, second) == (True, False)
    with repository.exclusive_if_free() as again:
        assert again


def test_locks_left_by_a_killed_push_are_cleared(copy, repository):
    copy.commit(GOOD)
    stale = [repository.path / name for name in ("refs/heads/digits.lock", "packed-refs.lock", "HEAD.lock")]
    for path in stale:
        path.touch()
    repository.clear_stale_locks()
    assert not any(path.exists() for path in stale)
    copy.push("digits")


def test_garbage_collection_packs_and_keeps_everything(pushed, repository):
    repository.collect_garbage(datetime.now(UTC))
    assert list((repository.path / "objects" / "pack").glob("*.pack"))
    assert set(repository.version_tags()) == {("digits", "1.0.0"), ("digits", "1.1.0")}
    assert {entry.path for entry in repository.entries(pushed[1])} == set(GOOD)


def test_quarantines_of_killed_pushes_are_removed_after_a_day(repository):
    quarantine = repository.path / "objects" / "tmp_objdir-incoming-abc"
    quarantine.mkdir()
    (quarantine / "pack").touch()
    now = datetime.now(UTC)
    repository.collect_garbage(now + timedelta(hours=23))
    assert quarantine.exists()
    repository.collect_garbage(now + timedelta(hours=25))
    assert not quarantine.exists()


def test_references_that_are_no_tasks_and_no_versions_are_not_ours(pushed, repository):
    for ref in ("refs/heads/Not-a-task", "refs/tags/v1", "refs/tags/digits/latest", "refs/notes/x"):
        subprocess.run(["git", "update-ref", ref, pushed[0]], cwd=repository.path, check=True)
    assert set(repository.branches()) == {"digits"}
    assert set(repository.version_tags()) == {("digits", "1.0.0"), ("digits", "1.1.0")}


def test_an_object_is_what_its_name_says_whatever_a_repository_puts_in_its_place(copy, pushed, repository):
    def git(*arguments):
        command = ["git", *arguments]
        return subprocess.run(command, cwd=repository.path, capture_output=True, text=True, check=True).stdout.strip()

    first, second = pushed
    entries = repository.entries(first)
    (main,) = (entry for entry in entries if entry.path == "main.py")
    other = git("rev-parse", f"{second}:main.py")
    git("replace", main.oid, other)
    git("replace", "--force", first, second)
    with Repository("camera") as fresh:
        assert fresh.entries(first) == entries
        assert b"".join(fresh.read(main.oid)).decode() == GOOD["main.py"]
        assert [b"".join(content).decode() for content in fresh.contents([main.oid])] == [GOOD["main.py"]]
        assert fresh.tag_facts(first).message == "First\n\nwith a body"
