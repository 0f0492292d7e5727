"""Errors of accounts_app (see also `permissions.NotAllowed`)."""

from collections.abc import Iterable

from django.core.exceptions import PermissionDenied


class AccountsError(Exception):
    """The base class of these errors; the text is meant for the person who made the request."""


class InvalidScope(AccountsError):
    """A text is no scope."""

    def __init__(self, forms: Iterable[str], found: object) -> None:
        super().__init__(f"scope: expected {' or '.join(forms)}, found {found!r}")


class InvalidToken(AccountsError):
    """The token is malformed, unknown, expired or revoked, or its user is deactivated.

    All have the same text, which must not help a guesser.
    """

    def __init__(self) -> None:
        super().__init__("invalid token: it is unknown, expired or revoked; create a new one on your account page")


class LastOwner(AccountsError):
    """The role is that of the only active owner of a scope."""

    def __init__(self, user: str, scope: str) -> None:
        super().__init__(f"{user} is the only owner of {scope}: make somebody else an owner first")


class TokenNotEnough(PermissionDenied):
    """The action requires a person who signed in; a token, which may have leaked, is not enough."""

    def __init__(self, action: str) -> None:
        super().__init__(f"a token may not {action}; sign in with a password")
