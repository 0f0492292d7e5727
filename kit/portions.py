"""Delete rows a portion at a time, each in a transaction of its own: nobody waits long for a lock."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db import connection


def delete_in_portions(
    statement: str, parameters: Mapping[str, Any], *, portion: int, check: Callable[[], None] = lambda: None
) -> int:
    """Repeat a statement that deletes `%(portion)s` rows at most until it finds fewer; return how many are gone.

    `check` is called before each portion, and may raise to stop.
    """
    deleted, count = 0, portion
    while count == portion:
        check()
        with connection.cursor() as cursor:
            cursor.execute(statement, {**parameters, "portion": portion})
            count = cursor.rowcount
        deleted += count
    return deleted
