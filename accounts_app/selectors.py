"""Reading who may do what, and who did what."""

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet

from accounts_app.actors import Actor
from accounts_app.models import ApiToken, AuditEntry, Member


def members_of(scope: str) -> QuerySet[Member]:
    """The roles held in a scope, by user name."""
    return Member.objects.filter(scope=scope).select_related("user").order_by("user__username", "role")


def scopes_of(actor: Actor) -> set[str]:
    """Scopes in which the actor holds any role and which his token reaches; every role allows viewing.

    Not meaningful for actors that hold every permission: ask `actor.has_every_permission` first.
    """
    scopes = Member.objects.filter(user_id=getattr(actor.user, "pk", None)).values_list("scope", flat=True)
    return {scope for scope in scopes.distinct() if actor.reaches(scope)}


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """A user's tokens, newest first, revoked ones included."""
    return ApiToken.objects.filter(user=user)


def audit_of(target: Model) -> QuerySet[AuditEntry]:
    """What happened to one object, newest first."""
    return AuditEntry.objects.filter(object_type=target._meta.label_lower, object_id=str(target.pk))


def audit_visible_to(actor: Actor) -> QuerySet[AuditEntry]:
    """Entries the actor may read, newest first: staff all, others those of their scopes and their own."""
    entries = AuditEntry.objects.select_related("user")
    if actor.has_every_permission:
        return entries
    own = entries.filter(user_id=actor.user.pk) if isinstance(actor.user, User) else entries.none()
    return entries.filter(scope__in=scopes_of(actor)) | own
