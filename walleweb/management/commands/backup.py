"""manage.py backup DIR: make a backup, or verify one."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from rich.console import Console

from walle.artifacts import ArtifactError
from walleweb.backup import BackupError
from walleweb.backup.database import reachable_database
from walleweb.backup.making import make_backup, remove_old, verify_backup
from walleweb.backup.place import BackupPlace
from walleweb.backup.progress import BackupProgress


class Command(BaseCommand):
    help = (
        "Takes a backup of the database, the artifacts and the repositories while Walle runs, and adds it to the "
        "folder DIR. The master key is not in it: keep WALLE_MASTER_KEY elsewhere."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", metavar="DIR", type=Path, help="the folder of all backups")
        parser.add_argument("--verify", action="store_true", help="take none: read one and compare it with its digests")
        parser.add_argument("--name", default="", help="with --verify: which one; the newest if not given")
        parser.add_argument("--keep", type=int, metavar="N", help="afterwards, remove all but the newest N backups")

    def handle(self, *args: Any, **options: Any) -> None:
        place, progress = BackupPlace(options["directory"].absolute()), BackupProgress(Console(highlight=False))
        keep = options["keep"]
        if keep is not None and keep < 1:
            raise CommandError("--keep: expected 1 or more")
        try:
            if options["verify"]:
                folder = place.folder(options["name"])
                verify_backup(folder, place, progress=progress)
                progress.console.print(f"{folder} is whole.", soft_wrap=True)
                return
            with reachable_database():
                folder = make_backup(place, now=timezone.now(), progress=progress)
            progress.console.print(f"The backup is in {folder}", soft_wrap=True)
            if keep is not None:
                remove_old(place, keep=keep, progress=progress)
        except (BackupError, ArtifactError) as error:
            raise CommandError(str(error)) from error
