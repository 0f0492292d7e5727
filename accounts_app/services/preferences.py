"""How a user wants to see the dashboard."""

from django.contrib.auth.models import User
from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.exceptions import TokenNotEnough
from accounts_app.models import Preferences


@transaction.atomic
def change_preferences(
    *, actor: Actor, user: User, theme: str | None = None, time_zone: str | None = None
) -> Preferences:
    """Change a user's own preferences; None changes nothing. They concern nobody else, and are not in the audit log."""
    if actor.token is not None and actor.token.is_limited:
        raise TokenNotEnough("change preferences if it is limited")
    row, _ = Preferences.objects.select_for_update().get_or_create(user=user)
    row.theme = row.theme if theme is None else theme
    row.time_zone = row.time_zone if time_zone is None else time_zone
    row.save()
    return row
