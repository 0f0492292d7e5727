"""The version of this package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """Return the version of the installed package; "" where it was not installed as one."""
    try:
        return version("walle")
    except PackageNotFoundError:
        return ""
