"""What can go wrong in this app, named from the caller's view (see also `permissions.NotAllowed`)."""

from django.core.exceptions import PermissionDenied


class AccountsError(Exception):
    """Anything below; the text is meant for the person who asked."""


class InvalidScope(AccountsError):
    """Text that is not a scope."""

    def __init__(self, found: object) -> None:
        super().__init__(f"scope: expected scenario:<slug> or app:<slug>, found {found!r}")


class InvalidToken(AccountsError):
    """The token is malformed, unknown, expired or revoked, or its user is deactivated.

    One text for all of them: it must not tell a guesser how far he came.
    """

    def __init__(self) -> None:
        super().__init__("invalid token: it is unknown, expired or revoked; make a new one under Tokens")


class TooManyAttempts(AccountsError):
    """No password or token is looked at for another `wait_s` seconds."""

    def __init__(self, wait_s: int) -> None:
        self.wait_s = wait_s
        super().__init__(f"Too many attempts: wait {wait_s} seconds, then try again.")


class TokenNotEnough(PermissionDenied):
    """The action takes a person who signed in; a token, which may have leaked, is not enough."""

    def __init__(self, action: str) -> None:
        super().__init__(f"a token may not {action}; sign in with a password")
