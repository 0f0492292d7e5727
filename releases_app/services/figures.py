"""Store the figures of releases, which take long to count where many devices were selected."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q

from releases_app.models import KeptFigures, Release, Transition
from releases_app.selectors.evidence import count_figures, selected_in
from releases_app.selectors.series import count_series
from walle.release.states import UNFINISHED

AFTER_ITS_END: Final = timedelta(days=2)
"""How long devices may still report about a release that has ended."""
REST_FACTOR: Final = 100
"""A release is counted again after this multiple of the time that its last count took."""


def keep_figures(*, now: datetime, check: Callable[[], None] = lambda: None) -> list[int]:
    """Count releases with new outcomes, and those never counted; return their numbers."""
    counted = []
    for release in _stale(now):
        check()
        started = time.perf_counter()
        figures = count_figures(release, now=now)
        values = {"figures": figures, "drawn": selected_in(figures), "counted_at": now}
        values["series"] = count_series(release, now=now)
        values["took_s"] = time.perf_counter() - started
        _keep(release, values)
        counted.append(release.pk)
    return counted


def _keep(release: Release, values: dict[str, Any]) -> None:
    row, is_new = KeptFigures.objects.get_or_create(release=release.pk, defaults=values)
    # Fewer than before means that exposures have been deleted.
    if not is_new and not KeptFigures.objects.filter(pk=row.pk, drawn__lte=values["drawn"]).update(**values):
        KeptFigures.objects.filter(pk=row.pk, series__isnull=True).update(series=values["series"])


def _stale(now: datetime) -> list[Release]:
    complete = KeptFigures.objects.filter(series__isnull=False).defer("figures", "series")
    uncounted = ~Exists(complete.filter(release=OuterRef("pk")))
    found = list(Release.objects.filter(_live(now) | uncounted, position__isnull=False).prefetch_related("stages"))
    stored = complete.filter(release__in=[release.pk for release in found])
    fresh = {row.release for row in stored if not _is_due(row, now)}
    return [release for release in found if release.pk not in fresh]


def _live(now: datetime) -> Q:
    moved = Transition.objects.filter(release=OuterRef("pk"), at__gte=now - AFTER_ITS_END)
    return Q(state__in=UNFINISHED) | Q(Exists(moved))


def _is_due(stored: KeptFigures, now: datetime) -> bool:
    return stored.counted_at + timedelta(seconds=REST_FACTOR * stored.took_s) <= now
