"""What `walle doctor` looks at of git: its version, whether it reaches a scenario, and whether it has credentials."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from walle.cli.accounts import StoredAccount
from walle.cli.doctor import Check, Health

TIMEOUT_S: Final = 15.0
OLDEST: Final = (2, 31)
"""The first version that takes configuration from its environment, where a token is not in the list of processes."""


def remote_checks(
    used: StoredAccount, scenario: str | None, environ: Mapping[str, str] = os.environ
) -> Iterator[Check]:
    """Yield the checks of a remote; `scenario` is one that the token may read."""
    if scenario is None:
        yield Check("git remote", Health.WARNING, "there is no scenario to try it with", "walle scenario list")
        return
    remote = f"{used.server}/git/{scenario}.git"
    problem, branches = _list_remote(remote, environ, token=used.token)
    if problem:
        yield Check("git remote", Health.WRONG, f"{remote}: {problem}", _why(problem, remote))
        return
    tasks = f"{branches} branch{'' if branches == 1 else 'es'}"
    yield Check("git remote", Health.OK, f"{remote} answers, with {tasks}")
    yield _credentials(used, remote, environ)


def git_check() -> Check:
    try:
        told = subprocess.run(["git", "--version"], check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
    except (OSError, subprocess.SubprocessError):
        return Check("git", Health.WRONG, "git is not installed, or does not start", "install git, at least 2.31")
    version = told.stdout.split()[2] if len(told.stdout.split()) > 2 else ""
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < OLDEST:
        return Check("git", Health.WRONG, f"git {version or 'of an unknown version'}", "update git, to at least 2.31")
    return Check("git", Health.OK, f"git {version}")


def _credentials(used: StoredAccount, remote: str, environ: Mapping[str, str]) -> Check:
    """Return whether git, as it is set up here, signs in by itself: with a helper, or by the remote's address."""
    own = _remote_here(used.server)
    problem, _ = _list_remote(own or remote, environ)
    where = "the remote of this folder" if own else urlsplit(remote).netloc
    if not problem:
        return Check("git credentials", Health.OK, f"git signs in to {where} by itself")
    advice = "git config --global credential.helper store (or your system's), then once: git ls-remote " + remote
    return Check("git credentials", Health.WARNING, f"git cannot sign in to {where} without asking", advice)


def _remote_here(server: str) -> str | None:
    """Return the address of this folder's remote if it is at the server. It may have a token in it: never shown."""
    try:
        told = subprocess.run(
            ["git", "remote", "get-url", "origin"], check=True, capture_output=True, text=True, timeout=TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError):
        return None
    address = told.stdout.strip()
    try:
        parts, wanted = urlsplit(address), urlsplit(server)
        return address if (parts.hostname, parts.port) == (wanted.hostname, wanted.port) else None
    except ValueError:
        return None


def _list_remote(remote: str, environ: Mapping[str, str], token: str = "") -> tuple[str, int]:
    """List the branches of a remote without asking anybody; return what went wrong, or "", and how many there are."""
    env = {**environ, "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "SSH_ASKPASS": "true", "LC_ALL": "C"}
    if token:
        basic = base64.b64encode(f"walle:{token}".encode()).decode()
        header = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader"}
        env |= {**header, "GIT_CONFIG_VALUE_0": f"Authorization: Basic {basic}"}
    try:
        told = subprocess.run(
            ["git", "ls-remote", "--heads", "--", remote],
            check=False, capture_output=True, text=True, timeout=TIMEOUT_S, env=env, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return f"no answer within {TIMEOUT_S:g} s", 0
    if told.returncode:
        lines = [line for line in told.stderr.splitlines() if line.strip()]
        return (lines[-1].removeprefix("fatal: ") if lines else "git failed"), 0
    return "", len(told.stdout.splitlines())


def _why(problem: str, remote: str) -> str:
    if "403" in problem or "Authentication" in problem:
        return "the token may not read this scenario: see what it may with: walle status"
    return f"a proxy in between may block git: see what it says with: GIT_CURL_VERBOSE=1 git ls-remote {remote}"
