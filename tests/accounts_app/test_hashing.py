"""Passwords: hashed as Django does it, by threads that give way to everybody else."""

import os
import threading
from typing import Any

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password, make_password

from accounts_app.hashing import LowPriorityPasswordHasher


@pytest.fixture(autouse=True)
def _as_in_production(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["accounts_app.hashing.LowPriorityPasswordHasher"]


@pytest.mark.slow
def test_a_password_opens_what_django_itself_has_stored_and_the_other_way_round(settings):
    stored = make_password("a long password")
    assert check_password("a long password", stored)
    assert not check_password("another password", stored)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    assert check_password("a long password", stored)


def test_it_is_computed_by_another_thread_of_lower_priority(monkeypatch):
    seen = []

    def look(self: object, *given: object) -> str:
        seen.append((threading.get_ident(), os.getpriority(os.PRIO_PROCESS, threading.get_native_id())))
        return "pbkdf2_sha256$1$salt$hash"

    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", look)
    LowPriorityPasswordHasher().encode("password", "salt")
    ((thread, niceness),) = seen
    assert thread != threading.get_ident()
    # 19 is the lowest priority there is.
    assert niceness > min(os.getpriority(os.PRIO_PROCESS, 0), 18)
