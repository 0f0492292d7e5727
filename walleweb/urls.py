"""Addresses that Django answers; the gateway and the sockets branch off earlier, in walleweb.asgi."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, path

urlpatterns: list[URLPattern | URLResolver] = [path("admin/", admin.site.urls)]
