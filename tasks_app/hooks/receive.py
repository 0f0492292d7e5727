"""The two steps of a push: the check before git changes references, and the registration after."""

import fcntl
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Final, TextIO

import structlog
from django.contrib.auth.models import User

from accounts_app.actors import Actor
from accounts_app.models import ApiToken
from tasks_app.models import Scenario
from tasks_app.repository import Repository
from tasks_app.services.pushes import Objection, Push, RefUpdate, check_contents, check_push
from tasks_app.services.registration import Registered, follow_branches, register_version
from walle.protocol.names import version_tag

Hook = Callable[[Iterable[str], TextIO], int]

log = structlog.get_logger(__name__)


def pre_receive(updates: Iterable[str], out: TextIO) -> int:
    """Check the updates; return 0 to accept the push, anything else to refuse all of it."""
    scenario = _scenario()
    push = Push.of(RefUpdate.parse(line) for line in updates)
    with Repository(scenario.slug) as repository:
        contents = check_contents(repository=repository, push=push)
        _take_lock(out)
        repository.clear_stale_locks()
        problems = check_push(scenario=scenario, repository=repository, push=push, contents=contents)
    if problems:
        print(f"Nothing in {scenario.slug} was changed. To put right:", file=out)
        for problem in problems:
            print(f"- {problem}", file=out)
        _note(problems)
        return 1
    for (task, version), content in contents.items():
        for warning in content.warnings:
            print(f"warning: {version_tag(task, version)}: {warning}", file=out)
    return 0


def post_receive(updates: Iterable[str], out: TextIO) -> int:
    """Register the new versions. The references have changed by now; the sweep makes up for failures here."""
    scenario, actor = _scenario(), _actor()
    push = Push.of(RefUpdate.parse(line) for line in updates)
    with Repository(scenario.slug) as repository:
        follow_branches(actor=actor, scenario=scenario, repository=repository)
        for task, version in push.tags:
            done = register_version(actor=actor, scenario=scenario, task=task, version=version, repository=repository)
            print(registered_line(done), file=out)
    return 0


def registered_line(done: Registered) -> str:
    """Return the line about a version, `registered camera/digits 1.0.0 (3 files, 12 KB, manifest ab12cd34ef56…)`."""
    version, files = done.version, done.file_count
    count = "1 file" if files == 1 else f"{files} files"
    return f"registered {version} ({count}, {_size(version.total_size)}, manifest {version.manifest_digest[:12]}…)"


def _size(count: int) -> str:
    if count < 1000:
        return f"{count} bytes"
    return f"{round(count / 1000)} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def _note(problems: Iterable[Objection]) -> None:
    """Write the problems to the log of a push that the server itself makes (tasks_app.services.archives), with their
    fields.
    """
    if path := os.environ.get("WALLE_PUSH_PROBLEMS"):
        Path(path).write_text(json.dumps([asdict(problem) for problem in problems]))


def _take_lock(out: TextIO) -> None:
    """Lock the file that git_http opened for this push; it stays locked until git, which also has it, ends."""
    lock = int(os.environ["WALLE_PUSH_LOCK"])
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("waiting for another push to this scenario...", file=out)
        fcntl.flock(lock, fcntl.LOCK_EX)


def _scenario() -> Scenario:
    return Scenario.objects.get(slug=os.environ["WALLE_PUSH_SCENARIO"])


def _actor() -> Actor:
    number = os.environ["WALLE_PUSH_TOKEN"]
    token = ApiToken.objects.filter(pk=number).first() if number else None
    return Actor(user=User.objects.get(pk=os.environ["WALLE_PUSH_USER"]), token=token)


def _guarded(hook: Hook, apology: str) -> Hook:
    """Wrap a hook to log its failures in full and report them in one line: a traceback is of no use to the person who
    pushes.
    """

    def run(updates: Iterable[str], out: TextIO) -> int:
        structlog.contextvars.bind_contextvars(request_id=os.environ["WALLE_PUSH_REQUEST"])
        try:
            return hook(updates, out)
        except Exception:
            log.exception("receive hook failed", hook=hook.__name__)
            print(f"{apology} (request {os.environ['WALLE_PUSH_REQUEST']} in the server's log)", file=out)
            return 1

    return run


HOOKS: Final[dict[str, Hook]] = {
    "pre-receive": _guarded(pre_receive, "Nothing was changed: the server failed while checking the push"),
    "post-receive": _guarded(post_receive, "The push is accepted; its versions will be registered in a moment"),
}
