"""Read features as far as somebody may see them: newest first, in the order in which they were stored, and one.

A feature is visible to everybody with any role in its app or in its task's scenario. `scopes` are those of a person, as
accounts_app.selectors.seen_scopes returns them: None stands for all.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import Case, F, Q, QuerySet, Value, When

from accounts_app.selectors import slugs_among
from devices_app.models import App, Feature
from devices_app.selectors.feature_types import FeatureCursor
from kit.row_search import RowSearch

Scopes = Collection[str] | None

SHOWN_BYTES: Final = 8 * 1024
"""The length of the longest values that lists show; a page of 200 features has 1.6 MiB of values at most."""
SCANNED: Final = 2_000
"""How many features are looked through at once for those that somebody follows or exports."""
CHUNK_BYTES: Final = 1 << 20
"""The length of the values that are in memory at once, but for one that is longer by itself."""

_AFTER: Final = "(devices_app_feature.xid, devices_app_feature.id) > (%s::text::xid8, %s)"
_UPTO: Final = "(devices_app_feature.xid, devices_app_feature.id) <= (%s::text::xid8, %s)"
_SETTLED: Final = "devices_app_feature.xid < pg_snapshot_xmin(pg_current_snapshot())"


def cursor_of(feature: Feature) -> FeatureCursor:
    return FeatureCursor(feature.xid, feature.pk)


@dataclass(frozen=True)
class ChosenFeatures:
    """The visible features that a query chooses; None in a field: any."""

    scopes: Scopes = None
    app: str | None = None
    device: str | None = None
    task: str | None = None
    version: str | None = None
    since: datetime | None = None
    before: datetime | None = None

    @property
    def received(self) -> Q:
        """The condition on when they were received."""
        return _given(received_at__gte=self.since, received_at__lt=self.before)

    @property
    def condition(self) -> Q:
        """The condition on everything else, what is visible included."""
        apps = None if self.app is None else _keys([self.app])
        chosen = _given(app__in=apps, device=self.device, task=self.task, version=self.version)
        return chosen & self._visible()

    def _visible(self) -> Q:
        if self.scopes is None:
            return Q()
        apps, scenarios = slugs_among(self.scopes, "app"), slugs_among(self.scopes, "scenario")
        if self.app in apps or (self.task and self.task.partition("/")[0] in scenarios):
            return Q()
        visible = Q(app__in=_keys(apps))
        for scenario in sorted(scenarios):
            visible |= Q(task__startswith=f"{scenario}/")
        return visible


def search(chosen: ChosenFeatures) -> RowSearch[Feature]:
    """Return a search for features, newest first; their `shown` are the values, None if longer than SHOWN_BYTES."""
    features = _listed().filter(chosen.received)
    given = {name: value for name, value in asdict(chosen).items() if value is not None}
    if {"app", "device"} <= given.keys():
        # An index holds them in the order of their ids: a search may be unnecessary.
        features = features.filter(app__in=_keys([given["app"]]), device=given["device"])
        chosen = replace(chosen, device=None)
    elif {"task", "version"} <= given.keys():
        features = features.filter(task=given["task"], version=given["version"])
    return RowSearch(features, chosen.condition)


def newest(scopes: Scopes, *, app: str | None = None, limit: int) -> list[Feature]:
    """Return the newest visible features among those received lately, newest first."""
    found, _ = search(ChosenFeatures(scopes, app=app)).page(limit)
    return found


def feature_within(scopes: Scopes, number: int) -> Feature:
    """Return one visible feature with all of its values; raises Feature.DoesNotExist."""
    return Feature.objects.select_related("app").filter(ChosenFeatures(scopes).condition).get(pk=number)


def arrivals(chosen: ChosenFeatures, after: FeatureCursor, *, limit: int) -> tuple[list[Feature], FeatureCursor]:
    """Return visible features stored after a place, in order, and the place up to which that was looked through.

    At most SCANNED features are looked through, and at most `limit` returned.
    """
    looked = _look(chosen, after)
    found: list[_Looked] = []
    place = after
    for each in looked:
        if each.chosen and len(found) == limit:
            break
        place = each.place
        found += [each] if each.chosen else []
    return _fetched(_listed(), found), place


def stored_between(chosen: ChosenFeatures, after: FeatureCursor, until: FeatureCursor) -> Iterator[Sequence[Feature]]:
    """Yield all visible features stored after a place and up to another, in order and with all of their values.

    They come in groups of at most SCANNED whose values have CHUNK_BYTES together, or that are one feature.
    """
    whole = Feature.objects.select_related("app")
    while looked := _look(chosen, after, until):
        after = looked[-1].place
        for group in _grouped([each for each in looked if each.chosen]):
            yield _fetched(whole, group)


class _Looked(NamedTuple):
    """What is known of a feature before its values are read."""

    place: FeatureCursor
    received_at: datetime
    raw_bytes: int
    chosen: bool


def _look(chosen: ChosenFeatures, after: FeatureCursor, until: FeatureCursor | None = None) -> list[_Looked]:
    """Look through the next settled features after a place, SCANNED at most."""
    where, parameters = [_AFTER, _SETTLED], [str(after.xid), after.id]
    if until is not None:
        where, parameters = [*where, _UPTO], [*parameters, str(until.xid), until.id]
    condition = chosen.received & chosen.condition
    is_chosen = Case(When(condition, then=True), default=False) if condition else Value(value=True)
    # Django has no operators for xid8, and no other way to compare rows.
    rows = Feature.objects.extra(where=where, params=parameters)  # noqa: S610 - constant texts
    rows = rows.order_by("xid", "id").annotate(is_chosen=is_chosen)
    columns = rows.values_list("xid", "pk", "received_at", "raw_bytes", "is_chosen")
    return [_Looked(FeatureCursor(xid, pk), *rest) for xid, pk, *rest in columns[:SCANNED]]


def _grouped(looked: Sequence[_Looked]) -> Iterator[list[_Looked]]:
    group: list[_Looked] = []
    size = 0
    for each in looked:
        if group and size + each.raw_bytes > CHUNK_BYTES:
            yield group
            group, size = [], 0
        group.append(each)
        size += each.raw_bytes
    if group:
        yield group


def _fetched(rows: QuerySet[Feature], looked: Sequence[_Looked]) -> list[Feature]:
    """Return these features in their order; one that was removed meanwhile is left out."""
    if not looked:
        return []
    times = [each.received_at for each in looked]
    # The times lead to the partitions.
    found = rows.filter(received_at__range=(min(times), max(times))).in_bulk([each.place.id for each in looked])
    return [found[each.place.id] for each in looked if each.place.id in found]


def _listed() -> QuerySet[Feature]:
    shown = Case(When(raw_bytes__lte=SHOWN_BYTES, then=F("values")))
    return Feature.objects.select_related("app").defer("values").annotate(shown=shown)


def _given(**lookups: Any) -> Q:
    return Q(**{name: value for name, value in lookups.items() if value is not None})


def _keys(slugs: Collection[str]) -> list[int]:
    """Return the primary keys of apps: with them, unlike with a join, a list follows an index."""
    return list(App.objects.filter(slug__in=slugs).values_list("pk", flat=True))
