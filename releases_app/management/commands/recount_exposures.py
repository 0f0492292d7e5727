"""manage.py recount_exposures: make the tallies of releases what a count of their exposures gives."""

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from releases_app.models import Release
from releases_app.services.tallies import recount


class Command(BaseCommand):
    help = (
        "Counts the exposures of releases again and mends their tallies, while devices go on reporting: of those "
        "with these numbers, or of every release that has met devices. A million exposures take about a second."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("releases", nargs="*", type=int, metavar="RELEASE", help="the number of a release")

    def handle(self, *args: Any, releases: list[int], **options: Any) -> None:
        chosen = Release.objects.filter(position__isnull=False).order_by("pk").prefetch_related("stages")
        if releases:
            chosen = chosen.filter(pk__in=releases)
        found = list(chosen)
        if unknown := sorted(set(releases) - {release.pk for release in found}):
            raise CommandError(f"expected releases that have met devices, found {', '.join(map(str, unknown))}")
        mended = 0
        for release in found:
            started = time.monotonic()
            differences = recount(release, now=timezone.now())
            mended += len(differences)
            for difference in differences:
                self.stdout.write(f"mended {difference}")
            self.stdout.write(f"{release}: counted in {time.monotonic() - started:.1f} s")
        self.stdout.write(f"{len(found)} releases counted, {mended} tallies mended")
