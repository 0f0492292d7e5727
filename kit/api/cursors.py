"""Cursors of lists whose order is not that of one column of one table."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Callable
from typing import TypeVar

from rest_framework import serializers

Place = TypeVar("Place")


def write_cursor(*place: int | float | str) -> str:
    """Return the cursor of a place in a list."""
    return urlsafe_b64encode(json.dumps(place).encode()).decode()


def read_cursor(cursor: str | None, place: Callable[..., Place], *kinds: type) -> Place | None:
    """Return `place` of the parts in a cursor, which must have these types; None without a cursor.

    Raises ValidationError for a cursor that no page gave.
    """
    if cursor is None:
        return None
    try:
        parts = json.loads(urlsafe_b64decode(cursor))
        if [type(part) for part in parts] != list(kinds):
            raise ValueError(cursor)
        return place(*parts)
    except (Error, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise serializers.ValidationError({"cursor": "Expected `next` of an earlier page of this list."}) from error
