"""Read scenarios' repositories with GitPython; git itself tells which objects they hold."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Final, Literal

from git.exc import GitCommandError
from git.objects import Commit, Object, TagObject

from tasks_app.repository.storage import HERMETIC, locked_at_once, open_lock, opened, repository_path
from walle.protocol.names import check_commit, check_slug, is_valid, split_version_tag, version_tag

BRANCHES: Final = "refs/heads/"
TAGS: Final = "refs/tags/"
NO_COMMIT: Final = "0" * 40
_CHUNK: Final = 1 << 18
# The highest value that every system lets a process set.
_PIPE: Final = 1 << 20
_QUARANTINE_SECONDS: Final = 24 * 3600


class RepositoryError(Exception):
    """git failed to do what was requested."""


class NoSuchRef(RepositoryError):
    """The branch, tag or commit is not in the repository."""


@dataclass(frozen=True)
class GitTreeEntry:
    """One entry of a commit's tree; `size` is None for what is not a blob. `path` may be any text."""

    path: str
    kind: Literal["file", "symlink", "submodule"]
    oid: str
    size: int | None


@dataclass(frozen=True)
class TagFacts:
    """The author, time and message of a version, from its annotated tag or from the commit of a lightweight one."""

    commit: str
    author_name: str
    author_email: str
    message: str
    tagged_at: datetime


@dataclass(frozen=True)
class CommitFacts:
    """One commit of a history: its subject, author and time. What is very long is cut."""

    commit: str
    author_name: str
    committed_at: datetime
    subject: str


class Repository:
    """A reader of one scenario's repository, not to be shared between threads.

    Inside a receive hook it also sees the quarantined objects of the push, through the environment that git passes to
    hooks.
    """

    def __init__(self, slug: str) -> None:
        self.slug, self.path = slug, repository_path(slug)
        if not (self.path / "HEAD").is_file():
            raise RepositoryError(f"scenario {slug} has no repository")
        self._repo = opened(self.path)
        self._git = self._repo.git

    def __enter__(self) -> "Repository":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the git processes that read objects."""
        self._repo.close()

    def branches(self) -> dict[str, str]:
        """Return task slugs and the commits of their branches. Branches that belong to no task are left out."""
        rows = self._refs("%(refname)%00%(objectname)", BRANCHES)
        branches = {ref.removeprefix(BRANCHES): commit for ref, commit in rows}
        return {name: commit for name, commit in branches.items() if is_valid(check_slug, name)}

    def version_tags(self) -> dict[tuple[str, str], str]:
        """Return (task, version) of every version's tag, and the object it names: a commit or an annotated tag."""
        rows = self._refs("%(refname)%00%(objectname)", TAGS)
        tags = {ref.removeprefix(TAGS): oid for ref, oid in rows}
        return {_task_and_version(name): oid for name, oid in tags.items() if is_valid(split_version_tag, name)}

    def tags_not_in(self, tip: str, task: str) -> list[str]:
        """Return the task's version tags (`digits/1.0.0`) whose commits cannot be reached from the commit `tip`."""
        rows = self._refs("%(refname)", f"{TAGS}{check_slug(task)}/", f"--no-merged={check_commit(tip)}")
        return [ref.removeprefix(TAGS) for (ref,) in rows]

    def tag(self, task: str, version: str) -> str | None:
        """Return the object that a version's tag names, or None."""
        rows = self._refs("%(refname)%00%(objectname)", TAGS + version_tag(task, version))
        return rows[0][1] if rows else None

    def commit_of(self, oid: str) -> str:
        """Return the commit of an id, or the one that an annotated tag leads to; raises NoSuchRef."""
        found = self._object(oid)
        while isinstance(found, TagObject):
            found = found.object
        if not isinstance(found, Commit):
            raise NoSuchRef(f"{oid} leads to a {found.type}, not to a commit")
        return found.hexsha

    def tree_of(self, oid: str) -> str:
        """Return the id of a commit's tree, or of that of an annotated tag's commit: equal for equal files."""
        found = self._object(self.commit_of(oid))
        assert isinstance(found, Commit)  # noqa: S101  commit_of has made sure
        tree: str = found.tree.hexsha
        return tree

    def is_ancestor(self, commit: str, tip: str) -> bool:
        """Return whether `commit` is `tip` or lies in its history."""
        try:
            self._git.merge_base("--is-ancestor", check_commit(commit), check_commit(tip))
        except GitCommandError as error:
            if error.status == 1:
                return False
            raise RepositoryError(f"cannot compare {commit} with {tip}") from error
        return True

    def commits_since(self, base: str, tip: str, most: int) -> list[CommitFacts]:
        """Return the newest commits, so many at most, that lie in the history of `tip` and not in that of `base`."""
        form = "--format=%H%x00%ct%x00%<(200,trunc)%an%x00%<(200,trunc)%s"
        options = ("-z", "--encoding=UTF-8", f"--max-count={most}", form)
        between = f"{check_commit(base)}..{check_commit(tip)}"
        try:
            listing = self._git.log(*options, between, stdout_as_string=False)
            return list(_commits(listing.decode("utf-8", "replace")))
        except (GitCommandError, ValueError, OverflowError) as error:
            raise RepositoryError(f"cannot list the commits from {base} to {tip}") from error

    def tag_facts(self, oid: str) -> TagFacts:
        """Return the author, time and message of a version; raises RepositoryError if they cannot be read."""
        commit_oid = self.commit_of(oid)
        try:
            return self._facts(self._object(commit_oid), self._object(oid))
        except (LookupError, ValueError, OverflowError) as error:
            # Commits may name an unknown encoding, or an impossible date.
            raise RepositoryError(f"cannot read author, date or message of {oid}") from error

    def _facts(self, commit: Object, tag: Object) -> TagFacts:
        assert isinstance(commit, Commit)  # noqa: S101  commit_of has made sure
        message, moment = commit.message, commit.committed_date
        if isinstance(tag, TagObject):
            message, moment = tag.message, tag.tagged_date
        return TagFacts(
            commit=commit.hexsha,
            author_name=_text(commit.author.name),
            author_email=_text(commit.author.email),
            message=_text(message).strip(),
            tagged_at=datetime.fromtimestamp(moment, tz=UTC),
        )

    def entries(self, commit: str, *paths: str) -> list[GitTreeEntry]:
        """Return every file of a commit's tree, or these alone, with folders, submodules and symlinks as themselves."""
        arguments = ("-r", "-l", "-z", "--full-tree", check_commit(commit), "--", *paths)
        listing = self._git.ls_tree(*arguments, stdout_as_string=False)
        return [_entry(line) for line in listing.split(b"\0") if line]

    def read(self, oid: str) -> Iterator[bytes]:
        """Yield a blob's content in chunks, to be read to the end before another object is requested."""
        found = self._repo.odb.stream(bytes.fromhex(check_commit(oid)))
        while chunk := found.read(_CHUNK):
            if found.type == b"blob":
                yield chunk
        if found.type != b"blob":
            raise RepositoryError(f"expected a blob, found {found.type.decode()} {oid}")

    def contents(self, oids: Iterable[str]) -> Iterator[Iterator[bytes]]:
        """Yield the contents of blobs in order, each in chunks: faster than `read` for each.

        Each is to be read to the end before the next is requested.
        """
        with tempfile.TemporaryFile() as requests:
            requests.writelines(f"{check_commit(oid)}\n".encode() for oid in oids)
            if not requests.tell():
                return
            requests.seek(0)
            git = self._git.cat_file("--batch", "--buffer", istream=requests, as_process=True)
            try:
                fcntl.fcntl(git.stdout, fcntl.F_SETPIPE_SZ, _PIPE)
                while head := git.stdout.readline():
                    yield _content(head.decode().split(), git.stdout)
            finally:
                git.stdout.close()
                git.proc.wait()

    def point_head(self) -> None:
        """Let HEAD name the first branch if it dangles, so that a clone checks out a task if there is any."""
        branches = self.branches()
        if branches and self._head() not in branches:
            self._git.symbolic_ref("HEAD", f"{BRANCHES}{check_slug(min(branches))}")

    def collect_garbage(self, now: datetime) -> None:
        """Pack what pushes brought and delete what killed pushes left behind.

        Objects younger than two weeks stay, and quarantines of the last day, which may belong to a push in progress.
        """
        self._git.gc("--quiet")
        for quarantine in (self.path / "objects").glob("tmp_objdir-incoming-*"):
            if quarantine.stat().st_mtime < now.timestamp() - _QUARANTINE_SECONDS:
                shutil.rmtree(quarantine, ignore_errors=True)

    @contextmanager
    def exclusive_if_free(self) -> Iterator[bool]:
        """Prevent pushes from changing the repository; yields False if one is being decided or applied already."""
        lock = open_lock(self.path)
        try:
            yield locked_at_once(lock)
        finally:
            os.close(lock)

    def clear_stale_locks(self) -> None:
        """Delete lock files that killed pushes left on references; the caller holds the exclusive lock.

        Every update of references holds that lock, so that a lock file found under it has no owner.
        """
        stale = [self.path / "HEAD.lock", self.path / "packed-refs.lock", *(self.path / "refs").rglob("*.lock")]
        for path in stale:
            path.unlink(missing_ok=True)

    def _head(self) -> str:
        head: str = self._git.symbolic_ref("HEAD")
        return head.removeprefix(BRANCHES)

    def _refs(self, form: str, prefix: str, *options: str) -> list[list[str]]:
        listing = self._git.for_each_ref(f"--format={form}", *options, prefix)
        return [line.split("\0") for line in listing.splitlines()]

    def _object(self, oid: str) -> Object:
        binary = bytes.fromhex(check_commit(oid))
        try:
            return Object.new_from_sha(self._repo, binary)
        except (ValueError, GitCommandError) as error:
            raise NoSuchRef(f"no object {oid}") from error


def _content(head: list[str], output: IO[bytes]) -> Iterator[bytes]:
    """Yield one object of `git cat-file --batch` in chunks; `head` is its first line: object, type, size."""
    if head[1] != "blob":
        raise RepositoryError(f"expected a blob, found {head[0]} {head[1]}")
    left = int(head[2])
    while left:
        chunk = output.read(min(left, _CHUNK))
        if not chunk:
            raise RepositoryError(f"git ended in the middle of {head[0]}")
        left -= len(chunk)
        yield chunk
    output.read(1)


def _commits(listing: str) -> Iterator[CommitFacts]:
    texts = iter(listing.split("\0"))
    for commit, seconds, author, subject in zip(texts, texts, texts, texts, strict=False):
        yield CommitFacts(commit, author.strip(), datetime.fromtimestamp(int(seconds), tz=UTC), subject.strip())


def _task_and_version(tag: str) -> tuple[str, str]:
    task, version = split_version_tag(tag)
    return task, str(version)


def _entry(line: bytes) -> GitTreeEntry:
    facts, _, path = line.partition(b"\t")
    mode, _, oid, size = facts.decode().split()
    kind: Literal["file", "symlink", "submodule"] = "file"
    if mode.startswith("12"):
        kind = "symlink"
    elif mode.startswith("16"):
        kind = "submodule"
    return GitTreeEntry(path.decode("utf-8", "replace"), kind, oid, None if size == "-" else int(size))


def _text(value: object) -> str:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
    return text.replace("\0", "")


def objects_present(slug: str, oids: Collection[str]) -> set[str]:
    """Return which of the objects the scenario's repository holds; raises RepositoryError."""
    path = repository_path(slug)
    command = ["git", "-c", f"safe.directory={path}", "-C", str(path), "cat-file", "--buffer"]
    command += ["--batch-check=%(objectname)"]
    try:
        requests = "".join(f"{oid}\n" for oid in oids)
        done = subprocess.run(command, input=requests, capture_output=True, text=True, check=True, env=HERMETIC)
    except (OSError, subprocess.CalledProcessError) as error:
        raise RepositoryError(f"cannot look into {path}: {error}") from error
    return {line for line in done.stdout.splitlines() if not line.endswith(" missing")}
