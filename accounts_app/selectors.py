"""Read roles, tokens and the audit log."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypedDict

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db.models import BooleanField, Exists, ExpressionWrapper, Model, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from accounts_app.actors import Actor
from accounts_app.audit_types import audit_type
from accounts_app.models import ApiToken, AuditEntry, BrowserSession, Member, Preferences, Role
from accounts_app.permissions import SITE, roles_held_by
from kit.row_search import RowSearch

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class MemberFacts(TypedDict):
    """The annotation of each role besides its columns."""

    last_owner: bool


def members_of(scope: str) -> "QuerySet[WithAnnotations[Member, MemberFacts]]":
    """Return the roles held in a scope, by user name, and which of them is that of its only active owner."""
    owner = Q(role=Role.OWNER, user__is_active=True)
    others = Member.objects.filter(owner, scope=OuterRef("scope")).exclude(pk=OuterRef("pk"))
    last_owner = ExpressionWrapper(owner & ~Exists(others), output_field=BooleanField())
    members = Member.objects.filter(scope=scope).annotate(last_owner=last_owner)
    return members.select_related("user").order_by("user__username", "role")


def scopes_of(actor: Actor, held: Iterable[str] | None = None) -> set[str]:
    """Return the scopes in which the actor holds any role and which their token reaches; every role allows viewing.

    Not meaningful for actors that hold every permission: check `actor.has_every_permission` first. `held` are the
    scopes of the user's roles, if they were read for many at once (`rights_of`).
    """
    if held is None:
        held = roles_held_by(actor).values_list("scope", flat=True).distinct()
    return {scope for scope in held if actor.reaches(scope)}


def seen_scopes(actor: Actor, held: Iterable[str] | None = None) -> set[str] | None:
    """Return the scopes whose objects the actor may see; None stands for all. `held` as in `scopes_of`."""
    if not actor.has_every_permission:
        return scopes_of(actor, held)
    return set(actor.token.scopes) if actor.token and actor.token.scopes else None


def seen_slugs(actor: Actor, kind: str) -> set[str] | None:
    """Return the slugs of the seen scopes of a kind ("scenario", "app"); None stands for all."""
    scopes = seen_scopes(actor)
    return None if scopes is None else slugs_among(scopes, kind)


def slugs_among(scopes: Iterable[str], kind: str) -> set[str]:
    """Return the slugs of the scopes of a kind."""
    return {scope.removeprefix(f"{kind}:") for scope in scopes if scope.startswith(f"{kind}:")}


def rights_of(users: Collection[User]) -> dict[int, frozenset[tuple[str, str]]]:
    """Return what determines the rights of users, by their ids: each scope with a role held there; `SITE` for site
    staff.
    """
    rights = {user.pk: {(SITE, "staff")} if user.is_staff else set() for user in users}
    for user, scope, role in Member.objects.filter(user__in=rights).values_list("user", "scope", "role"):
        rights[user].add((scope, role))
    return {user: frozenset(held) for user, held in rights.items()}


def roles_of(actor: Actor) -> dict[str, list[str]]:
    """Return the roles of the actor by each scope that their token reaches, in order."""
    held: dict[str, list[str]] = {}
    for member in roles_held_by(actor).order_by("scope", "id"):
        if actor.reaches(member.scope):
            held.setdefault(member.scope, []).append(member.role)
    return held


def token_reachable_by(actor: Actor, prefix: str) -> ApiToken:
    """Return a token of the actor's own, or for site staff anybody's; raises ApiToken.DoesNotExist."""
    tokens = ApiToken.objects.all() if seen_scopes(actor) is None else _tokens_of(actor)
    return tokens.select_related("user").get(prefix=prefix)


def tokens_visible_to(actor: Actor) -> QuerySet[ApiToken]:
    """Return the actor's own tokens, newest first, including revoked ones; a limited token sees only itself."""
    tokens = _tokens_of(actor)
    return tokens.filter(pk=actor.token.pk) if actor.token and actor.token.is_limited else tokens


def _tokens_of(actor: Actor) -> QuerySet[ApiToken]:
    return ApiToken.objects.none() if actor.account is None else ApiToken.objects.filter(user=actor.account)


class SessionFacts(TypedDict):
    """The annotation of each session besides its columns."""

    current: bool


def sessions_of(
    user: User, *, present: str, now: datetime
) -> "QuerySet[WithAnnotations[BrowserSession, SessionFacts]]":
    """Return the sessions of a user that have not ended, and which of them is the present one."""
    alive = Session.objects.filter(expire_date__gt=now).values("session_key")
    current = ExpressionWrapper(Q(key=present), output_field=BooleanField())
    return BrowserSession.objects.filter(user=user, key__in=alive).annotate(current=current).order_by("-id")


def preferences_of(user: User) -> Preferences:
    """Return how a user wants to see the dashboard; a row that is not stored if they have not said so."""
    return Preferences.objects.filter(user=user).first() or Preferences(user=user)


def audit_of(target: Model) -> QuerySet[AuditEntry]:
    """Return the audit entries of one object, newest first."""
    return AuditEntry.objects.filter(object_type=audit_type(type(target)), object_id=str(target.pk))


def audit_visible_to(actor: Actor) -> QuerySet[AuditEntry]:
    """Return the entries the actor may read, newest first: staff all, others those of their scopes and their own.

    A limited token reads only entries of the scopes that it sees, not those about its user's other tokens.
    """
    return audit_search(actor).all.order_by("-id")


def audit_search(actor: Actor, **columns: str) -> RowSearch[AuditEntry]:
    """Return a search for the entries the actor may read, with these column values."""
    entries = AuditEntry.objects.select_related("user")
    scopes = seen_scopes(actor)
    if scopes is None:
        return RowSearch(entries.filter(**columns))
    visible = Q(scope__in=scopes)
    if actor.account is not None and not (actor.token and actor.token.is_limited):
        visible |= Q(user_id=actor.account.pk)
    return RowSearch(entries, visible & Q(**columns))


# Ids are assigned before transactions commit, so that only (xid, id) gives their order. `xid > '0'` follows from the
# first condition, but the planner needs it to use the partial index.
_AFTER: Final = "(xid, id) > (%s::text::xid8, %s) AND xid > '0'"
_UPTO: Final = "(xid, id) <= (%s::text::xid8, %s)"
# All transactions older than this one have ended.
_SETTLED: Final = "xid < pg_snapshot_xmin(pg_current_snapshot())"

LogPosition = tuple[int, int]
"""The transaction and the id of an entry; other entries come before or after."""


class Settled(TypedDict):
    """The annotation of each entry besides its columns."""

    settled: bool


def entries_after(after: LogPosition) -> "QuerySet[WithAnnotations[AuditEntry, Settled]]":
    """Return everybody's entries after a position, in order; `settled` says whether no further one can appear before
    it.
    """
    # Django has no operators for xid8, and no other way to compare rows.
    entries: QuerySet[AuditEntry] = AuditEntry.objects.extra(where=[_AFTER], params=_parameters(after))  # noqa: S610
    settled = RawSQL(_SETTLED, [], output_field=BooleanField())  # noqa: S611
    return entries.order_by("xid", "id").annotate(settled=settled)


def entries_between(after: LogPosition, upto: LogPosition) -> QuerySet[AuditEntry]:
    """Return everybody's entries after a position and up to another, in order."""
    entries = AuditEntry.objects.extra(where=[_AFTER, _UPTO], params=_parameters(after, upto))  # noqa: S610
    return entries.order_by("xid", "id")


def _parameters(*positions: LogPosition) -> list[str | int]:
    return [value for xid, id_ in positions for value in (str(xid), id_)]
