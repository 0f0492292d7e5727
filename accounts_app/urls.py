"""Addresses of this app below /api/v1/."""

from accounts_app.api import sessions, views
from kit.api.paths import route

urlpatterns = [
    route("session", sessions.CurrentSession),
    route("sessions", sessions.Sessions),
    route("sessions/{session}", sessions.OneSession),
    route("me", views.Me),
    route("tokens", views.Tokens),
    route("tokens/{token}/revoke", views.TokenRevocation),
    route("audit", views.Audit),
]
