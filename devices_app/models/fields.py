"""Model fields for what devices sent."""

from typing import Any, Final

from django.db import models

from walle.schema.values import MAX_DEPTH, is_json

TOO_DEEP: Final = {"not shown": f"nested more than {MAX_DEPTH} deep"}


class SentJSONField(models.JSONField):
    """JSON sent by devices, possibly before its depth was limited.

    A value that is nested too deeply reads as `TOO_DEEP`; else one such row would break every page and answer that
    contains it.
    """

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        if isinstance(value, str) and value.count("[") + value.count("{") > MAX_DEPTH:
            try:
                found = super().from_db_value(value, expression, connection)
            except RecursionError:
                return TOO_DEEP
            return found if is_json(found) else TOO_DEEP
        return super().from_db_value(value, expression, connection)

    def deconstruct(self) -> Any:
        """Describe the field to migrations as a plain JSON field, which it is in the database."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs


class WrittenJSONField(SentJSONField):
    """JSON sent by devices and kept as it was written, in a column of type json.

    That is smaller than jsonb, and holds whatever is well-formed: jsonb refuses NUL, lone surrogates and huge numbers.
    """

    def db_type(self, connection: Any) -> str:
        return "json"

    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, Any]:
        return f"({sql})::text", params
