"""The people of the benchmark `api`: their sessions, and the values of variables for them."""

from __future__ import annotations

from typing import Final

from benchmarks.support.api.catalogue import user_name
from benchmarks.support.api.pipelines import HOST

_NAMES: Final = {
    "app": "mall",
    "device": "device-000000703",
    "id_list": "long",
    "scenario": "bench-0",
    "task": "task-0",
    "version": "1.0.0",
    "release": "1",
    "webhook": "1",
    "delivery": "1",
    "feature": "500",
    "host": HOST,
    "workflow": "questions",
    "placement": "1",
}
_OTHERS: Final = {"of kiosk": {"app": "kiosk", "device": "device-000003332"}}


def names_of(person: str) -> dict[str, str]:
    """Return the values of variables in addresses: of the largest objects, if the person may see them."""
    return _NAMES | _OTHERS.get(person, {})


def session_of(person: str) -> str:
    """Return the cookie of a new session."""
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get(username=user_name(person)))
    return client.cookies["sessionid"].value
