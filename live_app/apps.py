from functools import partial
from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out
from django.db import transaction


class LiveConfig(AppConfig):
    """The live channel: topics over one socket per page (docs/live.md)."""

    name = "live_app"
    verbose_name = "Live"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from accounts_app.signals import recorded, sessions_ended

        recorded.connect(_hint_of_entry)
        user_logged_out.connect(_hint_of_session)
        sessions_ended.connect(_hint_of_session)


def _hint_of_entry(**_signal: Any) -> None:
    from live_app.hints import AUDIT, HINTS

    transaction.on_commit(partial(HINTS.send, AUDIT), robust=True)


def _hint_of_session(**_signal: Any) -> None:
    from live_app.hints import HINTS, SESSIONS

    transaction.on_commit(partial(HINTS.send, SESSIONS), robust=True)
