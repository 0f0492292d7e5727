"""Report whether a worker of this machine lives and whether jobs are done in time, for probes and for people."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from jobs_app import presence, selectors


class Command(BaseCommand):
    """Run `manage.py worker_health`: exit status 0, or 1 with what is wrong."""

    help = __doc__
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--queue", default="", help="of workers that take this queue (celery, urgent, simulations)")
        parser.add_argument("--lag", type=float, default=60, help="seconds that a due job may wait (60)")
        parser.add_argument("--anywhere", action="store_true", help="a worker of another machine will do")

    def handle(self, *, queue: str, lag: float, anywhere: bool, **_options: Any) -> None:
        now = timezone.now()
        try:
            workers = selectors.living_workers(
                since=now - presence.GONE_AFTER, queue=queue, host="" if anywhere else presence.this_host()
            )
            problems = [] if workers else ["no worker has given a sign in the last half minute"]
            problems += [
                f"{kind}: a job has been due for {seconds:.0f} s"
                for kind, seconds in selectors.lags(now=now)
                if seconds > lag
            ]
        except DatabaseError as error:
            raise CommandError("the database cannot be read") from error
        if problems:
            raise CommandError("; ".join(problems))
        self.stdout.write(f"{workers} workers, no job late")
