"""manage.py copy_artifacts: copy the artifacts of the data folder to the configured bucket."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn

from devices_app.stores import artifact_store, bucket, exclusive_store
from walle.artifacts import ArtifactError, LocalStore
from walle.artifacts.copying import copy_artifacts


class Command(BaseCommand):
    help = (
        "Copies the artifacts of the data folder to the bucket WALLE_S3_BUCKET. Run it again to continue after a "
        "failure, and once more when all processes use the bucket. Nothing is deleted."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="show no progress, only the result")

    def handle(self, *args: Any, **options: Any) -> None:
        if bucket() is None:
            raise CommandError("WALLE_S3_BUCKET is not set: there is no bucket to copy to")
        pairs = {
            "shared": (LocalStore(settings.WALLE_ARTIFACTS_DIR), artifact_store()),
            "exclusive": (LocalStore(settings.WALLE_EXCLUSIVE_DIR), exclusive_store()),
        }
        # Django's OutputWrapper is a text file in all but its declared type.
        console = Console(file=self.stdout, highlight=False)  # type: ignore[arg-type]
        shown = Progress(
            TextColumn("{task.description}"), MofNCompleteColumn(), console=console, disable=options["quiet"]
        )
        try:
            with shown:
                for name, (source, target) in pairs.items():
                    task = shown.add_task(name, total=sum(1 for _ in source.iterate()))
                    copied = size = present = 0
                    for artifact, was_copied in copy_artifacts(source, target):
                        copied, size = copied + was_copied, size + was_copied * artifact.size
                        present += not was_copied
                        shown.advance(task)
                    console.print(f"{name}: {copied} copied ({size / 1e6:.1f} MB), {present} were there already")
        except ArtifactError as error:
            raise CommandError(f"{error}\nWhat was copied stays: run the command again to continue.") from error
