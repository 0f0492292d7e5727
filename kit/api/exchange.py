"""The steps around every read and every write, in this order.

A reading: its ETag. A question that came by POST: the preconditions of its sender. A writing: one transaction; no other
writing to the same address meanwhile; the preconditions; then the writing itself, once per Idempotency-Key.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.db import connection, transaction
from rest_framework.request import Request
from rest_framework.response import Response

from kit.api.etags import check_preconditions, mark, readable_address
from kit.api.idempotency import once

REPEATABLE: Final = ("POST", "PATCH")
"""Methods that an Idempotency-Key makes repeatable; all others are idempotent."""
LOCKS: Final = 20_261_120


Method = Callable[..., Any]
"""A view's method: it takes the view, the request and the variables of the address, and returns a Response or a file.
"""


def exchanged(method: Method) -> Method:
    """Wrap a view's method in these steps."""

    @wraps(method)
    def answer(view: Any, request: Request, **names: Any) -> Any:
        if view.bare:
            return method(view, request, **names)
        if request.method in ("GET", "HEAD"):
            response = method(view, request, **names)
            return mark(request, response, view.live) if isinstance(response, Response) else response
        if view.writes:
            return _write(view, request, lambda: method(view, request, **names))
        check_preconditions(request, readable_address(request.path))
        return method(view, request, **names)

    return answer


@transaction.atomic
def _write(view: Any, request: Request, write: Callable[[], Response]) -> Response:
    address = readable_address(request.path)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [LOCKS, address])
    check_preconditions(request, address)
    return once(request, view.now, view.credential, write) if request.method in REPEATABLE else write()
