"""Remove secrets from Django's page about a fault, which programs on this machine get while WALLE_DEBUG is on."""

from collections.abc import ItemsView
from types import FrameType
from typing import Any

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter

from walleweb.logs import clean


class SecretsHidden(SafeExceptionReporterFilter):
    """Also hides what Django considers harmless: passwords in addresses, and secrets among local variables."""

    def is_active(self, request: HttpRequest | None) -> bool:
        """Return True: Django would hide what views mark as sensitive only while DEBUG is off."""
        return True

    def cleanse_setting(self, key: Any, value: Any) -> Any:
        cleansed = super().cleanse_setting(key, value)
        return cleansed if callable(cleansed) else clean(key, cleansed)

    def get_safe_cookies(self, request: HttpRequest) -> dict[str, Any]:
        return dict.fromkeys(getattr(request, "COOKIES", {}), self.cleansed_substitute)

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: FrameType) -> ItemsView[str, Any]:
        variables = super().get_traceback_frame_variables(request, tb_frame)
        return {name: clean(name, value) for name, value in variables}.items()
