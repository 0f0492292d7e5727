"""manage.py rotate_key manifest|assignment|root|device"""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.models import ServerKey
from devices_app.services.rotation import rotate


class Command(BaseCommand):
    help = (
        "Replaces one of the server's keys. Devices follow by themselves, also those that slept through several "
        "rotations; the previous key stays accepted until the next rotation of the same purpose."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("purpose", choices=ServerKey.Purpose.values)

    def handle(self, *args: Any, **options: Any) -> None:
        key = rotate(purpose=options["purpose"], actor=SYSTEM, now=timezone.now())
        self.stdout.write(f"{key.purpose} key {key.key_id} is active now")
