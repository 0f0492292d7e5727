"""Grant and withdraw roles."""

from django.contrib.auth.models import User
from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.models import Member, Role
from accounts_app.permissions import Permission, require
from accounts_app.scopes import check_scope
from accounts_app.services.audit import record


@transaction.atomic
def grant_role(*, actor: Actor, user: User, scope: str, role: str) -> Member:
    """Grant a user a role in a scope; a role already held changes nothing."""
    require(actor, Permission.MANAGE_MEMBERS, check_scope(scope))
    member, created = Member.objects.get_or_create(user=user, scope=scope, role=Role(role))
    if created:
        after = {"user": user.get_username(), "role": str(member.role)}
        record(actor=actor, action="member.grant", target=member, scope=scope, after=after)
    return member


@transaction.atomic
def revoke_role(*, actor: Actor, user: User, scope: str, role: str) -> bool:
    """Withdraw a role; return False if it was not held."""
    require(actor, Permission.MANAGE_MEMBERS, check_scope(scope))
    member = Member.objects.select_for_update().filter(user=user, scope=scope, role=role).first()
    if member is None:
        return False
    before = {"user": user.get_username(), "role": str(member.role)}
    record(actor=actor, action="member.revoke", target=member, scope=scope, before=before)
    member.delete()
    return True
