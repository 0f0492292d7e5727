"""Reading who may do what, and who did what."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Final, TypedDict

from django.contrib.auth.models import User
from django.db.models import BooleanField, Model, Q, QuerySet
from django.db.models.expressions import RawSQL

from accounts_app.actors import Actor
from accounts_app.audit_types import audit_type
from accounts_app.models import ApiToken, AuditEntry, Member
from accounts_app.permissions import SITE, roles_held_by
from kit.row_search import RowSearch

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


def members_of(scope: str) -> QuerySet[Member]:
    """The roles held in a scope, by user name."""
    return Member.objects.filter(scope=scope).select_related("user").order_by("user__username", "role")


def scopes_of(actor: Actor, held: Iterable[str] | None = None) -> set[str]:
    """Scopes in which the actor holds any role and which his token reaches; every role allows viewing.

    Not meaningful for actors that hold every permission: ask `actor.has_every_permission` first. `held`: the scopes of
    his user's roles, where they have been read for many at once (`rights_of`).
    """
    if held is None:
        held = roles_held_by(actor).values_list("scope", flat=True).distinct()
    return {scope for scope in held if actor.reaches(scope)}


def seen_scopes(actor: Actor, held: Iterable[str] | None = None) -> set[str] | None:
    """Scopes whose things the actor may see; None stands for all there are. `held` as in `scopes_of`."""
    if not actor.has_every_permission:
        return scopes_of(actor, held)
    return set(actor.token.scopes) if actor.token and actor.token.scopes else None


def seen_slugs(actor: Actor, kind: str) -> set[str] | None:
    """The slugs of the seen scopes of a kind ("scenario", "app"); None stands for all there are."""
    scopes = seen_scopes(actor)
    return None if scopes is None else slugs_among(scopes, kind)


def slugs_among(scopes: Iterable[str], kind: str) -> set[str]:
    """The slugs of the scopes of a kind."""
    return {scope.removeprefix(f"{kind}:") for scope in scopes if scope.startswith(f"{kind}:")}


def rights_of(users: Collection[User]) -> dict[int, frozenset[tuple[str, str]]]:
    """What distinguishes what users may do, by their ids: each scope with a role held there; `SITE` for site staff."""
    rights = {user.pk: {(SITE, "staff")} if user.is_staff else set() for user in users}
    for user, scope, role in Member.objects.filter(user__in=rights).values_list("user", "scope", "role"):
        rights[user].add((scope, role))
    return {user: frozenset(held) for user, held in rights.items()}


def roles_of(actor: Actor) -> dict[str, list[str]]:
    """The roles the actor holds, by each scope that his token reaches, in order."""
    held: dict[str, list[str]] = {}
    for member in roles_held_by(actor).order_by("scope", "id"):
        if actor.reaches(member.scope):
            held.setdefault(member.scope, []).append(member.role)
    return held


def token_reachable_by(actor: Actor, prefix: str) -> ApiToken:
    """A token of the actor's own, or for site staff anybody's; raises ApiToken.DoesNotExist."""
    tokens = ApiToken.objects.all() if seen_scopes(actor) is None else _tokens_of(actor)
    return tokens.select_related("user").get(prefix=prefix)


def tokens_visible_to(actor: Actor) -> QuerySet[ApiToken]:
    """The actor's own tokens, newest first, revoked ones included; a token that is limited shows itself only."""
    tokens = _tokens_of(actor)
    return tokens.filter(pk=actor.token.pk) if actor.token and actor.token.is_limited else tokens


def _tokens_of(actor: Actor) -> QuerySet[ApiToken]:
    return ApiToken.objects.none() if actor.account is None else ApiToken.objects.filter(user=actor.account)


def audit_of(target: Model) -> QuerySet[AuditEntry]:
    """What happened to one object, newest first."""
    return AuditEntry.objects.filter(object_type=audit_type(type(target)), object_id=str(target.pk))


def audit_visible_to(actor: Actor) -> QuerySet[AuditEntry]:
    """Entries the actor may read, newest first: staff all, others those of their scopes and their own.

    A token that is limited shows those of the scopes that it sees: its user's other tokens are none of its business.
    """
    return audit_search(actor).all.order_by("-id")


def audit_search(actor: Actor, **columns: str) -> RowSearch[AuditEntry]:
    """The entries the actor may read that have these values in their columns."""
    entries = AuditEntry.objects.select_related("user")
    scopes = seen_scopes(actor)
    if scopes is None:
        return RowSearch(entries.filter(**columns))
    visible = Q(scope__in=scopes)
    if actor.account is not None and not (actor.token and actor.token.is_limited):
        visible |= Q(user_id=actor.account.pk)
    return RowSearch(entries, visible & Q(**columns))


# Ids are drawn before transactions commit, so that only (xid, id) tells what came after what. `xid > '0'` follows from
# the first condition, and is said so that the index is used, which has no others.
_AFTER: Final = "(xid, id) > (%s::text::xid8, %s) AND xid > '0'"
_UPTO: Final = "(xid, id) <= (%s::text::xid8, %s)"
# All transactions older than this one have ended.
_SETTLED: Final = "xid < pg_snapshot_xmin(pg_current_snapshot())"

LogPosition = tuple[int, int]
"""The transaction and the id of an entry; others come before or after."""


class Settled(TypedDict):
    """What a query tells of each entry beside its columns."""

    settled: bool


def entries_after(after: LogPosition) -> "QuerySet[WithAnnotations[AuditEntry, Settled]]":
    """Everybody's entries after a position, in order; of each, `settled` says whether none can appear before it."""
    # xid8 has no operators of Django's; there is no other way to compare rows.
    entries: QuerySet[AuditEntry] = AuditEntry.objects.extra(where=[_AFTER], params=_asked(after))  # noqa: S610
    settled = RawSQL(_SETTLED, [], output_field=BooleanField())  # noqa: S611
    return entries.order_by("xid", "id").annotate(settled=settled)


def entries_between(after: LogPosition, upto: LogPosition) -> QuerySet[AuditEntry]:
    """Everybody's entries after a position and up to another, in order."""
    entries = AuditEntry.objects.extra(where=[_AFTER, _UPTO], params=_asked(after, upto))  # noqa: S610
    return entries.order_by("xid", "id")


def _asked(*positions: LogPosition) -> list[str | int]:
    return [value for xid, id_ in positions for value in (str(xid), id_)]
