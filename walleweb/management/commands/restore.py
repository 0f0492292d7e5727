"""manage.py restore DIR: restore a backup into an empty place."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from rich.console import Console

from walle.artifacts import ArtifactError
from walleweb.backup import BackupError
from walleweb.backup.aftermath import SKIPPED_IDS, Aftermath
from walleweb.backup.database import reachable_database
from walleweb.backup.place import BackupPlace
from walleweb.backup.progress import BackupProgress
from walleweb.backup.restoring import restore_backup
from walleweb.embedded.run import CannotRun, held_folder


class Command(BaseCommand):
    help = (
        "Restores a backup into an empty database and an empty folder of repositories: all of it, or nothing. Needs "
        "the WALLE_MASTER_KEY of the installation that made it. Run it before any other process of Walle is started."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", metavar="DIR", type=Path, help="the folder of all backups")
        parser.add_argument("--name", default="", help="which backup; the newest if not given")

    def handle(self, *args: Any, **options: Any) -> None:
        from django.conf import settings

        place, console = BackupPlace(options["directory"].absolute()), Console(highlight=False)
        try:
            folder = place.folder(options["name"])
            with held_folder(settings.WALLE_DATA_DIR), reachable_database():
                aftermath = restore_backup(folder, place, now=timezone.now(), progress=BackupProgress(console))
        except (ArtifactError, BackupError, CannotRun) as error:
            raise CommandError(str(error)) from error
        console.print(_words(folder, aftermath), soft_wrap=True)


def _words(folder: Path, aftermath: Aftermath) -> str:
    lines = [f"{folder} is restored. Before devices and people get in, look at what happened since it was made:"]
    paused = ", ".join(aftermath.paused) or "none"
    lines.append(f"- Paused, because nobody here knows what came of them: {paused}. Resume or abort each.")
    if aftermath.complete:
        lines.append(
            f"- Complete, and offered to all: {', '.join(aftermath.complete)}. Roll back what was rolled back."
        )
    lines.append(
        f"- {aftermath.tokens:,} API tokens are valid. Revoke again what was revoked: tokens, devices, members."
    )
    lines.append("- Keys that were rotated since are lost: rotate them again. Everybody has to sign in again.")
    lines.append(f"- Rows that are made from now on have ids that are {SKIPPED_IDS:,} higher.")
    return "\n".join(lines)
