"""Permissions: one table of roles, and `require`, the only check that services call.

A scope is the scenario or app that a permission is about ("scenario:camera", "app:shop"), or `SITE`. Order of checks:
an anonymous or deactivated user may do nothing; a token narrows its user to the token's scopes and permissions; the
system and site staff may do everything; anybody else what their roles in the scope allow.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet

from accounts_app.actors import Actor
from accounts_app.models import Member, Role

SITE: Final = "site"
MOST_OWNERS: Final = 5


class Permission(StrEnum):
    """A permission. The value is what error texts and the API show."""

    VIEW = "view"
    PUSH = "push"
    UPLOAD_VARIANT = "upload variants"
    SIMULATE = "simulate"
    RETIRE = "retire tasks"
    RELEASE = "release"
    COMPLETE_EARLY = "complete early"
    HALT = "halt releases"
    ACKNOWLEDGE = "acknowledge"
    ISSUE_CREDENTIALS = "issue device credentials"
    PREDICT = "predict"
    MANAGE_KEYS = "manage keys"
    MANAGE_MEMBERS = "manage members"
    MANAGE_WEBHOOKS = "manage webhooks"
    MANAGE_SITE = "manage the site"


_VIEWER = frozenset({Permission.VIEW})
_DEVELOPER = _VIEWER | {
    Permission.PUSH,
    Permission.UPLOAD_VARIANT,
    Permission.SIMULATE,
    Permission.HALT,
    Permission.ACKNOWLEDGE,
    Permission.ISSUE_CREDENTIALS,
    Permission.PREDICT,
}
_RELEASER = _VIEWER | {
    Permission.SIMULATE,
    Permission.RELEASE,
    Permission.HALT,
    Permission.ACKNOWLEDGE,
    Permission.RETIRE,
}
_OWNER = _DEVELOPER | _RELEASER | {Permission.MANAGE_KEYS, Permission.MANAGE_MEMBERS, Permission.MANAGE_WEBHOOKS}

# Writing a version and releasing it are separate on purpose: a person who does both holds both roles. Everybody who may
# change something can stop a release, which only makes devices safer. No role holds COMPLETE_EARLY: an app's owners
# grant it to scenarios (docs/adr/0016), and a limited token has to name it.
ROLE_PERMISSIONS: Final[dict[str, frozenset[Permission]]] = {
    Role.VIEWER: _VIEWER,
    Role.DEVELOPER: _DEVELOPER,
    Role.RELEASER: _RELEASER,
    Role.OWNER: _OWNER,
}


class NotAllowed(PermissionDenied):
    """The actor lacks a permission; the text says which one, where, what would grant it, and whom to ask.

    Names of owners are told only to those who hold a role in the scope, and so see its members.
    """

    def __init__(self, actor: Actor, permission: Permission, scope: str) -> None:
        self.permission = permission
        self.scope = scope
        super().__init__(f"{actor.name} may not {permission} in {scope}; {_remedy(actor, permission, scope)}")


def allowed(actor: Actor, permission: Permission, scope: str) -> bool:
    """Return whether the actor holds the permission in the scope."""
    if not actor.reaches(scope) or not _token_permits(actor, permission):
        return False
    return actor.has_every_permission or permission in _held(actor, scope)


def require(actor: Actor, permission: Permission, scope: str) -> None:
    """Raise NotAllowed unless the actor holds the permission in the scope."""
    if not allowed(actor, permission, scope):
        raise NotAllowed(actor, permission, scope)


def roles_held_by(actor: Actor) -> QuerySet[Member]:
    """Return the roles of the actor's user in all scopes; the system and anonymous users hold none."""
    return Member.objects.none() if actor.account is None else Member.objects.filter(user=actor.account)


def scopes_allowing(actor: Actor, permission: Permission) -> set[str]:
    """Return the scopes in which a role of the actor's holds the permission.

    Not meaningful for actors that hold every permission: check `actor.has_every_permission` first.
    """
    if not _token_permits(actor, permission):
        return set()
    held = roles_held_by(actor).filter(role__in=roles_granting(permission))
    return {scope for scope in held.values_list("scope", flat=True) if actor.reaches(scope)}


def require_of_token(actor: Actor, permission: Permission, scope: str) -> None:
    """Raise NotAllowed if the actor's token is limited to other permissions, for what roles do not decide."""
    if not _token_permits(actor, permission):
        raise NotAllowed(actor, permission, scope)


def roles_granting(permission: Permission) -> list[str]:
    """Return the roles that hold a permission, weakest first."""
    return [str(role) for role, held in ROLE_PERMISSIONS.items() if permission in held]


def owners_of(scopes: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of the first active owners of each scope, the oldest first, who give roles there."""
    owners = Member.objects.filter(scope__in=list(scopes), role=Role.OWNER, user__is_active=True)
    found: dict[str, list[str]] = {}
    for scope, name in owners.order_by("scope", "id").values_list("scope", "user__username"):
        found.setdefault(scope, []).append(name)
    return {scope: names[:MOST_OWNERS] for scope, names in found.items()}


def permissions_of(actor: Actor, roles: Iterable[str]) -> list[str]:
    """Return what these roles together allow the actor, in the order of Permission."""
    held = _united(roles)
    return [str(permission) for permission in Permission if permission in held and _token_permits(actor, permission)]


def _token_permits(actor: Actor, permission: Permission) -> bool:
    return actor.token is None or actor.token.permits(permission)


def _held(actor: Actor, scope: str) -> frozenset[Permission]:
    roles = roles_held_by(actor).filter(scope=scope).values_list("role", flat=True)
    return _united(roles)


def _united(roles: Iterable[str]) -> frozenset[Permission]:
    return frozenset().union(*(ROLE_PERMISSIONS[role] for role in roles))


def _remedy(actor: Actor, permission: Permission, scope: str) -> str:
    if not actor.is_active:
        return "sign in with an active account"
    token = actor.token
    if token is not None and not token.covers(scope):
        return f"the token is limited to {', '.join(token.scopes)}"
    if token is not None and not token.permits(permission):
        return f"the token may only {', '.join(dict.fromkeys([Permission.VIEW, *token.permissions]))}"
    roles = roles_granting(permission)
    if not roles:
        return "that takes site staff"
    # Strangers learn no names.
    sees = roles_held_by(actor).filter(scope=scope).exists()
    owners = owners_of([scope]).get(scope, []) if sees else []
    whom = f": ask {' or '.join(owners)}" if owners else ""
    return f"that takes the role {' or '.join(roles)}{whom}"
