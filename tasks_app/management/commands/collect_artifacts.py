"""manage.py collect_artifacts: delete artifacts that nothing refers to any more, or list what it would delete."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from tasks_app.services.garbage import collect_artifacts


class Command(BaseCommand):
    help = (
        "Deletes artifacts that nothing has referred to for WALLE_KEEP_UNUSED_DAYS, as a job does twice a day. "
        "That time begins when a look first finds them unused."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")

    def handle(self, *args: Any, **options: Any) -> None:
        grace = timedelta(days=settings.WALLE_KEEP_UNUSED_DAYS)
        collected = collect_artifacts(now=timezone.now(), grace=grace, check=lambda: None, dry_run=options["dry_run"])
        went = "would be deleted" if options["dry_run"] else "deleted"
        title = f"Unused artifacts are kept for {grace.days} days"
        table = Table("store", "in use", "unused, waiting", "MB", went, "MB", title=title)
        for store, found in collected.items():
            numbers = (found.used, found.waiting, _mb(found.waiting_bytes), found.deleted, _mb(found.deleted_bytes))
            table.add_row(store, *map(str, numbers))
        # Django's OutputWrapper is a text file in all but its declared type.
        Console(file=self.stdout, highlight=False).print(table)  # type: ignore[arg-type]


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f}"
