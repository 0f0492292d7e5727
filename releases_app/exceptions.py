"""Errors of releases_app. Every text is meant for the person who made the request."""

from django.core.exceptions import PermissionDenied


class DeliveryNotAllowed(PermissionDenied):
    """The app's owners have not allowed the scenario to deliver there, or not to complete releases `early`.

    The text says `why` that matters, and who can help. It is about the scenario and not about the person who makes the
    request: staff get the same text.
    """

    def __init__(self, scenario: str, app: str, *, why: str = "", early: bool = False) -> None:
        deed = f"complete releases to app {app} early" if early else f"deliver to app {app}"
        refusal = f"{why}, and scenario {scenario} may not {deed}" if why else f"scenario {scenario} may not {deed}"
        command = f"walle app allow {app} {scenario}{' --complete-early' if early else ''}"
        super().__init__(f"{refusal}; an owner of app {app} can allow it: {command}")
