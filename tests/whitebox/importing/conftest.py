"""Fixtures of imported models."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """Otherwise joblib would start a program that counts processors."""
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
