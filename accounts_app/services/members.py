"""Grant, exchange and withdraw roles. A scope that has an owner keeps one: nobody else could give roles there."""

from django.contrib.auth.models import User
from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.exceptions import LastOwner
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
        record(actor=actor, action="member.grant", target=member, scope=scope, after=_facts(member))
    return member


@transaction.atomic
def change_role(*, actor: Actor, user: User, scope: str, role: str, new: str) -> Member | None:
    """Exchange a role for another one; return None if it was not held. Raises LastOwner."""
    require(actor, Permission.MANAGE_MEMBERS, check_scope(scope))
    if role == new:
        return Member.objects.filter(user=user, scope=scope, role=role).first()
    member = _locked(user, scope, role)
    if member is None:
        return None
    before = _facts(member)
    held = Member.objects.filter(user=user, scope=scope, role=new).first()
    if held is None:
        member.role = Role(new)
        member.save(update_fields=["role"])
    else:
        member.delete()
        member = held
    record(actor=actor, action="member.change", target=member, scope=scope, before=before, after=_facts(member))
    return member


@transaction.atomic
def revoke_role(*, actor: Actor, user: User, scope: str, role: str) -> bool:
    """Withdraw a role; return False if it was not held. Raises LastOwner."""
    require(actor, Permission.MANAGE_MEMBERS, check_scope(scope))
    member = _locked(user, scope, role)
    if member is None:
        return False
    record(actor=actor, action="member.revoke", target=member, scope=scope, before=_facts(member))
    member.delete()
    return True


def _locked(user: User, scope: str, role: str) -> Member | None:
    """Return a role that is about to go, locked; None if it is not held. Raises LastOwner.

    All owners are locked, in one order: of two who go at the same time, the second finds the first gone.
    """
    rows = Member.objects.select_related("user").select_for_update(of=("self",)).filter(scope=scope, role=role)
    found = list(rows.order_by("id") if role == Role.OWNER else rows.filter(user=user))
    member = next((row for row in found if row.user_id == user.pk), None)
    others = [row for row in found if row != member and row.user.is_active]
    if member is not None and role == Role.OWNER and member.user.is_active and not others:
        raise LastOwner(user.get_username(), scope)
    return member


def _facts(member: Member) -> dict[str, str]:
    return {"user": member.user.get_username(), "role": str(member.role)}
