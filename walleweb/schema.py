"""The OpenAPI document at /api/v1/schema: the same bytes for everybody, generated once in each process.

It follows from the code and the settings alone. Generating it takes half a second, which no client may cause at will.
"""

from functools import cache
from threading import Lock
from typing import Any, Final

from django.http import HttpRequest
from django.http.response import HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.encoding import force_bytes
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from kit.api.etags import etag_of

_rendering: Final = Lock()


class SchemaView(SpectacularAPIView):
    """Answers with the document as YAML or JSON, as negotiated."""

    authentication_classes = ()

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponseBase:
        renderer = request.accepted_renderer
        body, etag = rendered(type(renderer))
        headers = {"ETag": etag, "Cache-Control": "no-cache"}
        answer = HttpResponse(body, content_type=renderer.media_type, headers=headers)
        django_request: HttpRequest = request._request
        return get_conditional_response(django_request, etag=etag, response=answer) or answer


def rendered(renderer: type[BaseRenderer]) -> tuple[bytes, str]:
    """Return the document as this renderer writes it, and its ETag."""
    with _rendering:
        # mypy mistakes __hash__ of a class for that of its instances.
        return _rendered(renderer)  # type: ignore[arg-type]


@cache
def _rendered(renderer: type[BaseRenderer]) -> tuple[bytes, str]:
    body = force_bytes(renderer().render(_document(), renderer_context={}))
    return body, etag_of(body)


@cache
def _document() -> Any:
    return SchemaGenerator().get_schema(request=None, public=True)
