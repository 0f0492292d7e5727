"""The sidebar of the console, as django-unfold asks for it."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from walleweb.console.navigation import groups_of


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the way home and to the dashboard, then the groups."""
    ways = [
        {"title": "Home", "icon": "home", "link": reverse("admin:index")},
        # Every page of the console lies below its address; it is none of them.
        {"title": "Dashboard", "icon": "dashboard", "link": "/", "active": lambda _request: False},
    ]
    return [{"title": "", "items": ways}, *groups_of(request)]
