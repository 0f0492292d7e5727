"""Pages of a list by keyset: each goes on behind the last row of the one before, so that rows which come or
go meanwhile neither repeat nor hide others, and a late page costs no more than the first."""

from base64 import b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, NamedTuple, Self, TypeVar

from django.core.exceptions import ValidationError as Invalid
from django.db.models import Field, Model, Q, QuerySet
from django.db.models.expressions import Combinable
from drf_spectacular.utils import inline_serializer
from rest_framework import serializers

from kit.api.cursors import read_cursor, write_cursor
from kit.api.inputs import AnySerializer

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Page(Generic[Row]):
    """Some rows of a list, and the cursor of the next page; None at the end."""

    rows: list[Row]
    next: str | None

    @classmethod
    def cut(cls, rows: QuerySet[Row], *, by: str, limit: int, cursor: str | None = None) -> Self:
        """Return at most `limit` rows in the order of `by`, a unique column of the table ("-id": descending).

        Raises rest_framework's ValidationError for a cursor that no page gave.
        """
        column = by.removeprefix("-")
        ordered = rows.order_by(by)
        if cursor is not None:
            beyond = "lt" if by.startswith("-") else "gt"
            ordered = ordered.filter(**{f"{column}__{beyond}": _read(cursor, _field(rows.model, column))})
        found = list(ordered[: limit + 1])
        more = len(found) > limit
        return cls(found[:limit], _write(getattr(found[limit - 1], column)) if more else None)

    @classmethod
    def in_order(
        cls, rows: QuerySet[Row], *, by: Combinable, descending: bool, limit: int, cursor: str | None = None
    ) -> Self:
        """Return at most `limit` rows in the order of an expression that is never null, and of their ids if it is
        equal: for tables so small that they can be sorted for each page.
        """
        sign, beyond = ("-", "lt") if descending else ("", "gt")
        ordered = rows.annotate(ordered_by=by).order_by(f"{sign}ordered_by", f"{sign}pk")
        if (place := read_cursor(cursor, _Place, str, int)) is not None:
            value = _cleaned(place.value, ordered.query.annotations["ordered_by"].output_field)
            further = Q(**{f"ordered_by__{beyond}": value}) | Q(**{"ordered_by": value, f"pk__{beyond}": place.pk})
            ordered = ordered.filter(further)
        found: list[Any] = list(ordered[: limit + 1])
        last = found[limit - 1] if len(found) > limit else None
        return cls(found[:limit], None if last is None else write_cursor(str(last.ordered_by), last.pk))

    @classmethod
    def part(cls, rows: Sequence[Row], *, by: str, limit: int, cursor: str | None = None) -> Self:
        """Return a page of rows in an order unknown to the database; `by` identifies a row."""
        start = 0
        if cursor is not None:
            positions = {_write(getattr(row, by)): position for position, row in enumerate(rows)}
            if cursor not in positions:
                raise _wrong()
            start = positions[cursor] + 1
        found = list(rows[start : start + limit])
        return cls(found, _write(getattr(found[-1], by)) if start + limit < len(rows) else None)


class _Place(NamedTuple):
    """The last row of a page, and the text of what it is ordered by."""

    value: str
    pk: int


@cache
def page_of(item: type[AnySerializer]) -> AnySerializer:
    """Return the serializer of a page of these items."""
    cursor = serializers.CharField(allow_null=True, help_text="`cursor` of the next page; null on the last")
    name = f"{item.__name__.removesuffix('Serializer')}Page"
    return inline_serializer(name, {"results": item(many=True), "next": cursor})


def _wrong() -> serializers.ValidationError:
    return serializers.ValidationError({"cursor": "Expected `next` of an earlier page of this list."})


def _write(value: object) -> str:
    return urlsafe_b64encode(str(value).encode()).decode()


def _field(model: type[Model], name: str) -> "Field[Any, Any]":
    field = model._meta.get_field(name)
    if not isinstance(field, Field):
        raise TypeError(f"{name} is not a column of {model.__name__}")
    return field


def _read(cursor: str, field: "Field[Any, Any]") -> Any:
    try:
        text = b64decode(cursor, altchars=b"-_", validate=True).decode()
    except ValueError as error:
        raise _wrong() from error
    return _cleaned(text, field)


def _cleaned(text: str, field: "Field[Any, Any]") -> Any:
    try:
        if "\0" in text:
            raise ValueError("NUL in a cursor")
        return field.clean(text, None)
    except (ValueError, Invalid) as error:
        raise _wrong() from error
