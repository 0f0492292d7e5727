"""Users, roles and tokens for tests, made the way the product makes them."""

from collections.abc import Sequence

from django.contrib.auth.models import User

from accounts_app.actors import SYSTEM, Actor
from accounts_app.services.members import grant_role
from accounts_app.services.tokens import issue_token


def make_user(name: str = "alice", *, staff: bool = False, superuser: bool = False) -> User:
    """A user without a usable password."""
    return User.objects.create_user(name, is_staff=staff or superuser, is_superuser=superuser)


def make_member(role: str, scope: str, name: str | None = None) -> Actor:
    """A new user who holds one role in one scope."""
    user = make_user(name or role)
    grant_role(actor=SYSTEM, user=user, scope=scope, role=role)
    return Actor(user=user)


def make_staff(name: str = "root") -> Actor:
    return Actor(user=make_user(name, staff=True))


def token_of(actor: Actor, *scopes: str, permissions: Sequence[str] = ()) -> str:
    """The secret of a new token of the actor's user."""
    _, secret = issue_token(actor=SYSTEM, user=actor.user, name="test", scopes=scopes, permissions=permissions)
    return secret
