"""Who asks in the benchmark `api`: their sessions, and what names mean for them."""

from __future__ import annotations

from typing import Final

from benchmarks.support.api.catalogue import user_name

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
}
_OTHERS: Final = {"of kiosk": {"app": "kiosk", "device": "device-000003332"}}


def names_of(person: str) -> dict[str, str]:
    """What the variables of addresses stand for: what there is most of, as far as it is theirs to see."""
    return _NAMES | _OTHERS.get(person, {})


def session_of(person: str) -> str:
    """The cookie of a new session."""
    from django.contrib.auth.models import User
    from django.test import Client

    client = Client()
    client.force_login(User.objects.get(username=user_name(person)))
    return client.cookies["sessionid"].value
