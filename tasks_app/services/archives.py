"""Register versions from archives and other trees: the server commits, tags and pushes in somebody's name.

Order of steps: permissions; the tree's own soundness; the tree as git objects, in a staging repository; a comparison
with what exists already; then a push, decided by the same hooks as any other. Git remains the source of truth: a kill
leaves a version that the sweep registers, or none.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from threading import BoundedSemaphore
from typing import IO, Final
from uuid import uuid4

import structlog
from django.contrib.auth.models import User

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require
from tasks_app.exceptions import ArchiveRefused, BranchMoved, VersionExists, VersionRefused
from tasks_app.hooks.launch import push_facts
from tasks_app.models import Scenario
from tasks_app.repository import ImportedFile, ImportedVersion, Repository, Signature, Staging, staging
from tasks_app.scopes import scenario_scope
from tasks_app.services.content import tree_limits
from tasks_app.services.pushes import Objection
from tasks_app.services.registration import Registered, register_version
from walle.bundle.archive import ArchiveTree, UnreadableArchiveError
from walle.bundle.tree import FileTree
from walle.bundle.tree_listing import listing
from walle.protocol.names import version_tag

_TRIES: Final = 3
# Each import holds a few processes, and some hundred MB of disk.
_places = BoundedSemaphore(4)
_Chunks = Callable[[str], Iterable[bytes]]


@dataclass(frozen=True)
class Upload:
    """A tree to be registered: who brings it, and as which version.

    `warm` is where hooks find the process that forks into them, or "".
    """

    actor: Actor
    scenario: Scenario
    task: str
    version: str
    message: str = ""
    warm: str = ""

    @property
    def tag(self) -> str:
        return version_tag(self.task, self.version)


def register_archive(*, upload: Upload, archive: IO[bytes], now: datetime) -> tuple[Registered, bool]:
    """Return the version registered from a tar or zip archive, and whether it is new.

    The branch and the task are created if they do not exist. Equal content changes nothing. `archive` is a seekable
    file. Raises NotAllowed, InvalidNameError, ArchiveRefused, VersionRefused with the messages of the push's hook,
    VersionExists for other content, BranchMoved.
    """
    require(upload.actor, Permission.PUSH, scenario_scope(upload.scenario.slug))
    with _places, staging(upload.scenario.slug) as place:
        try:
            tree = ArchiveTree.open(archive, tree_limits())
            return _register(place, upload, _imported(place, tree, tree.chunks, upload, now), now)
        except UnreadableArchiveError as error:
            raise ArchiveRefused([str(error)]) from error


def register_tree(*, upload: Upload, tree: FileTree, now: datetime) -> tuple[Registered, bool]:
    """Return the version registered from a tree that the server has, and whether it is new: as `register_archive`."""
    require(upload.actor, Permission.PUSH, scenario_scope(upload.scenario.slug))
    with _places, staging(upload.scenario.slug) as place:
        return _register(place, upload, _imported(place, tree, lambda path: iter([tree.read(path)]), upload, now), now)


def _register(place: Staging, upload: Upload, tree: str, now: datetime) -> tuple[Registered, bool]:
    by, message = _signature(upload.actor, now), upload.message or upload.tag
    for _ in range(_TRIES):
        with Repository(upload.scenario.slug) as repository:
            if _is_tagged(place, repository, upload, tree):
                return _registered(upload, repository), False
            tip = repository.branches().get(upload.task)
            place.add_version(ImportedVersion(upload.task, upload.version, tree, tip, by, message))
            refusal = _pushed(place, upload)
            if refusal is None:
                return _registered(upload, repository), True
            if repository.branches().get(upload.task) == tip and repository.tag(upload.task, upload.version) is None:
                raise refusal
    raise BranchMoved(f"somebody pushed to {upload.task} meanwhile, {_TRIES} times: try again")


def _registered(upload: Upload, repository: Repository) -> Registered:
    """Return the version's row, in case the hook was killed before it inserted it."""
    return register_version(
        actor=upload.actor,
        scenario=upload.scenario,
        task=upload.task,
        version=upload.version,
        repository=repository,
    )


def _signature(actor: Actor, now: datetime) -> Signature:
    user = actor.user
    email = user.email if isinstance(user, User) else ""
    full_name = user.get_full_name() if isinstance(user, User) else ""
    return Signature(full_name or actor.name, email, now)


def _imported(place: Staging, tree: FileTree, chunks: _Chunks, upload: Upload, now: datetime) -> str:
    """Return the tree as an object of git; `chunks` reads a file, once the one before has been read to its end."""
    limits = tree_limits()
    entries, problems, _ = listing(tree, limits)
    if problems:
        raise ArchiveRefused([problem.text for problem in problems], [problem.place for problem in problems])
    files = (ImportedFile(entry.path, entry.mode, entry.size, chunks(entry.path)) for entry in entries)
    return place.add_tree(files, _signature(upload.actor, now))


def _is_tagged(place: Staging, repository: Repository, upload: Upload, tree: str) -> bool:
    """Return whether the version exists with this content; raises VersionExists for other content."""
    tagged = repository.tag(upload.task, upload.version)
    if tagged is None:
        return False
    if place.tree_of(tagged) != tree:
        raise VersionExists(f"{upload.tag} has other content; a version never changes, use a new one")
    return True


def _pushed(place: Staging, upload: Upload) -> VersionRefused | None:
    """Push branch and tag; return the objections of the hook or of git if they were refused."""
    request = str(structlog.contextvars.get_contextvars().get("request_id") or uuid4().hex)
    noted = place.folder / "problems.json"
    noted.unlink(missing_ok=True)
    facts = push_facts(upload.scenario.slug, upload.actor, request) | {"WALLE_PUSH_PROBLEMS": str(noted)}
    if upload.warm:
        facts["WALLE_PUSH_WARM"] = upload.warm
    if place.push(upload.task, upload.version, facts):
        return None
    if not noted.exists():
        return VersionRefused(upload.tag, [f"git does not take it: {_reason(place.output)}"])
    problems = [Objection(**problem) for problem in json.loads(noted.read_text())]
    # Problems of the version itself need not name it.
    texts = [problem.text if problem.subject == upload.tag else str(problem) for problem in problems]
    return VersionRefused(upload.tag, texts, [problem.field for problem in problems])


def _reason(output: str) -> str:
    """Return why git refused a push: the last words of the server, else those on the branch, else git's own."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    remote = [line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:")]
    rejected = [line.removeprefix("!").strip() for line in lines if line.startswith("!")]
    return next((found[-1] for found in (remote, rejected, lines) if found), "no reason given")
