"""Profiles of app versions for tests."""

from typing import Any


def profile(**changes: Any) -> dict[str, Any]:
    """The profile of an app that has numpy, on one system unless `changes` say otherwise."""
    return {"sdk": "1.0.0", "python": "3.11", "modules": ["numpy"], "os": {"android": ["14"]}, **changes}
