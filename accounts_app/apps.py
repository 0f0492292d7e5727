from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest
from django.utils import timezone


class AccountsConfig(AppConfig):
    """Members, roles, API tokens and the audit log."""

    name = "accounts_app"
    verbose_name = "Accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        user_logged_in.connect(_note_login)


def _note_login(*, request: HttpRequest, user: object, **_signal: Any) -> None:
    from django.contrib.auth.models import User

    from accounts_app.services.sessions import note_login

    key = request.session.session_key
    if isinstance(user, User) and key:
        note_login(user=user, key=key, user_agent=request.META.get("HTTP_USER_AGENT", ""), now=timezone.now())
