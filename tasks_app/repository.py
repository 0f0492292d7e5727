"""The only module that speaks git: bare repositories of scenarios, read with GitPython, served by git itself.

git treats any argument that begins with a dash as an option, so nothing that came from people is ever passed
as it is: slugs and versions are checked against walle.protocol.names and only used inside full reference
names, and objects are named by 40 hex digits.
"""

import asyncio
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from django.conf import settings
from git import Repo
from git.exc import GitCommandError
from git.objects import Commit, Object, TagObject

from walle.protocol.names import check_commit, check_slug, is_valid, split_version_tag, version_tag

BRANCHES: Final = "refs/heads/"
TAGS: Final = "refs/tags/"
NO_COMMIT: Final = "0" * 40
_CHUNK: Final = 1 << 18
_QUARANTINE_SECONDS: Final = 24 * 3600

# Nothing of the host's own git configuration, and no repository found by accident, takes part.
_HERMETIC: Final = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}

# Which deletions and which forced updates are refused depends on versions: the hook decides, not git.
_CONFIG: Final = {
    "http.receivepack": "true",
    "http.uploadpack": "true",
    "http.getanyfile": "false",
    "receive.fsckObjects": "true",
    "receive.denyDeletes": "false",
    "receive.denyDeleteCurrent": "ignore",
    "receive.denyNonFastForwards": "false",
    "receive.autogc": "false",
    # A pack is written once; unpacking it would compress every file anew.
    "receive.unpackLimit": "1",
    "gc.auto": "0",
    "uploadpack.allowFilter": "true",
    "core.logAllRefUpdates": "true",
    "core.fsync": "committed,loose-object,reference",
}

_HOOKS: Final = ("pre-receive", "post-receive")
_HOOK: Final = """\
#!/bin/sh
# Written by Walle, which serves this repository over HTTP; a push by any other way is refused.
: "${{WALLE_PYTHON:?push over HTTP: this repository is served by Walle}}"
exec "$WALLE_PYTHON" -I -S "$WALLE_HOOK" {name}
"""


class RepositoryError(Exception):
    """git could not do what was asked."""


class NoSuchRef(RepositoryError):
    """The branch, tag or commit is not in the repository."""


@dataclass(frozen=True)
class TreeEntry:
    """One entry of a commit's tree; `size` is None for what is not a blob. `path` may be any text."""

    path: str
    kind: Literal["file", "symlink", "submodule"]
    oid: str
    size: int | None


@dataclass(frozen=True)
class TagFacts:
    """What a version's tag says: an annotated tag speaks for itself, a light one through its commit."""

    commit: str
    author_name: str
    author_email: str
    message: str
    tagged_at: datetime


def repository_path(slug: str) -> Path:
    """Where the scenario's bare repository lies, whether it exists or not."""
    return Path(settings.WALLE_GIT_DIR) / f"{check_slug(slug, 'scenario')}.git"


def create_repository(slug: str) -> "Repository":
    """The scenario's repository, made if it does not exist, configured as the present code wants it."""
    path = repository_path(slug)
    path.mkdir(parents=True, exist_ok=True)
    # GitPython guards against templates that come from people; this one is none at all.
    options = {"initial_branch": "main", "template": "", "allow_unsafe_options": True}
    repo = Repo.init(path, expand_vars=False, bare=True, env=_HERMETIC, **options)
    with repo.config_writer() as config:
        for name, value in {**_CONFIG, "core.hooksPath": str(_install_hooks())}.items():
            section, _, option = name.partition(".")
            config.set_value(section, option, value)
    return Repository(slug)


def _install_hooks() -> Path:
    folder = Path(settings.WALLE_GIT_DIR) / "hooks"
    folder.mkdir(parents=True, exist_ok=True)
    for name in _HOOKS:
        script = folder / name
        text = _HOOK.format(name=name)
        if not script.is_file() or script.read_text() != text:
            # Renamed into place: a push of another process may be about to run it.
            fresh = folder / f".{name}.{os.getpid()}"
            fresh.write_text(text)
            fresh.chmod(0o755)
            fresh.replace(script)
    return folder


def _open_lock(repository: Path) -> int:
    return os.open(repository / "walle-push", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _locked_at_once(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Repository:
    """Reading one scenario's repository. Not to be shared between threads.

    Inside a receive hook it also sees the quarantined objects of the push, through the environment that git
    gives to hooks.
    """

    def __init__(self, slug: str) -> None:
        self.path = repository_path(slug)
        if not (self.path / "HEAD").is_file():
            raise RepositoryError(f"scenario {slug} has no repository")
        self._repo = Repo(self.path, expand_vars=False)
        self._git = self._repo.git
        self._git.update_environment(**_HERMETIC, **_command_config({"safe.directory": str(self.path)}))

    def __enter__(self) -> "Repository":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the git processes kept for reading objects."""
        self._repo.close()

    def branches(self) -> dict[str, str]:
        """Task slugs and the commits their branches stand at. Branches that are no task's are not ours."""
        rows = self._refs("%(refname)%00%(objectname)", BRANCHES)
        branches = {ref.removeprefix(BRANCHES): commit for ref, commit in rows}
        return {name: commit for name, commit in branches.items() if is_valid(check_slug, name)}

    def version_tags(self) -> dict[tuple[str, str], str]:
        """(task, version) of every version's tag, and the object it names: a commit or an annotated tag."""
        rows = self._refs("%(refname)%00%(objectname)", TAGS)
        tags = {ref.removeprefix(TAGS): oid for ref, oid in rows}
        return {_task_and_version(name): oid for name, oid in tags.items() if is_valid(split_version_tag, name)}

    def tags_not_in(self, tip: str, task: str) -> list[str]:
        """The task's version tags (`digits/1.0.0`) whose commits cannot be reached from the commit `tip`."""
        rows = self._refs("%(refname)", f"{TAGS}{check_slug(task)}/", f"--no-merged={check_commit(tip)}")
        return [ref.removeprefix(TAGS) for (ref,) in rows]

    def tag(self, task: str, version: str) -> str | None:
        """The object that a version's tag names, or None."""
        rows = self._refs("%(refname)%00%(objectname)", TAGS + version_tag(task, version))
        return rows[0][1] if rows else None

    def commit_of(self, oid: str) -> str:
        """The commit that an object is, or that an annotated tag leads to; raises NoSuchRef."""
        found = self._object(oid)
        while isinstance(found, TagObject):
            found = found.object
        if not isinstance(found, Commit):
            raise NoSuchRef(f"{oid} leads to a {found.type}, not to a commit")
        return found.hexsha

    def is_ancestor(self, commit: str, tip: str) -> bool:
        """Whether `commit` is `tip` or lies in its history."""
        try:
            self._git.merge_base("--is-ancestor", check_commit(commit), check_commit(tip))
        except GitCommandError as error:
            if error.status == 1:
                return False
            raise RepositoryError(f"cannot compare {commit} with {tip}") from error
        return True

    def tag_facts(self, oid: str) -> TagFacts:
        """Who made a version, when, and what they said about it; raises RepositoryError if it cannot be read."""
        commit_oid = self.commit_of(oid)
        try:
            return self._facts(self._object(commit_oid), self._object(oid))
        except (LookupError, ValueError, OverflowError) as error:
            # Commits may announce an encoding that nobody knows, or a date that no calendar has.
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

    def entries(self, commit: str) -> list[TreeEntry]:
        """Every file of a commit's tree, folders followed, submodules and symlinks as themselves."""
        listing = self._git.ls_tree("-r", "-l", "-z", "--full-tree", check_commit(commit), stdout_as_string=False)
        return [_entry(line) for line in listing.split(b"\0") if line]

    def read(self, oid: str) -> Iterator[bytes]:
        """A blob's content in chunks. To be read to its end before another object is asked for."""
        found = self._repo.odb.stream(bytes.fromhex(check_commit(oid)))
        while chunk := found.read(_CHUNK):
            if found.type == b"blob":
                yield chunk
        if found.type != b"blob":
            raise RepositoryError(f"expected a blob, found {found.type.decode()} {oid}")

    def point_head(self) -> None:
        """Make a clone check out some task while there is any: HEAD names the first branch if it dangles."""
        branches = self.branches()
        if branches and self._head() not in branches:
            self._git.symbolic_ref("HEAD", f"{BRANCHES}{check_slug(min(branches))}")

    def collect_garbage(self, now: datetime) -> None:
        """Pack what pushes brought and remove what killed ones left.

        Objects younger than two weeks stay, and quarantines of the last day: somebody may be pushing them.
        """
        self._git.gc("--quiet")
        for quarantine in (self.path / "objects").glob("tmp_objdir-incoming-*"):
            if quarantine.stat().st_mtime < now.timestamp() - _QUARANTINE_SECONDS:
                shutil.rmtree(quarantine, ignore_errors=True)

    @contextmanager
    def exclusive_if_free(self) -> Iterator[bool]:
        """Keep pushes from changing the repository; False when one is being decided or applied already."""
        lock = _open_lock(self.path)
        try:
            yield _locked_at_once(lock)
        finally:
            os.close(lock)

    def clear_stale_locks(self) -> None:
        """Remove lock files that killed pushes left on references; only while holding the exclusive lock.

        Whoever updates references holds that lock, so that a lock file met under it has no owner.
        """
        stale = [self.path / "HEAD.lock", self.path / "packed-refs.lock", *(self.path / "refs").rglob("*.lock")]
        for path in stale:
            path.unlink(missing_ok=True)

    def _head(self) -> str:
        return self._git.symbolic_ref("HEAD").removeprefix(BRANCHES)

    def _refs(self, form: str, prefix: str, *options: str) -> list[list[str]]:
        listing = self._git.for_each_ref(f"--format={form}", *options, prefix)
        return [line.split("\0") for line in listing.splitlines()]

    def _object(self, oid: str) -> Object:
        binary = bytes.fromhex(check_commit(oid))
        try:
            return Object.new_from_sha(self._repo, binary)
        except (ValueError, GitCommandError) as error:
            raise NoSuchRef(f"no object {oid}") from error


def _task_and_version(tag: str) -> tuple[str, str]:
    task, version = split_version_tag(tag)
    return task, str(version)


def _entry(line: bytes) -> TreeEntry:
    facts, _, path = line.partition(b"\t")
    mode, _, oid, size = facts.decode().split()
    kind: Literal["file", "symlink", "submodule"] = "file"
    if mode.startswith("12"):
        kind = "symlink"
    elif mode.startswith("16"):
        kind = "submodule"
    return TreeEntry(path.decode("utf-8", "replace"), kind, oid, None if size == "-" else int(size))


def _text(value: object) -> str:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
    return text.replace("\0", "")


def _command_config(values: Mapping[str, str]) -> dict[str, str]:
    """Environment that gives git settings as `-c` would, without words on a command line."""
    environment = {"GIT_CONFIG_COUNT": str(len(values))}
    for number, (key, value) in enumerate(values.items()):
        environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return environment


@dataclass(frozen=True)
class BackendRequest:
    """What `git http-backend` has to know of an HTTP request to one scenario's repository.

    `endpoint` is one of info/refs, git-upload-pack, git-receive-pack. Header values are None when absent.
    """

    slug: str
    method: str
    endpoint: str
    query: str = ""
    user: str = ""
    content_type: str | None = None
    content_length: str | None = None
    content_encoding: str | None = None
    protocol: str | None = None

    def environment(self) -> dict[str, str]:
        """The CGI variables (RFC 3875); the authorization header is never among them."""
        optional = {
            "CONTENT_TYPE": self.content_type,
            "CONTENT_LENGTH": self.content_length,
            "HTTP_CONTENT_ENCODING": self.content_encoding,
            "GIT_PROTOCOL": self.protocol,
        }
        return {
            "REQUEST_METHOD": self.method,
            "GIT_PROJECT_ROOT": str(repository_path(self.slug).parent),
            "PATH_INFO": f"/{self.slug}.git/{self.endpoint}",
            "QUERY_STRING": self.query,
            "REMOTE_USER": self.user,
            "GIT_HTTP_EXPORT_ALL": "1",
        } | {name: value for name, value in optional.items() if value is not None}


async def start_backend(request: BackendRequest, facts: Mapping[str, str]) -> asyncio.subprocess.Process:
    """Start `git http-backend` in a process group of its own, its three streams piped.

    `facts` are environment variables for the hooks, which also find there the numbers of two open files:
    WALLE_PUSH_LOCK to lock, which then lasts as long as any process of the push, however it ends, and
    WALLE_PUSH_LOG for what is not meant for the person who pushes.
    """
    path = repository_path(request.slug)
    lock, logs = _open_lock(path), os.dup(2)
    shared = {"WALLE_PUSH_LOCK": str(lock), "WALLE_PUSH_LOG": str(logs)}
    try:
        return await asyncio.create_subprocess_exec(
            "git",
            "http-backend",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**hook_environment(), **_serving_config(path), **request.environment(), **facts, **shared},
            pass_fds=(lock, logs),
            start_new_session=True,
            cwd=path,
        )
    finally:
        os.close(lock)
        os.close(logs)


def _serving_config(path: Path) -> dict[str, str]:
    # Given anew each time, so that a changed setting or a moved data folder needs no rewriting.
    own = {"safe.directory": str(path), "core.hooksPath": str(_install_hooks())}
    return _command_config(_CONFIG | own | {"receive.maxInputSize": str(settings.WALLE_MAX_PUSH)})


def hook_environment() -> dict[str, str]:
    """What git and hooks inherit: this process's environment without what would confuse git, and their own."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "HTTP_"))}
    source = Path(__file__).resolve().parent
    return (
        inherited
        | _HERMETIC
        | {
            "WALLE_PYTHON": sys.executable,
            "WALLE_HOOK": str(source / "hooks" / "client.py"),
            "PYTHONPATH": str(source.parent),
            "DJANGO_SETTINGS_MODULE": str(settings.SETTINGS_MODULE),
            # A hook makes one connection and ends.
            "WALLE_DATABASE_POOL": "0",
        }
    )
