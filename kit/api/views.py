"""The base of all views: read the request, call a service or selector, build the answer."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.db.models.expressions import Combinable
from django.http import QueryDict
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from rest_framework import status
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from kit.api.cursors import read_cursor, write_cursor
from kit.api.inputs import AnySerializer, PageInput, StrictJsonParser
from kit.api.limits import SenderThrottle
from kit.api.pages import Page, Row
from kit.row_search import RowSearch

Output = type[AnySerializer]


class View(APIView):
    """The base view. `now` is the one time of the complete request; `credential` identifies the token.

    `bare` is set where bodies are too large for one transaction and for memory, or where a request only authenticates:
    no ETags and no Idempotency-Key there. `writes` is unset where a query is too long for an address and comes by POST:
    it needs no lock, and is answered again each time. `live` are the fields of an answer that change without anybody's
    action.
    """

    parser_classes = [StrictJsonParser]
    throttle_classes: Sequence[type[SenderThrottle]] = [SenderThrottle]
    bare: ClassVar[bool] = False
    writes: ClassVar[bool] = True
    live: ClassVar[frozenset[str]] = frozenset()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.begin(request)

    def read(self, request: Request, **names: Any) -> Response:
        """Return what the sender of another request would read here now."""
        self.request = request
        self.begin(request)
        # The method itself, without the steps around it. Only views with such a method are read.
        answer: Response = self.get.__wrapped__(self, request, **names)  # type: ignore[attr-defined]
        return answer

    def begin(self, request: Request) -> None:
        """Read the data of a request once its sender is known."""
        self.now = timezone.now()
        self.credential = ""

    def get_throttles(self) -> list[BaseThrottle]:
        self.throttles = super().get_throttles()
        return self.throttles

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        # Answers depend on the sender, and answers to writes may be secret.
        reading = request.method in SAFE_METHODS
        response.headers.setdefault("Cache-Control", "private, no-cache" if reading else "no-store")
        patch_vary_headers(response, ["Authorization", "Cookie"])
        for throttle in getattr(self, "throttles", ()):
            for name, value in throttle.headers.items():
                response.headers[name] = value
        finished: Response = super().finalize_response(request, response, *args, **kwargs)
        return finished

    def body(self, serializer: type[AnySerializer]) -> dict[str, Any]:
        """Return the validated body of the request."""
        as_json = isinstance(self.request.data, dict) and not isinstance(self.request.data, QueryDict)
        return _validated(serializer(data=self.request.data, context={"json": as_json}))

    def query(self, serializer: type[AnySerializer] = PageInput) -> dict[str, Any]:
        """Return the validated query of the request."""
        return _validated(serializer(data=self.request.query_params.dict()))

    def respond(self, output: Output, row: object, status: int = status.HTTP_200_OK) -> Response:
        """Return the answer with one object."""
        return Response(output(row).data, status=status)

    def respond_rows(
        self, output: Output, rows: QuerySet[Any], *, by: str = "-id", query: dict[str, Any] | None = None
    ) -> Response:
        """Return the answer with a page of rows in the order of a unique column."""
        page = self.query() if query is None else query
        return self.respond_page(output, Page.cut(rows, by=by, limit=page["limit"], cursor=page.get("cursor")))

    def page_in_order(
        self, rows: QuerySet[Row], orders: Mapping[str, Combinable], query: Mapping[str, Any]
    ) -> Page[Row]:
        """Return the page that a query asks for, in its `order`; without one, the last created rows first."""
        asked = {"limit": query["limit"], "cursor": query.get("cursor")}
        if (order := query.get("order")) is None:
            return Page.cut(rows, by="-id", **asked)
        by, descending = orders[order.removeprefix("-")], order.startswith("-")
        return Page.in_order(rows, by=by, descending=descending, **asked)

    def respond_search(self, output: Output, rows: RowSearch[Any], query: Mapping[str, Any]) -> Response:
        """Return the answer with a page of rows found in a table too large to scan."""
        return self.respond_page(output, found_page(rows, query))

    def respond_page(self, output: Output, page: Page[Any], **context: object) -> Response:
        """Return the answer with a given page; the context is what its serializer needs beside the rows."""
        return Response({"results": output(page.rows, many=True, context=context).data, "next": page.next})


def found_page(rows: RowSearch[Row], query: Mapping[str, Any]) -> Page[Row]:
    """Return the page of a search that a query asks for."""
    found, rest = rows.page(query["limit"], below=read_cursor(query.get("cursor"), int, int))
    return Page(found, None if rest is None else write_cursor(rest))


def filters_of(query: Mapping[str, Any], **lookups: str) -> dict[str, Any]:
    """Return the given filters of a query as lookups of the rows: `chosen(asked, app="app__slug")`."""
    return {lookup: query[name] for name, lookup in lookups.items() if name in query}


def _validated(serializer: AnySerializer) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = serializer.validated_data
    return values
