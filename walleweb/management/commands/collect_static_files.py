"""manage.py collect_static_files: bring the static files of this version to where web servers and nginx find them."""

import fcntl
import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from walleweb.dashboard.build import DIST
from walleweb.dashboard.collected import is_collected


class Command(BaseCommand):
    help = (
        "Collects the static files of this version in WALLE_STATIC_DIR, unless they are there. Those of other versions "
        "stay, for pages that are open. Web servers do it before they start (deploy/systemd)."
    )
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        folder = Path(settings.STATIC_ROOT)
        # nginx reads them with an account of its own.
        os.umask(0o022)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if is_collected(folder):
                self.stdout.write(f"The static files of this version lie in {folder} already.")
            else:
                call_command("collectstatic", interactive=False, verbosity=0)
                self.stdout.write(f"The static files of this version lie in {folder} now.")
        if not (DIST / "index.html").is_file():
            self.stderr.write("The dashboard is not built, so its files are not among them: make web")
