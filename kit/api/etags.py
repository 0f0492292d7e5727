"""ETags of answers, for conditional reads and for writes that must not overwrite unseen changes.

Every readable address has one, over the whole answer but for the fields that a view calls `live`: those change without
anybody's doing, and an answer that has any is never called unchanged.
"""

from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ObjectDoesNotExist
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.http import parse_etags
from rest_framework.exceptions import APIException
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

if TYPE_CHECKING:
    from kit.api.views import View


class PreconditionFailed(APIException):
    """The object differs from what the sender of `If-Match` or `If-None-Match` has seen."""

    status_code = HTTPStatus.PRECONDITION_FAILED
    default_code = "precondition-failed"
    default_detail = "This was changed since you read it: read it again, then decide again."


def lasting_json(data: Any, live: frozenset[str]) -> bytes:
    """Return an answer as JSON without its live fields."""
    lasting = {name: value for name, value in data.items() if name not in live} if live else data
    rendered: bytes = JSONRenderer().render(lasting)
    return rendered


def etag_of(lasting: bytes) -> str:
    """Return the ETag of an answer, in quotes."""
    return f'"{sha256(lasting).hexdigest()[:32]}"'


def mark(request: Request, response: Response, live: frozenset[str]) -> Response:
    """Return the answer to a read with its ETag, or 304 if the client has it already."""
    lasting = lasting_json(response.data, live)
    etag = etag_of(lasting)
    known = parse_etags(request.headers.get("If-None-Match", ""))
    if not live and ("*" in known or etag in known):
        response = Response(status=HTTPStatus.NOT_MODIFIED)
    elif not live and request.accepted_media_type == JSONRenderer.media_type:
        # Without wishes for its layout, this JSON is the answer: it is not rendered again.
        response.content, response["Content-Type"] = lasting, JSONRenderer.media_type
    response["ETag"] = etag
    return response


def readable_address(path: str) -> str:
    """Return the address itself, or the nearest readable one above it: the object of a write."""
    here = path.rstrip("/")
    while here.count("/") > 2:
        try:
            if _readable_view(resolve(here)):
                return here
        except Resolver404:
            pass
        here = here.rpartition("/")[0]
    return path


def _readable_view(match: ResolverMatch) -> "type[View] | None":
    """Return the view of an address, if it can be read."""
    view: type[View] | None = getattr(match.func, "cls", None)
    return view if hasattr(view, "get") else None


def check_preconditions(request: Request, address: str) -> None:
    """Raise PreconditionFailed unless `address` is as the request's If-Match and If-None-Match demand."""
    if_match = parse_etags(request.headers.get("If-Match", ""))
    if_none_match = parse_etags(request.headers.get("If-None-Match", ""))
    if not if_match and not if_none_match:
        return
    present = _present_etag(request, address)
    if if_match and (present is None or not {"*", present} & set(if_match)):
        raise PreconditionFailed
    if present is not None and {"*", present} & set(if_none_match):
        raise PreconditionFailed("This is there already: read it, then decide again.")


def _present_etag(request: Request, address: str) -> str | None:
    """Return the ETag of what the sender would read at an address now; None if nothing."""
    match = resolve(address)
    view = _readable_view(match)
    if view is None:
        return None
    try:
        return etag_of(lasting_json(view().read(request, **match.kwargs).data, view.live))
    except ObjectDoesNotExist:
        return None
