"""The requests to admin pages: every list with its search and each of its filters, and a page of every model."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.support.api.requests import Case

DEEP = 100
"""The page that is opened of lists with that many pages."""


def admin_cases(person: str) -> Iterator[Case]:
    """Return all requests, as somebody who may see all pages."""
    from django.contrib import admin
    from django.contrib.auth.models import User
    from django.test import RequestFactory
    from django.urls import reverse

    from benchmarks.support.api.catalogue import user_name

    admin.autodiscover()
    request = RequestFactory().get("/admin/")
    request.user = User.objects.get(username=user_name(person))
    for model, pages in admin.site._registry.items():
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        address = reverse(f"admin:{name}_changelist")
        yield Case(name, address)
        last = pages.get_changelist_instance(request).paginator.num_pages
        deep = f"p={min(last, DEEP)}"
        yield Case(name, f"{address}?{deep}", deep)
        if pages.search_fields:
            for text in ("device-000000703", "77", "x"):
                yield Case(name, address, f"q={text}", (("q", text),))
        for spec in pages.get_changelist_instance(request).filter_specs:
            for query in _choices(spec, pages, request):
                yield Case(name, address + query, query)
        for row in (model._default_manager.order_by("pk").first(), model._default_manager.order_by("pk").last()):
            if row is not None:
                yield Case(name, reverse(f"admin:{name}_change", args=[row.pk]), "page")


def _choices(spec: object, pages: object, request: object) -> list[str]:
    """Return the second and the last choice of a filter; the first one is all."""
    found = list(spec.choices(pages.get_changelist_instance(request)))  # type: ignore[attr-defined]
    queries = [choice["query_string"] for choice in found if choice.get("query_string", "?") != "?"]
    return sorted({queries[0], queries[-1]}) if queries else []
