"""The text form of what a role or a token is about."""

import re

from accounts_app.exceptions import InvalidScope
from accounts_app.models import SCOPE_PATTERN


def scenario_scope(slug: str) -> str:
    """The scope of a business scenario, `scenario:camera`."""
    return check_scope(f"scenario:{slug}")


def app_scope(slug: str) -> str:
    """The scope of a mobile app, `app:shop`."""
    return check_scope(f"app:{slug}")


def check_scope(value: object) -> str:
    """The value unchanged when it is a scope; raises InvalidScope otherwise."""
    if isinstance(value, str) and re.fullmatch(SCOPE_PATTERN, value):
        return value
    raise InvalidScope(value)
