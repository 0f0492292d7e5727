"""Errors of devices_app that callers handle."""


class InUse(Exception):
    """A release in the app's table uses what was to be deleted or changed."""
