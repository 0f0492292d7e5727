"""manage.py seed_demo"""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from walleweb.demo import seed


class Command(BaseCommand):
    help = "Makes the demonstration's user, app and scenarios; harmless when they exist."

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        seed.seed(now=now)
        seed.token(now=now)
