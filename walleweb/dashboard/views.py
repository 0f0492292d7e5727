"""The page of the dashboard, the same at all of its addresses: its own router decides what it shows."""

import secrets
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from walleweb.dashboard.build import NotBuilt, page

# No inline script or style without the answer's own nonce, no other origin, no frames.
POLICY: Final = (
    "default-src 'none'",
    "script-src 'nonce-{nonce}'",
    "style-src 'self' 'nonce-{nonce}'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
)
NOT_BUILT: Final = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Walle</title></head>
<body>
<h1>The dashboard is not built yet</h1>
<p>Run <code>make web</code>, then load this page again. <code>make run</code> does so by itself.</p>
<p>Meanwhile: <a href="/admin/">the admin pages</a>, <a href="/api/v1/docs">the API</a>.</p>
</body>
</html>
"""


@require_safe
@never_cache
def dashboard(request: HttpRequest) -> HttpResponse:
    """Return the built page under its content security policy, or one that says how to build it."""
    try:
        return _built(HTTPStatus.OK)
    except NotBuilt:
        return HttpResponse(NOT_BUILT, status=HTTPStatus.SERVICE_UNAVAILABLE)


@never_cache
def unknown(request: HttpRequest) -> HttpResponse:
    """Return the same page for an unknown address, which it reports to people who are logged in. Raises NotBuilt."""
    return _built(HTTPStatus.NOT_FOUND)


def _built(status: HTTPStatus) -> HttpResponse:
    nonce = secrets.token_urlsafe(16)
    response = HttpResponse(page(nonce), status=status)
    response["Content-Security-Policy"] = "; ".join(POLICY).format(nonce=nonce)
    return response
