"""REST views of browser sessions: the present session, log in, log out; all sessions of a user."""

from typing import TYPE_CHECKING

import structlog
from django.conf import settings
from django.contrib.auth import authenticate, login, logout
from django.contrib.auth.models import AnonymousUser
from django.middleware.csrf import get_token
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.actors import Actor
from accounts_app.api import serializers as forms
from accounts_app.api.base import ApiView
from accounts_app.login_cookies import browser_of, remember
from accounts_app.logins import admit
from accounts_app.models import BrowserSession
from accounts_app.selectors import SessionFacts, preferences_of, sessions_of
from accounts_app.services.sessions import end_other_sessions, end_session
from kit.api.inputs import PageInput
from kit.api.pages import page_of
from kit.api.schema import endpoint
from kit.api.users import user_of
from kit.attempts import TooManyAttempts

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

log = structlog.get_logger(__name__)


class CurrentSession(ApiView):
    """The session of a browser.

    The user is not known yet, so there are no permissions and no Idempotency-Key to check.
    """

    bare = True
    permission_classes = []
    throttle_classes = []

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        if request.method in ("POST", "DELETE"):
            # REST framework checks it only for users who are logged in already: otherwise a foreign page could log its
            # visitors in as a user of its choice.
            SessionAuthentication().enforce_csrf(request)
        super().initial(request, *args, **kwargs)

    @endpoint("get_session", forms.SessionSerializer, needs="nothing", anonymous=True)
    def get(self, request: Request) -> Response:
        """Return who is logged in, in this browser.

        The answer sets the cookie `csrftoken`, whose value every write of the session sends as `X-CSRFToken`.
        """
        get_token(request._request)
        return self._session()

    @endpoint("log_in", forms.SessionSerializer, body=forms.LoginSerializer, needs="the CSRF token", anonymous=True)
    def post(self, request: Request) -> Response:
        """Log in.

        The session and the CSRF token are renewed. Attempts are limited by user name and address together; a cookie of
        an earlier login gives a browser a limit of its own. An Idempotency-Key is ignored.
        """
        body = self.body(forms.LoginSerializer)
        self._admit(body["username"])
        user = authenticate(request._request, **body)
        if user is None:
            log.warning("login refused", user=body["username"], address=request.META.get("REMOTE_ADDR"))
            raise AuthenticationFailed("No active account has this user name and password.", "login-refused")
        # Django would keep the session of a user who logs in again.
        request._request.session.flush()
        login(request._request, user)
        request.user = user
        log.info("logged in", user=user.get_username(), address=request.META.get("REMOTE_ADDR"))
        response = self._session()
        remember(response, user.get_username())
        return response

    @endpoint("log_out", status=204, needs="the CSRF token", anonymous=True)
    def delete(self, request: Request) -> Response:
        """Log out; succeeds without a login, too."""
        logout(request._request)
        request.user = AnonymousUser()
        return Response(status=204)

    def _admit(self, name: str) -> None:
        address = self.request.META.get("REMOTE_ADDR")
        try:
            admit(name=name, address=address, browser=browser_of(self.request.COOKIES, name), now=self.now)
        except TooManyAttempts as error:
            log.warning("login refused after too many", user=name, address=address)
            raise Throttled(error.wait_s) from error

    def _session(self) -> Response:
        actor = Actor.of(self.request)
        user = None
        if actor.is_active and actor.account:
            preferences = preferences_of(actor.account)
            user = {"username": actor.name, "staff": actor.has_every_permission, "preferences": preferences}
        return self.respond(forms.SessionSerializer, {"user": user, "debug": settings.DEBUG})


class Sessions(ApiView):
    live = frozenset({"seen_at"})

    @endpoint("list_sessions", page_of(forms.BrowserSessionSerializer), query=PageInput, needs="to be signed in")
    def get(self, request: Request) -> Response:
        """List your sessions in browsers, newest first.

        `seen_at` is precise to a minute. A token sees none.
        """
        return self.respond_rows(forms.BrowserSessionSerializer, own_sessions(self))

    @endpoint("end_other_sessions", status=204, needs="a session")
    def delete(self, request: Request) -> Response:
        """End all your sessions but the present one."""
        end_other_sessions(actor=self.actor, user=user_of(request), present=_present(request), now=self.now)
        return Response(status=204)


class OneSession(ApiView):
    @endpoint("end_session", status=204, needs="a session, and to own the one that ends")
    def delete(self, request: Request, session: int) -> Response:
        """End one of your sessions."""
        end_session(actor=self.actor, session=own_sessions(self).get(pk=session))
        return Response(status=204)


def own_sessions(view: ApiView) -> "QuerySet[WithAnnotations[BrowserSession, SessionFacts]]":
    """Return the sessions of the sender; none for a token, which may have leaked."""
    if view.actor.token is not None:
        return sessions_of(user_of(view.request), present="", now=view.now).none()
    return sessions_of(user_of(view.request), present=_present(view.request), now=view.now)


def _present(request: Request) -> str:
    return request._request.session.session_key or ""
