"""A column for the 64-bit numbers of PostgreSQL's transactions, which never wrap around."""

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    # Only type checkers know the value types of a field.
    IntField = models.Field[int, int]
else:
    IntField = models.Field


class TransactionId(IntField):
    """An xid8 column; an int in Python. To compare it in SQL, cast the other side: `%s::text::xid8`."""

    def db_type(self, connection: Any) -> str:
        return "xid8"

    def from_db_value(self, value: object, expression: object, connection: object) -> int | None:
        return None if value is None else int(str(value))

    def get_prep_value(self, value: Any) -> Any:
        prepared = super().get_prep_value(value)
        return str(prepared) if isinstance(prepared, int) else prepared


class CurrentTransaction(models.Func):
    """The number of the current transaction, also within its savepoints."""

    function = "pg_current_xact_id"
    template = "%(function)s()"
    output_field = TransactionId()
