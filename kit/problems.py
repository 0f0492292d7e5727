"""Turn exceptions of apps and of the library into problem documents (RFC 9457).

Apps raise exceptions that know nothing of HTTP. Each declares which of them a caller may cause, and the status each one
has (`Contributions.statuses`); whatever is not declared is a fault of ours: status 500, without details.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any

import structlog
from django.core.exceptions import NON_FIELD_ERRORS, ObjectDoesNotExist, PermissionDenied, ValidationError
from django.core.signals import got_request_exception
from django.db import IntegrityError, OperationalError
from django.http import Http404
from django.utils.module_loading import import_string
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from kit.contributing import contributions

CONTENT_TYPE = "application/problem+json"
OF_DJANGO: dict[type[Exception], HTTPStatus] = {
    PermissionDenied: HTTPStatus.FORBIDDEN,
    ObjectDoesNotExist: HTTPStatus.NOT_FOUND,
    Http404: HTTPStatus.NOT_FOUND,
    ValidationError: HTTPStatus.BAD_REQUEST,
    OperationalError: HTTPStatus.SERVICE_UNAVAILABLE,
    IntegrityError: HTTPStatus.CONFLICT,
}
# The same codes as those of REST framework's own exceptions.
CODES: dict[type[Exception], str] = {
    ValidationError: "invalid",
    ObjectDoesNotExist: "not-found",
    Http404: "not-found",
    IntegrityError: "conflict",
}
# Their own texts contain details of rows, constraints and servers, which stay internal.
DETAILS: dict[type[Exception], str] = {
    ObjectDoesNotExist: "There is no such thing, or it is not yours to see.",
    Http404: "There is no such thing, or it is not yours to see.",
    OperationalError: "The database cannot be reached now, or is too busy: try again in a moment.",
    IntegrityError: "Somebody else changed the same thing at the same moment: look again, then try again.",
}
log = structlog.get_logger(__name__)


def problem(
    status: HTTPStatus, *, detail: str = "", code: str = "", errors: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    """Return the members of a problem document; `code` is a stable word for programs, `detail` a text for people."""
    members: dict[str, Any] = {"type": "about:blank", "title": status.phrase, "status": int(status)}
    members["code"] = code or status.phrase.lower().replace(" ", "-")
    if detail:
        members["detail"] = _sayable(detail)
    if errors:
        members["errors"] = [{name: _sayable(text) for name, text in error.items()} for error in errors]
    return members


def _sayable(text: str) -> str:
    """Replace lone surrogates in a text, which quoted JSON input may contain and UTF-8 cannot encode."""
    return text.encode(errors="replace").decode()


@cache
def statuses() -> dict[type[Exception], HTTPStatus]:
    """Return the status of each exception that a caller may cause; the nearest base class decides."""
    declared = {import_string(name): status for each in contributions() for name, status in each.statuses.items()}
    return OF_DJANGO | declared


def exception_handler(error: Exception, context: Mapping[str, Any]) -> Response:
    """Handle an exception as REST framework's EXCEPTION_HANDLER.

    A fault of ours is answered here too. With WALLE_DEBUG on, Django's page about it would be no JSON, and would keep a
    database connection for good: it reads query sets in a thread of its own.
    """
    headers = {}
    if isinstance(error, exceptions.APIException):
        document = _of_framework(error)
        headers = _headers(error)
    else:
        document = of_exception(error) or _fault(error, context)
    if isinstance(error, IntegrityError):
        # Services check before they write, so this is a race; should it be a fault of ours, it must not hide.
        log.warning("constraint violated", exc_info=error)
    if isinstance(error, OperationalError):
        # A server that is away, a pool that is used up, a deadlock: the answer does not say which.
        log.warning("database unavailable", exc_info=error)
    set_rollback()
    return Response(document, status=document["status"], headers=headers, content_type=CONTENT_TYPE)


def _fault(error: Exception, context: Mapping[str, Any]) -> dict[str, Any]:
    log.error("fault in the API", exc_info=error)
    got_request_exception.send(sender=None, request=context.get("request"))
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR)


def of_exception(error: Exception) -> dict[str, Any] | None:
    """Return the problem document of a declared exception; None for any other."""
    for base in type(error).__mro__:
        if base in statuses():
            return problem(statuses()[base], detail=_detail(error), code=code_of(type(error)), errors=_fields(error))
    return None


def code_of(error: type[Exception]) -> str:
    """Return the code in CODES, the exception's own code, or its class name in words: MoveRefused is move-refused."""
    for base, code in CODES.items():
        if issubclass(error, base):
            return code
    own = getattr(error, "code", None)
    name = error.__name__.removesuffix("Error")
    return own if isinstance(own, str) and own else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def _detail(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return " ".join(error.messages)
    return next((detail for base, detail in DETAILS.items() if isinstance(error, base)), str(error))


def _fields(error: Exception) -> list[dict[str, str]]:
    if not isinstance(error, ValidationError) or not hasattr(error, "error_dict"):
        own: list[dict[str, str]] = getattr(error, "errors", [])
        return own
    return [
        {"field": "" if field == NON_FIELD_ERRORS else field, "detail": message}
        for field, messages in error.message_dict.items()
        for message in messages
    ]


def _of_framework(error: exceptions.APIException) -> dict[str, Any]:
    status = HTTPStatus(error.status_code)
    if isinstance(error, exceptions.ValidationError):
        found = list(_flatten(error.detail))
        detail = "; ".join(f"{item['field']}: {item['detail']}" if item["field"] else item["detail"] for item in found)
        return problem(status, detail=detail, code="invalid", errors=found)
    return problem(status, detail=str(error.detail), code=str(error.get_codes()).replace("_", "-"))


def _flatten(detail: Any, at: str = "") -> list[dict[str, str]]:
    """Flatten nested errors of a serializer to a list with dotted field names."""
    parts: Iterable[tuple[object, Any]]
    if isinstance(detail, Mapping):
        parts = detail.items()
    elif isinstance(detail, list) and any(isinstance(item, Mapping | list) for item in detail):
        parts = enumerate(detail)
    else:
        messages = detail if isinstance(detail, list) else [detail]
        return [{"field": at, "detail": str(message)} for message in messages]
    return [
        error
        for name, item in parts
        for error in _flatten(item, at if name == "non_field_errors" else f"{at}.{name}".lstrip("."))
    ]


def _headers(error: exceptions.APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(int(wait))
    return headers
