"""Admin lists over tables that grow without limit: no list scans or counts the whole table."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final

from django.contrib.admin import FieldListFilter, ModelAdmin
from django.db import connection
from django.db.models import Field, Model, QuerySet
from django.http import HttpRequest
from unfold.paginator import InfinitePaginator
from unfold.views import ChangeList

from kit.admin.staff import StaffAdmin
from kit.row_estimates import AFFORDABLE, cost_of

if TYPE_CHECKING:
    from django.contrib.admin.filters import _ListFilterChoices

NEWEST: Final = 20_000
FOUND: Final = 1_000
_MOST_VALUES: Final = 200


class NewestFirst(ChangeList):
    """A list that searches only the newest rows where a complete search would scan the whole table."""

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        rows = super().get_queryset(request, exclude_parameters)
        if cost_of(rows[: self.list_per_page]) <= AFFORDABLE:
            return rows
        newest = self.root_queryset.model._default_manager.order_by("-pk").values_list("pk", flat=True)
        floor = newest[NEWEST - 1 : NEWEST].first()
        return rows if floor is None else rows.filter(pk__gte=floor)


class LargeAdmin(StaffAdmin):
    """Admin page of a table that grows without limit.

    A search looks for exactly what was typed: in `searched` by the lookups named there, each of which an index answers;
    the first `FOUND` count. Filters and orders that no index answers look through the `NEWEST` rows.
    """

    searched: ClassVar[tuple[str, ...]] = ()
    show_full_result_count = False
    paginator = InfinitePaginator

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[NewestFirst]:
        return NewestFirst

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        return self.searched

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        everything = self.model._default_manager.order_by()
        found: list[Any] = []
        for lookup in self.searched:
            try:
                rows = everything.filter(**{lookup: term}).values_list("pk", flat=True)
                found += rows[: FOUND - len(found)]
            except ValueError:
                continue  # the lookup needs a number, and this is none
        return queryset.filter(pk__in=found), False


class IndexedValuesFilter(FieldListFilter):
    """A filter by all values of a column, found by skipping along an index that starts with it."""

    def __init__(
        self,
        field: "Field[Any, Any]",
        request: HttpRequest,
        params: dict[str, list[str]],
        model: type[Model],
        model_admin: "ModelAdmin[Any]",
        *,
        field_path: str,
    ) -> None:
        self.lookup_kwarg = field_path
        self.lookup_val = params[field_path][-1] if field_path in params else None
        super().__init__(field, request, params, model, model_admin, field_path)
        self.values = _values(field.model._meta.db_table, field.column or field.name)

    def expected_parameters(self) -> list[str | None]:
        return [self.lookup_kwarg]

    def has_output(self) -> bool:
        return len(self.values) > 1

    def choices(self, changelist: Any) -> "Iterator[_ListFilterChoices]":
        yield {
            "selected": self.lookup_val is None,
            "query_string": changelist.get_query_string(remove=[self.lookup_kwarg]),
            "display": "All",
        }
        for value in self.values:
            yield {
                "selected": self.lookup_val == value,
                "query_string": changelist.get_query_string({self.lookup_kwarg: value}),
                "display": value or "none",
            }


def _values(table: str, column: str) -> list[str]:
    table, column = connection.ops.quote_name(table), connection.ops.quote_name(column)
    statement = f"""
        WITH RECURSIVE found AS (
            (SELECT {column} AS value FROM {table} ORDER BY 1 LIMIT 1)
            UNION ALL
            SELECT (SELECT {column} FROM {table} WHERE {column} > found.value ORDER BY 1 LIMIT 1)
            FROM found WHERE found.value IS NOT NULL
        ) SELECT value FROM found WHERE value IS NOT NULL LIMIT {_MOST_VALUES}
    """  # noqa: S608 - names of the model
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return [value for (value,) in cursor.fetchall()]
