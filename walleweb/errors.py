"""Answers to faults outside of REST's views: a page for people, a problem document for programs."""

from contextlib import suppress
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults
from django.views.decorators.http import require_safe
from rest_framework.permissions import SAFE_METHODS

from kit.problems import CONTENT_TYPE, problem
from walleweb.dashboard.build import NotBuilt
from walleweb.dashboard.views import dashboard, unknown

API_PREFIXES = ("/api/", "/walle/")
"""Paths whose clients are programs; others get a page."""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _page_or_problem(request, HTTPStatus.BAD_REQUEST) or defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    answer = _page_or_problem(request, HTTPStatus.FORBIDDEN, str(exception))
    return answer or defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if answer := _page_or_problem(request, HTTPStatus.NOT_FOUND):
        return answer
    if _is_for_dashboard(request):
        with suppress(NotBuilt):
            return unknown(request)
    return defaults.page_not_found(request, exception)


@require_safe
def debug_page(request: HttpRequest) -> HttpResponse:
    """Return the dashboard's page for one that is there while WALLE_DEBUG is on; otherwise nothing is there."""
    return dashboard(request) if settings.DEBUG else not_found(request)


def _is_for_dashboard(request: HttpRequest) -> bool:
    """Return whether this may be a person's mistyped address; admin and static files have answers of their own."""
    others = request.path.startswith(("/admin/", settings.STATIC_URL))
    return request.method in SAFE_METHODS and request.accepts("text/html") and not others


def server_error(request: HttpRequest) -> HttpResponse:
    return _page_or_problem(request, HTTPStatus.INTERNAL_SERVER_ERROR) or defaults.server_error(request)


def _page_or_problem(request: HttpRequest, status: HTTPStatus, detail: str = "") -> HttpResponse | None:
    if not request.path.startswith(API_PREFIXES):
        return None
    answer = JsonResponse(problem(status, detail=detail), status=status, content_type=CONTENT_TYPE)
    answer["Cache-Control"] = "no-store"
    return answer
