"""Give every request an id, which its answer contains: log lines, audit rows and jobs of one request share it.

The middleware stands before all others, and works with threads and without: what it binds to structlog's context is
inherited by the thread in which Django runs a synchronous view, and by the rows of jobs (jobs_app.services).
"""

import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from uuid import uuid4

import structlog
from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from django.utils.functional import LazyObject, empty

from walleweb.metrics import web

HEADER: Final = "X-Request-ID"
_WELL_FORMED: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
UNMATCHED: Final = "unmatched"
"""The view of a request whose address matches none."""

STATIC: Final = "static"
DASHBOARD: Final = "dashboard"

log = structlog.get_logger(__name__)


def request_id(id_: str) -> str:
    """Return the id that a client gave its request, or a new one if that is unfit for logs and rows."""
    return id_ if _WELL_FORMED.fullmatch(id_) else uuid4().hex


@sync_and_async_middleware
def request_middleware(get_response: Any) -> Any:
    """Bind and answer the request's id, and write one line for each request; Django's middleware."""
    if iscoroutinefunction(get_response):

        async def answer_async(request: HttpRequest) -> HttpResponseBase:
            with _RequestLog.of(request) as exchange:
                return exchange.answered(await get_response(request))

        return answer_async

    def answer(request: HttpRequest) -> HttpResponseBase:
        with _RequestLog.of(request) as exchange:
            return exchange.answered(get_response(request))

    return answer


class _RequestLog:
    """A request and its response, for the log line."""

    def __init__(self, request: HttpRequest, id_: str) -> None:
        self._request = request
        self._id = id_
        self._began = time.perf_counter()

    @classmethod
    @contextmanager
    def of(cls, request: HttpRequest) -> Iterator["_RequestLog"]:
        id_ = request_id(request.headers.get(HEADER, ""))
        with structlog.contextvars.bound_contextvars(request_id=id_):
            yield cls(request, id_)

    def answered(self, response: HttpResponseBase) -> HttpResponseBase:
        """Put the id into the response, count it and log it."""
        seconds = time.perf_counter() - self._began
        view = view_of(self._request)
        response.headers[HEADER] = self._id
        web.count_request(str(self._request.method), view, response.status_code, seconds)
        log.log(
            _level(view, response.status_code),
            "request",
            method=self._request.method,
            view=view,
            path=self._request.path[:500],
            status=response.status_code,
            milliseconds=round(seconds * 1000, 1),
            user=user_name(self._request),
        )
        return response


def _level(view: str, status: int) -> int:
    if status >= 500:
        return logging.ERROR
    return logging.DEBUG if view == STATIC else logging.INFO


def view_of(request: HttpRequest) -> str:
    """Return the template of the request's path."""
    if request.resolver_match is not None:
        match = request.resolver_match
        # All pages of the dashboard are one view, whose pattern only excludes other paths.
        return match.url_name if match.url_name in (DASHBOARD, UNMATCHED) else match.route
    return STATIC if request.path.startswith(f"/{settings.STATIC_URL.lstrip('/')}") else UNMATCHED


def user_name(request: HttpRequest) -> str:
    """Return the name of the authenticated user; empty if there is none, or if no view authenticated the request."""
    user: Any = request.__dict__.get("user")
    if isinstance(user, LazyObject) and user.__dict__.get("_wrapped", empty) is empty:
        return ""
    return str(user.get_username()) if user is not None else ""
