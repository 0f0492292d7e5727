"""Answers that are files to be saved and never shown, whatever they contain."""

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from rest_framework.request import Request


def attachment(
    request: Request, chunks: Iterator[bytes], name: str, media_type: str = "application/octet-stream"
) -> StreamingHttpResponse:
    """Return a download under this name, which browsers neither show nor run."""
    # In a server's event loop, Django would hold all chunks of an ordinary iterator in memory at once.
    pieces = _iterate(chunks) if is_asgi(request) else chunks
    response = StreamingHttpResponse(pieces, content_type=media_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response


def is_asgi(request: Request) -> bool:
    """Return whether a server's event loop answers, and not a test."""
    return isinstance(request._request, ASGIRequest)


async def _iterate(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    following = sync_to_async(lambda: next(chunks, b""), thread_sensitive=False)
    try:
        while chunk := await following():
            yield chunk
    finally:
        if close := getattr(chunks, "close", None):
            close()
