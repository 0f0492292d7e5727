"""Django's sessions in its own table, which notice when they are used: settings.SESSION_ENGINE."""

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.utils import timezone

from accounts_app.services.sessions import note_use


class SessionStore(DatabaseSessionStore):
    """A session that is used by REST, by admin pages or by a socket: each of them loads it."""

    def load(self) -> dict[str, Any]:
        data: dict[str, Any] = super().load()
        if SESSION_KEY in data and self.session_key:
            note_use(key=self.session_key, now=timezone.now())
        return data
