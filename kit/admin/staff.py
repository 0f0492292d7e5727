"""Base classes of admin pages: staff read everything, and change rows through services."""

import json
from typing import TYPE_CHECKING, Any, ClassVar, Final
from weakref import WeakKeyDictionary

import unfold.admin
from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

if TYPE_CHECKING:
    from unfold.dataclasses import UnfoldAction

    class BaseAdmin(admin.ModelAdmin[Any]):
        """Django's own types: django-unfold narrows them in what it overrides, such as to any Model and any Form."""

        def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]: ...

    BaseInline = admin.TabularInline[Any, Any]
    RowForm = forms.ModelForm[Any]
else:
    BaseAdmin = unfold.admin.ModelAdmin
    BaseInline = unfold.admin.TabularInline
    # Django's class takes the model from its Meta.
    RowForm = forms.ModelForm


ISSUED_SECRETS: Final[WeakKeyDictionary[HttpRequest, str]] = WeakKeyDictionary()
"""Issued secrets between their creation and the page that shows them once, within one request."""


def is_staff(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_staff)


def link_to(row: Model | None) -> SafeString | str:
    """Return a link to the admin page of a row."""
    if row is None:
        return "-"
    address = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])
    return format_html('<a href="{}" class="text-primary-600 underline">{}</a>', address, row)


def as_json(value: Any) -> SafeString:
    """Render JSON data with indentation."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    return format_html('<pre style="white-space: pre-wrap; overflow-wrap: anywhere">{}</pre>', text)


class StaffAdmin(BaseAdmin):
    """Admin page of rows that site staff may read; `allowed` names what else they may do: add, change, delete."""

    allowed: ClassVar[frozenset[str]] = frozenset()
    list_per_page = 50

    def dashboard_page(self, row: Any) -> str | None:
        """Return the address of the dashboard's page of the same thing; None if it has none."""
        return None

    def get_view_on_site_url(self, obj: Model | None = None) -> str | None:
        return None if obj is None else self.dashboard_page(obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_staff(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_staff(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return "add" in self.allowed and is_staff(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return "change" in self.allowed and is_staff(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return "delete" in self.allowed and is_staff(request)


class StaffInline(BaseInline):
    """Read-only rows on the admin page of another row."""

    extra = 0
    can_delete = False
    show_change_link = True

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return self.fields

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_staff(request)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
