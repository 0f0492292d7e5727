"""What clients send about accounts, beyond what every app takes."""

from typing import Any

from rest_framework import serializers

from accounts_app.scopes import scope_forms, scope_pattern


class ScopeInput(serializers.RegexField):
    """The scope of a role, a token or an audit entry."""

    def __init__(self, **options: Any) -> None:
        expected = f"Expected {' or '.join(scope_forms())}."
        super().__init__(
            scope_pattern().replace("$", r"\Z"), error_messages={"invalid": expected}, max_length=60, **options
        )
