"""Addresses that Django answers; the gateway and the sockets branch off earlier, in walleweb.asgi."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.views import SpectacularSwaggerView

from accounts_app.admin_login import log_in
from kit.contributing import contributions
from walleweb import errors
from walleweb.dashboard.views import dashboard
from walleweb.requests import UNMATCHED
from walleweb.schema import SchemaView
from webhooks_app.unsubscribing import unsubscribe_page

admin.autodiscover()

DASHBOARD = [address for each in contributions() for address in each.dashboard]
"""The first path segments of the dashboard's pages, besides the root."""
DEBUG_DASHBOARD = ("components",)
"""Those of its pages that are there while WALLE_DEBUG is on."""


urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/login/", log_in, name="admin-login"),
    path("admin/", admin.site.urls),
    path("api/v1/schema", SchemaView.as_view(), name="schema"),
    path("api/v1/docs", SpectacularSwaggerView.as_view(url_name="schema"), name="docs"),
    *(path("api/v1/", include(module)) for each in contributions() for module in each.api),
    path("unsubscribe", unsubscribe_page, name="unsubscribe"),
    re_path(rf"^(?:(?:{'|'.join(DASHBOARD)})(?:/.*)?)?$", dashboard, name="dashboard"),
    *(path(each, errors.debug_page, name="debug-dashboard") for each in DEBUG_DASHBOARD),
    # With WALLE_DEBUG on, Django would show a page that lists all addresses.
    re_path("^(?!(?:admin|static)(?:/|$))", csrf_exempt(errors.not_found), name=UNMATCHED),
]

handler400 = "walleweb.errors.bad_request"
handler403 = "walleweb.errors.forbidden"
handler404 = "walleweb.errors.not_found"
handler500 = "walleweb.errors.server_error"
