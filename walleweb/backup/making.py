"""Make a backup while the system runs, verify backups and remove old ones."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from django.conf import settings

from devices_app.models import ServerKey
from devices_app.stores import artifact_store, exclusive_store
from kit.encryption import WrongMasterKey, decrypt
from kit.sql import statement
from tasks_app.repository import repository_path
from tasks_app.selectors.names import scenario_slugs
from walle.artifacts import ArtifactStore
from walleweb.backup import BackupError
from walleweb.backup.artifacts import check_artifacts, copy_artifacts, list_artifacts, listed
from walleweb.backup.contents import FILE, Contents, Piece, read_contents
from walleweb.backup.database import database_is_empty, snapshot, write_script
from walleweb.backup.place import STORES, BackupPlace
from walleweb.backup.progress import BackupProgress, in_words
from walleweb.backup.repositories import references, write_bundle

SCRIPT: Final = "database.sql.gz"
_MIGRATIONS: Final = "SELECT app, max(name) FROM django_migrations GROUP BY app"


def stores() -> dict[str, ArtifactStore]:
    """Return the stores of this installation, by the names they have in a backup."""
    return dict(zip(STORES, (artifact_store(), exclusive_store()), strict=True))


def make_backup(place: BackupPlace, *, now: datetime, progress: BackupProgress) -> Path:
    """Add a backup to the place and return its folder. Raises BackupError, and then there is none."""
    if database_is_empty():
        raise BackupError(f"There is nothing in the database {settings.DATABASES['default']['NAME']} yet.")
    _check_master_key()
    with place.locked(), place.new(now) as folder:
        with snapshot() as seen:
            with progress.step("Database") as show, (folder / SCRIPT).open("wb") as script:
                rows = write_script(seen, script, show)
                show(f"{sum(rows.values()):,} rows")
            migrations = dict(seen.rows(_MIGRATIONS))
            scenarios = [slug for (slug,) in seen.rows(*statement(scenario_slugs()))]
            postgres = seen.server
        artifacts, missing = _keep_artifacts(place, folder, progress)
        contents = Contents(
            made_at=now,
            postgres=postgres,
            migrations=migrations,
            rows=rows,
            repositories=_keep_repositories(place, folder, scenarios, progress),
            artifacts=artifacts,
            lacking=missing,
            pieces={str(path.relative_to(folder)): Piece.of(path) for path in _files(folder)},
        )
        contents.write(folder, settings.WALLE_MASTER_KEY)
        name = folder.name.partition(".")[0]
    if missing:
        progress.warn(
            f"{len(missing)} artifacts are missing or damaged here, and in the backup:\n" + "\n".join(missing)
        )
    return place.root / name


def verify_backup(folder: Path, place: BackupPlace, *, progress: BackupProgress) -> Contents:
    """Read all of a backup and compare it with its contents; raises BackupError."""
    contents = read_contents(folder, settings.WALLE_MASTER_KEY)
    with progress.step("Files"):
        for name, piece in contents.pieces.items():
            path = folder / name
            if not path.is_file() or Piece.of(path) != piece:
                raise BackupError(f"{path} is missing or damaged: take another backup, or use an older one.")
    with progress.step("Artifacts") as show:
        wrong = [error for name in STORES for error in check_artifacts(_listed(folder, name), place.store(name), show)]
    if wrong:
        raise BackupError("Artifacts are missing or damaged:\n" + "\n".join(wrong[:20]))
    return contents


def remove_old(place: BackupPlace, *, keep: int, progress: BackupProgress) -> None:
    """Remove all but the newest backups, and the artifacts that none of the others needs."""
    with place.locked(), progress.step("Old backups") as show:
        names = place.names()
        for name in names[:-keep]:
            place.remove(name)
        removed = size = 0
        for store in STORES:
            needed = {digest for name in place.names() for digest, _ in listed(place.root / name / f"{store}.txt")}
            for artifact in list(place.store(store).iterate()):
                if artifact.digest not in needed:
                    place.store(store).delete(artifact.digest)
                    removed, size = removed + 1, size + artifact.size
        show(f"{len(names) - len(place.names())} removed, with {in_words(removed, size)}")


def _check_master_key() -> None:
    """Raise BackupError unless the master key decrypts the keys: otherwise the backup would be worthless."""
    try:
        for key in ServerKey.objects.all():
            decrypt(bytes(key.secret))
    except WrongMasterKey as error:
        raise BackupError(str(error)) from error


def _keep_artifacts(place: BackupPlace, folder: Path, progress: BackupProgress) -> tuple[dict[str, int], list[str]]:
    count = size = 0
    missing: list[str] = []
    for name, store in stores().items():
        with progress.step(name.capitalize()) as show:
            list_artifacts(store, folder / f"{name}.txt")
            copied = copy_artifacts(_listed(folder, name), store, place.store(name), show)
        if copied.failed:
            missing += [f"{name}: {error}" for error in copied.failed.values()]
            lines = [f"{digest} {size}\n" for digest, size in _listed(folder, name) if digest not in copied.failed]
            (folder / f"{name}.txt").write_text("".join(lines))
        count, size = count + copied.count, size + copied.size
    return {"count": count, "bytes": size}, missing


def _listed(folder: Path, name: str) -> Iterator[tuple[str, int]]:
    return listed(folder / f"{name}.txt")


def _keep_repositories(
    place: BackupPlace, folder: Path, scenarios: list[str], progress: BackupProgress
) -> dict[str, str]:
    """Bundle each repository that has references; return a digest of these by scenario."""
    found: dict[str, str] = {}
    before = _last(place)
    (folder / "git").mkdir()
    with progress.step("Repositories") as show:
        for slug in scenarios:
            if not repository_path(slug).is_dir():
                raise BackupError(f"The repository of the scenario {slug} is missing: {repository_path(slug)}")
            show(slug)
            found[slug] = references(slug)
            if found[slug] and not _is_linked(f"git/{slug}.bundle", folder, before, slug, found[slug]):
                write_bundle(slug, folder / "git" / f"{slug}.bundle")
        show(f"{len(found):,}")
    return found


def _is_linked(name: str, folder: Path, before: tuple[Path, Contents] | None, slug: str, present: str) -> bool:
    """Link the bundle of the last backup if nothing changed since; return whether that was possible."""
    if before is None or before[1].repositories.get(slug) != present:
        return False
    last, contents = before
    if not (last / name).is_file() or Piece.of(last / name) != contents.pieces.get(name):
        return False
    (folder / name).hardlink_to(last / name)
    return True


def _last(place: BackupPlace) -> tuple[Path, Contents] | None:
    if not place.names():
        return None
    try:
        return place.folder(), read_contents(place.folder(), settings.WALLE_MASTER_KEY)
    except BackupError:
        return None


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != FILE)
