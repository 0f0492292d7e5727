"""The actor of a request or job: a user, perhaps through a token, or the system itself."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from django.contrib.auth.models import AnonymousUser, User

from accounts_app.models import ApiToken

if TYPE_CHECKING:
    from django.http import HttpRequest


@dataclass(frozen=True)
class Actor:
    """Passed to every service; `user` None is the system (jobs, start-up)."""

    user: User | AnonymousUser | None
    token: ApiToken | None = None

    @classmethod
    def of(cls, request: "HttpRequest | Any") -> Self:
        """Return the actor of a Django or REST framework request."""
        auth = getattr(request, "auth", None)
        return cls(user=request.user, token=auth if isinstance(auth, ApiToken) else None)

    @property
    def account(self) -> User | None:
        """The user with a row; None for the system and for requests without a login."""
        return self.user if isinstance(self.user, User) else None

    @property
    def name(self) -> str:
        if self.user is None:
            return "system"
        return self.user.get_username() or "anonymous"

    @property
    def is_active(self) -> bool:
        return self.user is None or (self.user.is_authenticated and self.user.is_active)

    @property
    def has_every_permission(self) -> bool:
        """Whether roles need not be checked: the system, or active site staff."""
        return self.user is None or (self.is_active and self.user.is_staff)

    def reaches(self, scope: str) -> bool:
        """Return whether the actor is active and its token, if any, is not limited to other scopes."""
        return self.is_active and (self.token is None or self.token.covers(scope))


SYSTEM = Actor(user=None)
