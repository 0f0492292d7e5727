"""Count the devices that match a search: quickly as an estimate, or exactly.

The quick answer asks the planner first. If it expects little work, because an index leads to few devices, they are
counted. Otherwise a sample is counted: the devices on `BLOCKS` blocks of the table that PostgreSQL chooses at random
(TABLESAMPLE SYSTEM), the same ones each time as long as the table keeps its size, so that the figure is stable. The
average number per block, times the number of blocks, is an unbiased estimate; `margin` is twice its standard error,
computed from the variance between blocks, so that it also holds where devices that registered together are alike. It is
never less than what a sample without any match may have missed.

The exact answer is a scan of the table. Only comparisons of versions are costly, so they are made for the distinct
versions that exist, instead of every device.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from math import ceil, sqrt
from statistics import fmean, variance
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import OperationalError, connection
from django.db.models import Count, QuerySet
from django.db.models.expressions import RawSQL
from psycopg.errors import QueryCanceled

from devices_app.models import App, Device
from devices_app.selectors.facts import check_rule_of
from devices_app.selectors.search import DeviceSearch, matching_rule
from devices_app.selectors.targeting import alive
from kit.row_estimates import AFFORDABLE, cost_of, estimate_count
from kit.statement_timeout import statement_timeout

SAMPLE: Final = 20
BLOCKS: Final = 500
COUNT_TIMEOUT_S: Final = 30.0
_RULE_OF_THREE: Final = 3
"""The sample misses 1 time in 20 what is on this number of blocks, of as many blocks as the sample has."""
_TABLE: Final = Device._meta.db_table
_BLOCK: Final = f"(({_TABLE}.ctid::text::point)[0])::int"
_BLOCKS_THERE: Final = f"greatest(1, pg_relation_size('{_TABLE}') / current_setting('block_size')::bigint)"


@dataclass(frozen=True)
class CountedDevices:
    """A number of devices. Unless it is `exact`, it is off by at most `margin` 19 times of 20."""

    count: int
    exact: bool
    margin: int = 0


def estimate_devices(search: DeviceSearch) -> CountedDevices:
    """Estimate how many devices match, in some ten milliseconds whatever their number."""
    if cost_of(search.all) <= AFFORDABLE:
        return CountedDevices(search.all.count(), exact=True)
    sample = _Sample()
    found = sample.found(search.chosen(search.among, sample.rows))
    if sample.size < 2 or sample.blocks <= BLOCKS:
        return CountedDevices(sum(found), exact=True)
    every = [*found, *[0] * (sample.size - len(found))]
    error = sample.blocks * sqrt(variance(every) / sample.size * (1 - sample.size / sample.blocks))
    unseen = _RULE_OF_THREE * sample.blocks / sample.size
    return CountedDevices(round(sample.blocks * fmean(every)), exact=False, margin=ceil(max(2 * error, unseen)))


def check_in_ages(search: DeviceSearch, *, now: datetime) -> list[float]:
    """Return how many seconds ago the matching devices last checked in, in order: of all, or of a sample of many."""
    if cost_of(search.all) <= AFFORDABLE:
        rows = search.all.order_by().values_list("last_seen", flat=True)
        return sorted((now - seen).total_seconds() for seen in rows)
    sample = _Sample()
    found = sample.rows(search.chosen(search.among, sample.rows).order_by().values_list("last_seen"))
    return sorted((now - seen).total_seconds() for (seen,) in found)


def count_devices_exactly(search: DeviceSearch, *, timeout_s: float = COUNT_TIMEOUT_S) -> CountedDevices:
    """Count how many devices match; raises ValidationError if that takes longer than `timeout_s`."""
    with _count_timeout(timeout_s):
        few = cost_of(search.all) <= AFFORDABLE
        return CountedDevices((search.all if few else search.chosen(search.among, fleet=True)).count(), exact=True)


@contextmanager
def _count_timeout(seconds: float) -> Iterator[None]:
    """Open a transaction with a statement timeout and without JIT compilation, which takes longer than it saves."""
    try:
        with statement_timeout(seconds):
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL jit = off")
            yield
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise ValidationError({"rule": f"expected one that is counted in {seconds} seconds"}) from error
        raise


class _Sample:
    """The devices on a sample of the table's blocks."""

    def __init__(self) -> None:
        self._clause = f"TABLESAMPLE SYSTEM (least(100, 100.0 * {BLOCKS} / {_BLOCKS_THERE})) REPEATABLE (0)"
        with connection.cursor() as cursor:
            sample = f"SELECT {_BLOCK} FROM {_TABLE} {self._clause} GROUP BY 1"  # noqa: S608 - constants
            cursor.execute(f"SELECT {_BLOCKS_THERE}, count(*) FROM ({sample}) AS sample")  # noqa: S608 - constants
            self.blocks, self.size = cursor.fetchone()

    def found(self, devices: QuerySet[Device]) -> list[int]:
        """Return how many of these devices are on each block of the sample that has any."""
        on_blocks = devices.order_by().annotate(block=RawSQL(_BLOCK, [])).values_list("block")  # noqa: S611 - constant
        return [count for _, count in self.rows(on_blocks.annotate(count=Count("*")))]

    def rows(self, devices: QuerySet[Any, Any]) -> list[Any]:
        """Return the rows of a query, restricted to the sample."""
        query, parameters = devices.query.sql_with_params()
        table = f'FROM "{_TABLE}"'
        with connection.cursor() as cursor:
            cursor.execute(query.replace(table, f"{table} {self._clause}", 1), parameters)
            rows: list[Any] = cursor.fetchall()
            return rows


@dataclass(frozen=True)
class Preview:
    """The number of an app's devices that a rule matches, and the ids of the last registered among them."""

    counted: CountedDevices
    total: CountedDevices
    sample: list[str]


def preview(app: App, rule: object, *, exact: bool, timeout_s: float = COUNT_TIMEOUT_S) -> Preview:
    """Return what a rule would match now, as an estimate or exactly.

    Raises ValidationError if a release with the rule would be refused, and if an exact count takes longer than
    `timeout_s`.
    """
    check_rule_of(app, rule)
    search = matching_rule(app, rule)
    everybody = DeviceSearch(alive(app))
    with _count_timeout(timeout_s):
        sample, _ = search.page(SAMPLE)
    if exact:
        counted, total = (count_devices_exactly(each, timeout_s=timeout_s) for each in (search, everybody))
    else:
        counted, total = estimate_devices(search), CountedDevices(estimate_count(everybody.all), exact=False)
    return Preview(counted, total, [device.device for device in sample])
