"""Pages of a filtered list over a table too large to scan: newest rows first, window by window.

A filter that many rows pass finds a page among the newest rows; one that few pass needs an index. Which of the two a
filter is depends on values that a planner's statistics know only roughly, and where it guesses wrong it reads the whole
table. So the newest `WINDOW` rows are scanned first. If they do not fill the page, the rest is queried through indexes,
provided that the planner expects little work; otherwise the page is short, and the next one goes on behind the window.
No page ever costs more than a window and `AFFORDABLE`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from django.db.models import F, Model, Q, QuerySet

from kit.row_estimates import AFFORDABLE, cost_of

Row = TypeVar("Row", bound=Model)

SCAN_WINDOW: Final = 4_000


@dataclass(frozen=True)
class RowSearch(Generic[Row]):
    """A search for rows.

    `among` are all that may be seen, which an index gives in the order of their ids; `condition` chooses; `indexed`
    follows from the condition and is what indexes can answer. `is_chosen` says that there is something to choose.
    """

    among: QuerySet[Row]
    condition: Q = field(default_factory=Q)
    indexed: Q = field(default_factory=Q)

    @property
    def is_chosen(self) -> bool:
        return bool(self.condition)

    @property
    def all(self) -> QuerySet[Row]:
        """Return the matching rows in no order."""
        return self.among.filter(self.condition, self.indexed).order_by()

    def chosen(self, rows: QuerySet[Row]) -> QuerySet[Row]:
        """Return the matching rows among some rows, all of which are scanned."""
        return rows.filter(self.condition)

    def page(self, limit: int, *, below: int | None = None) -> tuple[list[Row], int | None]:
        """Return at most `limit` rows with ids below a number, highest first, and the number to continue below.

        That is None at the end. A page may be short before the end, and even empty.
        """
        rows = self.among if below is None else self.among.filter(pk__lt=below)
        if not self.is_chosen:
            return _cut(list(rows.order_by("-pk")[: limit + 1]), limit)
        floor = rows.order_by("-pk").values_list("pk", flat=True)[SCAN_WINDOW - 1 : SCAN_WINDOW].first()
        window = rows if floor is None else rows.filter(pk__gte=floor)
        found = list(self.chosen(window).order_by("-pk")[: limit + 1])
        if floor is None or len(found) > limit:
            return _cut(found, limit)
        # An order that no index has, lest the planner walk along the primary key until it has met enough.
        rest = self.all.filter(pk__lt=floor).order_by((F("pk") + 0).desc())
        if cost_of(rest) > AFFORDABLE:
            return found, floor
        return _cut([*found, *rest[: limit + 1 - len(found)]], limit)


def _cut(found: list[Row], limit: int) -> tuple[list[Row], int | None]:
    return found[:limit], found[limit - 1].pk if len(found) > limit else None
