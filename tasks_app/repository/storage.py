"""The layout of repositories and git's settings for them: paths, configuration, hooks, the lock of a push."""

import fcntl
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from django.conf import settings
from git import Repo

from walle.protocol.names import check_slug

# The host's git configuration and repositories found by accident have no effect; replacement objects are ignored.
HERMETIC: Final = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
}

# Which deletions and which forced updates are refused depends on versions: the hook decides, not git.
CONFIG: Final = {
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


def repository_path(slug: str) -> Path:
    """Return the path of the scenario's bare repository, whether it exists or not."""
    return Path(settings.WALLE_GIT_DIR) / f"{check_slug(slug, 'scenario')}.git"


def create_repository(slug: str) -> None:
    """Create the scenario's repository if it does not exist, and configure it as the present code requires."""
    path = repository_path(slug)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
    # GitPython protects against untrusted templates; this one is empty.
    repo = Repo.init(
        path,
        expand_vars=False,
        bare=True,
        env=HERMETIC,
        initial_branch="main",
        template="",
        allow_unsafe_options=True,
    )
    with repo.config_writer() as config:
        for name, value in {**CONFIG, "core.hooksPath": str(install_hooks())}.items():
            section, _, option = name.partition(".")
            config.set_value(section, option, value)


def install_hooks() -> Path:
    """Install the present hook scripts; return the folder of hooks that all repositories share."""
    folder = Path(settings.WALLE_GIT_DIR) / "hooks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in _HOOKS:
        script = folder / name
        text = _HOOK.format(name=name)
        if not script.is_file() or script.read_text() != text:
            # Renamed into place: a push may be about to run it.
            with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as fresh:
                fresh.write(text)
            Path(fresh.name).chmod(0o755)
            Path(fresh.name).replace(script)
    return folder


def opened(repository: Path) -> Repo:
    """Open a repository; its git depends on nothing outside it, and may read what another account owns."""
    repo = Repo(repository, expand_vars=False)
    repo.git.update_environment(**HERMETIC, **command_config({"safe.directory": str(repository)}))
    return repo


def open_lock(repository: Path) -> int:
    """Open the file whose lock means that a push is being decided or applied, without locking it."""
    return os.open(repository / "walle-push", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def locked_at_once(lock: int) -> bool:
    """Lock the file without waiting; return whether that succeeded."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def command_config(values: Mapping[str, str]) -> dict[str, str]:
    """Return an environment that sets git's settings as `-c` would, without words on a command line."""
    environment = {"GIT_CONFIG_COUNT": str(len(values))}
    for number, (key, value) in enumerate(values.items()):
        environment |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return environment
