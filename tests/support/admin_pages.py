"""Walking through admin pages as a signed-in person."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse


def pages_by_model() -> dict[type[Model], Any]:
    """Return the pages of each model, which only whoever answers requests has loaded otherwise."""
    admin.autodiscover()
    return admin.site._registry


class AdminPages:
    """Opens and submits admin pages through Django's own stack."""

    def __init__(self, user: User) -> None:
        self.client = Client()
        self.client.force_login(user)

    def list_of(self, model: type[Model], **query: str) -> HttpResponse:
        return self.client.get(_address(model, "changelist"), query)

    def page_of(self, row: Model) -> HttpResponse:
        return self.client.get(_address(type(row), "change", row.pk))

    def add_page(self, model: type[Model]) -> HttpResponse:
        return self.client.get(_address(model, "add"))

    def add(self, model: type[Model], **data: str) -> HttpResponse:
        return self.client.post(_address(model, "add"), data)

    def change(self, row: Model, **data: str) -> HttpResponse:
        return self.client.post(_address(type(row), "change", row.pk), data)

    def delete(self, row: Model) -> HttpResponse:
        return self.client.post(_address(type(row), "delete", row.pk), {"post": "yes"})

    def act(self, action: str, *rows: Model) -> HttpResponse:
        data = {"action": action, "_selected_action": [row.pk for row in rows]}
        return self.client.post(_address(type(rows[0]), "changelist"), data, follow=True)


def _address(model: type[Model], page: str, *arguments: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)
