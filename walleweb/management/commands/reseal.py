"""manage.py reseal: encrypt all secrets in the database again with the present master key."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts_app.actors import SYSTEM
from kit.encryption import WrongMasterKey
from walleweb.backup.contents import key_name
from walleweb.reencryption import reencrypt


class Command(BaseCommand):
    help = (
        "Encrypts all secrets in the database with WALLE_MASTER_KEY; WALLE_MASTER_KEY_FALLBACKS decrypt those "
        "under another key, and can be removed afterwards. docs/guides/key-rotation.md has the steps."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        name = key_name(settings.WALLE_MASTER_KEY)
        try:
            count = reencrypt(actor=SYSTEM, key=name)
        except WrongMasterKey as error:
            raise CommandError(f"{error}, or name it in WALLE_MASTER_KEY_FALLBACKS") from error
        self.stdout.write(f"{count} secrets are encrypted with the master key {name} now")
