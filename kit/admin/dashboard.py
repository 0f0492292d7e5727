"""Addresses of the dashboard's pages, to which admin pages lead back."""

from urllib.parse import quote, urlencode


def dashboard_page(*names: object, **search: str) -> str:
    """Return the address of a page: `dashboard_page("devices", "shop", "phone-1")`, or a list with a search."""
    address = "".join(f"/{quote(str(name), safe='')}" for name in names)
    return f"{address}?{urlencode(search)}" if search else address


def task_page(name: str, **search: str) -> str:
    """Return the address of the page of a task, `scenario/task`."""
    return dashboard_page("tasks", *name.split("/", 1), **search)
