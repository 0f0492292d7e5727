"""The admin pages' own login, with the same limits, counts and cookies as the dashboard's."""

from http import HTTPStatus
from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from unfold.forms import AuthenticationForm

from accounts_app.login_cookies import browser_of, remember
from accounts_app.logins import admit
from kit.attempts import TooManyAttempts


class LoginForm(AuthenticationForm):
    """A form that checks no password after too many attempts."""

    request: HttpRequest

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username")
        if name is not None:
            try:
                admit(
                    name=name,
                    address=self.request.META.get("REMOTE_ADDR"),
                    browser=browser_of(self.request.COOKIES, name),
                    now=timezone.now(),
                )
            except TooManyAttempts as error:
                raise ValidationError(str(error), code="throttled") from error
        return super().clean()


def log_in(request: HttpRequest) -> HttpResponseBase:
    """Log in to the admin pages; after success the browser keeps a cookie of it."""
    response: HttpResponseBase = admin.site.login(request)
    # A rejected form is shown again.
    if request.method == "POST" and response.status_code == HTTPStatus.FOUND:
        remember(response, request.user.get_username())
    return response
