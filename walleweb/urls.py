"""Addresses that Django answers; the gateway and the sockets branch off earlier, in walleweb.asgi."""

from collections.abc import Iterator

from django.apps import apps
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.utils.module_loading import module_has_submodule
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.views import SpectacularSwaggerView

from accounts_app.admin_login import log_in
from walleweb import errors
from walleweb.dashboard.views import dashboard
from walleweb.requests import UNMATCHED
from walleweb.schema import SchemaView

DASHBOARD = ("tasks", "releases", "devices")
"""What addresses of the dashboard's pages begin with, besides the first one, which has none."""
APPS = ("accounts_app", "jobs_app", "devices_app", "webhooks_app", "tasks_app", "serving_app")


def app_urls(module: str, prefix: str) -> Iterator[URLResolver]:
    """The addresses below `prefix` of every app that has this module."""
    for name in APPS:
        if module_has_submodule(apps.app_configs[name].module, module):
            yield path(prefix, include(f"{name}.{module}"))


urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/login/", log_in, name="admin-login"),
    path("admin/", admin.site.urls),
    path("api/v1/schema", SchemaView.as_view(), name="schema"),
    path("api/v1/docs", SpectacularSwaggerView.as_view(url_name="schema"), name="docs"),
    *app_urls("urls", "api/v1/"),
    re_path(rf"^(?:(?:{'|'.join(DASHBOARD)})(?:/.*)?)?$", dashboard, name="dashboard"),
    # With WALLE_DEBUG on, Django would show anybody a page that lists all addresses.
    re_path("^(?!(?:admin|static)(?:/|$))", csrf_exempt(errors.not_found), name=UNMATCHED),
]

handler400 = "walleweb.errors.bad_request"
handler403 = "walleweb.errors.forbidden"
handler404 = "walleweb.errors.not_found"
handler500 = "walleweb.errors.server_error"
