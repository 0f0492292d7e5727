"""Create commits of files that came without git, and push them like any others.

The objects are created in a staging repository, which sees the objects of the scenario's. From there `git push` takes
them through the checks of all pushes: quarantine, the receive hooks, one transaction of references. Whatever is killed
on the way, the scenario's repository has all of it or nothing.
"""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Final, cast

from django.conf import settings

from tasks_app.repository.backend import hook_environment, serving_config
from tasks_app.repository.reading import BRANCHES, TAGS, RepositoryError
from tasks_app.repository.storage import open_lock, repository_path
from walle.protocol.names import check_commit, check_slug, version_tag

_TREE: Final = "refs/walle/tree"
# Weights do not compress, and everything else is compressed again when the repository is packed.
_FAST: Final = ("-c", "core.compression=1", "-c", "core.bigFileThreshold=1m", "-c", "fastimport.unpackLimit=0")
_PUSH_SECONDS: Final = 1800.0
_STAGING_SECONDS: Final = 24 * 3600


@dataclass(frozen=True)
class ImportedFile:
    """A file of the tree to be created: `mode` is git's, `chunks` come to `size` bytes."""

    path: str
    mode: int
    size: int
    chunks: Iterable[bytes]


@dataclass(frozen=True)
class Signature:
    """The author of a commit or tag, and its time."""

    name: str
    email: str
    at: datetime

    def line(self) -> bytes:
        clean = ("".join(c for c in text if c.isprintable() and c not in "<>") for text in (self.name, self.email))
        return "{} <{}> {:d} +0000".format(*clean, int(self.at.timestamp())).encode()


@dataclass(frozen=True)
class ImportedVersion:
    """A version to be created from a tree: a commit with its parent, if any, and a tag with the same message."""

    task: str
    version: str
    tree: str
    parent: str | None
    by: Signature
    message: str


class Staging:
    """A staging repository beside a scenario's, for one import. See `staging`."""

    def __init__(self, slug: str, folder: Path) -> None:
        self.folder = folder
        self._target = repository_path(slug)
        self._git("init", "--quiet", "--bare", "--template=", ".")
        folder.joinpath("objects/info").mkdir(exist_ok=True)
        folder.joinpath("objects/info/alternates").write_text(f"{self._target / 'objects'}\n")

    def add_tree(self, files: Iterable[ImportedFile], by: Signature) -> str:
        """Create the tree of these files, which are read one by one, and return its id."""
        self._fast_import(_tree_stream(files, by))
        return self.tree_of(_TREE)

    def tree_of(self, name: str) -> str:
        """Return the tree of a commit, or of a tag of one, here or in the scenario's repository."""
        return self._git("rev-parse", "--verify", "--quiet", f"{name}^{{tree}}")

    def add_version(self, made: ImportedVersion) -> None:
        """Commit on the task's branch, and tag the commit; a parent that has this tree already is tagged itself."""
        same = made.parent is not None and self.tree_of(check_commit(made.parent)) == made.tree
        self._fast_import([*(_reset(made) if same else _commit(made)), *_tag(made), b"done\n"])

    def push(self, task: str, version: str, facts: Mapping[str, str]) -> bool:
        """Push branch and tag, both or none, with `facts` for the hooks; return whether they were accepted.

        It waits for other pushes to the scenario.
        """
        lock, logs = open_lock(self._target), os.dup(2)
        shared = {"WALLE_PUSH_LOCK": str(lock), "WALLE_PUSH_LOG": str(logs)}
        refs = (BRANCHES + check_slug(task), TAGS + version_tag(task, version))
        command = ["git", "push", "--quiet", "--atomic", f"--receive-pack={_receive_pack(self._target)}"]
        try:
            process = subprocess.Popen(
                [*command, str(self._target), *(f"{ref}:{ref}" for ref in refs)],
                cwd=self.folder,
                env={**hook_environment(), **facts, **shared},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(lock, logs),
                start_new_session=True,
            )
        finally:
            os.close(lock)
            os.close(logs)
        return self._pushed(process)

    def _pushed(self, process: subprocess.Popen[bytes]) -> bool:
        try:
            _, output = process.communicate(timeout=_PUSH_SECONDS)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        self.output = output.decode("utf-8", "replace")
        return process.returncode == 0

    def _fast_import(self, stream: Iterable[bytes]) -> None:
        command = ["git", *_FAST, "fast-import", "--quiet", "--force", "--done", "--date-format=raw"]
        process = subprocess.Popen(
            command, cwd=self.folder, env=hook_environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        pipe = cast(IO[bytes], process.stdin)
        with process:
            try:
                for piece in stream:
                    pipe.write(piece)
            except BrokenPipeError:
                pass
            except BaseException:
                process.kill()
                raise
            _, output = process.communicate()
        if process.returncode:
            raise RepositoryError(f"git cannot import: {output.decode('utf-8', 'replace')[:300]}")

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=hook_environment(), capture_output=True, check=False
        )
        if done.returncode:
            raise RepositoryError(f"git {arguments[0]}: {done.stderr.decode('utf-8', 'replace')[:300]}")
        return done.stdout.decode().strip()


@contextmanager
def staging(slug: str) -> Iterator[Staging]:
    """Yield a staging repository for one import into a scenario, and delete it afterwards."""
    root = _staging_root()
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root, ignore_cleanup_errors=True) as folder:
        yield Staging(slug, Path(folder))


def clear_staging(now: datetime) -> None:
    """Delete what killed imports left behind, if it is older than a day."""
    for folder in _staging_root().glob("*"):
        if folder.stat().st_mtime < now.timestamp() - _STAGING_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _staging_root() -> Path:
    return Path(settings.WALLE_GIT_DIR) / "staging"


def _receive_pack(target: Path) -> str:
    # git does not pass settings of its environment to the remote side, even on the same machine.
    options = [word for name, value in serving_config(target).items() for word in ("-c", f"{name}={value}")]
    return shlex.join(["git", *options, "receive-pack"])


def _tree_stream(files: Iterable[ImportedFile], by: Signature) -> Iterator[bytes]:
    modes = {}
    for mark, file in enumerate(files, 1):
        modes[mark] = f"M {file.mode:o} :{mark} {file.path}\n".encode()
        yield b"blob\nmark :%d\ndata %d\n" % (mark, file.size)
        yield from file.chunks
        yield b"\n"
    yield b"commit %s\ncommitter %s\ndata 0\n" % (_TREE.encode(), by.line())
    yield from modes.values()
    yield b"done\n"


def _reset(made: ImportedVersion) -> Iterator[bytes]:
    yield b"reset %s\nfrom %s\n\n" % (_branch(made), check_commit(made.parent).encode())


def _commit(made: ImportedVersion) -> Iterator[bytes]:
    yield b"commit %s\ncommitter %s\n%s" % (_branch(made), made.by.line(), _data(made.message))
    if made.parent:
        yield b"from %s\n" % check_commit(made.parent).encode()
    yield b'M 040000 %s ""\n' % check_commit(made.tree).encode()


def _tag(made: ImportedVersion) -> Iterator[bytes]:
    name = version_tag(made.task, made.version).encode()
    yield b"tag %s\nfrom %s\ntagger %s\n%s" % (name, _branch(made), made.by.line(), _data(made.message))


def _branch(made: ImportedVersion) -> bytes:
    return f"{BRANCHES}{check_slug(made.task)}".encode()


def _data(text: str) -> bytes:
    data = text.encode()
    return b"data %d\n%s\n" % (len(data), data)
