"""manage.py doctor: say what is missing in this installation, and what to do about it."""

import json
import os
import sys
from dataclasses import asdict
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from walleweb.doctor.examination import examine
from walleweb.doctor.findings import Finding, Health

SIGNS: Final = {Health.OK: "✓", Health.WARNING: "!", Health.MISSING: "✗"}


class Command(BaseCommand):
    help = (
        "Looks at all that this installation needs before users do, and says what is missing and what to do about it. "
        "Start it as the account of the services, with their settings: walle-admin doctor. Exit status 1: something is "
        "missing."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")

    def handle(self, *args: Any, **options: Any) -> None:
        found = []
        for finding in examine(settings.CONFIG, timezone.now()):
            found.append(finding)
            if not options["json"]:
                self._print(finding)
        absent = [finding for finding in found if finding.health is Health.MISSING]
        if options["json"]:
            self.stdout.write(
                json.dumps({"healthy": not absent, "findings": [asdict(each) for each in found]}, indent=1)
            )
        elif absent:
            self.stdout.write(f"{len(absent)} of {len(found)} things are missing.")
        else:
            self.stdout.write("Nothing is missing.")
        if os.geteuid() == 0 and not options["json"]:
            self.stderr.write("This was looked at as root, who may do more than the services: walle-admin doctor")
        if absent:
            sys.exit(1)

    def _print(self, finding: Finding) -> None:
        advice = f"\n{'':26}→ {finding.advice}" if finding.advice else ""
        self.stdout.write(f"{SIGNS[finding.health]} {finding.name:<23} {finding.detail}{advice}")
        self.stdout.flush()
