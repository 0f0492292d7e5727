"""Search devices by anything that is known about them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q, QuerySet

from accounts_app.actors import Actor
from accounts_app.selectors import seen_slugs
from devices_app.models import App, Device, InstalledTask
from devices_app.selectors.targeting import Read, alive, condition_of, indexed_of, settled, with_held_facts
from kit.row_search import RowSearch
from walle.protocol.headers import short_hex
from walle.release.rules.reading import read_rule
from walle.release.rules.tree import All, Node


@dataclass(frozen=True, kw_only=True)
class DeviceCriteria:
    """The criteria of a search for devices; None or an empty value means any.

    `tree` is a parsed rule about the devices of `app`; without an app it may name no list. `manifest` is the digest
    that the installed `task` should have.
    """

    app: App | None = None
    tree: Node | None = None
    device: str | None = None
    prefix: str | None = None
    task: str | None = None
    manifest: str | None = None
    seen_since: datetime | None = None
    seen_before: datetime | None = None
    first_seen_since: datetime | None = None
    first_seen_before: datetime | None = None
    vouched: bool | None = None
    revoked: bool | None = None


@dataclass(frozen=True)
class DeviceSearch(RowSearch[Device]):
    """A search for devices that a rule matches, besides other criteria.

    Comparing versions is costly for the database. Where many rows are read, the comparison is replaced by the list of
    matching versions.
    """

    tree: Node | None = None
    app: App | None = None

    @property
    def is_chosen(self) -> bool:
        return self.tree is not None or super().is_chosen

    @property
    def all(self) -> QuerySet[Device]:
        return self._matched(super().all, self.tree)

    def chosen(self, rows: QuerySet[Device], read: Read = list, *, fleet: bool = False) -> QuerySet[Device]:
        """Return the matching devices among some rows.

        `read` fetches the rows of a query; `fleet` says that `rows` are most of all devices.
        """
        if self.tree is None:
            return super().chosen(rows)
        annotated = with_held_facts(rows, self.tree, joined=fleet)
        return self._matched(super().chosen(rows), settled(self.tree, annotated, read), fleet=fleet)

    def _matched(self, rows: QuerySet[Device], tree: Node | None, *, fleet: bool = False) -> QuerySet[Device]:
        if tree is None:
            return rows
        return with_held_facts(rows, tree, joined=fleet).filter(condition_of(tree, self.app))


def find(actor: Actor, criteria: DeviceCriteria) -> DeviceSearch:
    """Return a search for the devices of the visible apps that meet the criteria."""
    devices = Device.objects.select_related("app")
    conditions: list[Q] = []
    apps = _apps(actor, criteria.app)
    if apps is not None and len(apps) == 1:
        devices = devices.filter(app=apps[0])
    elif apps is not None:
        conditions.append(Q(app__in=apps))
    conditions += _conditions(criteria)
    return DeviceSearch(devices, Q(*conditions), Q(*_indexed(criteria)), criteria.tree, criteria.app)


def matching_rule(app: App, rule: object) -> DeviceSearch:
    """Return a search for the app's devices that a rule matches, without revoked ones; raises RuleMalformed."""
    tree = read_rule(rule)
    devices = alive(app).select_related("app")
    return DeviceSearch(devices, indexed=indexed_of(tree, app) or Q(), tree=tree, app=app)


def with_installed(search: DeviceSearch, task: str, manifest: str) -> DeviceSearch:
    """Return those of some devices that have a manifest of a task installed."""
    criteria = DeviceCriteria(task=task, manifest=manifest)
    condition, indexed = Q(*_conditions(criteria)), Q(*_indexed(criteria))
    return replace(search, condition=search.condition & condition, indexed=search.indexed & indexed)


def together(nodes: Sequence[Node]) -> Node | None:
    """Return one tree that requires all of several."""
    return All(tuple(nodes)) if len(nodes) > 1 else next(iter(nodes), None)


def _apps(actor: Actor, app: App | None) -> list[int] | None:
    """Return the primary keys of the apps that are searched; None for all."""
    slugs = seen_slugs(actor, "app")
    if app is not None:
        return [app.pk] if slugs is None or app.slug in slugs else []
    return None if slugs is None else list(App.objects.filter(slug__in=slugs).values_list("pk", flat=True))


def _conditions(criteria: DeviceCriteria) -> list[Q]:
    columns = {
        "device": criteria.device,
        "device__startswith": criteria.prefix,
        "last_seen__gte": criteria.seen_since,
        "last_seen__lt": criteria.seen_before,
        "first_seen__gte": criteria.first_seen_since,
        "first_seen__lt": criteria.first_seen_before,
        "vouched_at__isnull": None if criteria.vouched is None else not criteria.vouched,
        "revoked_at__isnull": None if criteria.revoked is None else not criteria.revoked,
    }
    conditions = [Q(**{lookup: value}) for lookup, value in columns.items() if value is not None]
    if criteria.task and criteria.manifest:
        conditions.append(Q(profile__contains={criteria.task: short_hex(criteria.manifest)}))
    elif criteria.task:
        conditions.append(Q(profile__has_key=criteria.task))
    return conditions


def _indexed(criteria: DeviceCriteria) -> list[Q]:
    """Return what indexes can say of the conditions, besides the columns with indexes of their own."""
    found = []
    if criteria.tree is not None and (indexed := indexed_of(criteria.tree, criteria.app)) is not None:
        found.append(indexed)
    if criteria.task:
        lookups = {"task": criteria.task} | ({"manifest": short_hex(criteria.manifest)} if criteria.manifest else {})
        found.append(Q(pk__in=InstalledTask.objects.filter(**lookups).values("device")))
    return found
