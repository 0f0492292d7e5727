"""The admin pages' own login: as limited as the dashboard's, with the same counts."""

from typing import Any

from django.core.exceptions import ValidationError
from unfold.forms import AuthenticationForm

from accounts_app.api.limits import LoginThrottle


class LoginForm(AuthenticationForm):
    """Looks at no password when there were too many attempts."""

    def clean(self) -> dict[str, Any]:
        throttle = LoginThrottle()
        if not throttle.allows(self.request.META.get("REMOTE_ADDR"), self.cleaned_data.get("username")):
            message = f"Too many attempts to log in: wait {throttle.wait():.0f} seconds, then try again."
            raise ValidationError(message, code="throttled")
        cleaned: dict[str, Any] = super().clean()
        return cleaned
