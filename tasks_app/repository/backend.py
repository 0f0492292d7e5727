"""Serve repositories with `git http-backend` as a subprocess, in the environment that it and the hooks need."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from tasks_app.repository.processes import GitProcess
from tasks_app.repository.storage import CONFIG, HERMETIC, command_config, install_hooks, open_lock, repository_path


@dataclass(frozen=True)
class BackendRequest:
    """The parts of an HTTP request to a scenario's repository that `git http-backend` needs.

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
        """Return the CGI variables (RFC 3875); the authorization header is never among them."""
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


async def start_backend(request: BackendRequest, facts: Mapping[str, str]) -> GitProcess:
    """Start `git http-backend` in a process group of its own, its three streams piped.

    `facts` are environment variables for the hooks, which also find there two file descriptors: WALLE_PUSH_LOCK to
    lock, which then lasts as long as any process of the push, however it ends, and WALLE_PUSH_LOG for what is not meant
    for the person who pushes.
    """
    path = repository_path(request.slug)
    lock, logs = open_lock(path), os.dup(2)
    shared = {"WALLE_PUSH_LOCK": str(lock), "WALLE_PUSH_LOG": str(logs)}
    environment = {**hook_environment(), **command_config(serving_config(path)), **request.environment()}
    try:
        return await GitProcess.start(
            ("git", "http-backend"), environment={**environment, **facts, **shared}, cwd=path, pass_fds=(lock, logs)
        )
    finally:
        os.close(lock)
        os.close(logs)


def serving_config(path: Path) -> dict[str, str]:
    """Return git's settings for serving a repository, by name."""
    # Passed each time, so that a changed setting or a moved data folder needs no rewriting.
    own = {"safe.directory": str(path), "core.hooksPath": str(install_hooks())}
    return CONFIG | own | {"receive.maxInputSize": str(settings.WALLE_MAX_PUSH)}


def hook_environment() -> dict[str, str]:
    """Return the environment of git and hooks: this process's, without what would confuse git, and their own."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "HTTP_"))}
    source = Path(__file__).resolve().parent.parent
    return (
        inherited
        | HERMETIC
        | {
            "WALLE_PYTHON": sys.executable,
            "WALLE_HOOK": str(source / "hooks" / "client.py"),
            "PYTHONPATH": str(source.parent),
            "DJANGO_SETTINGS_MODULE": str(settings.SETTINGS_MODULE),
            # A hook opens one connection and ends.
            "WALLE_DATABASE_POOL": "0",
        }
    )
