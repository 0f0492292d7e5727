"""Addresses of this app below /api/v1/."""

from accounts_app.api import views
from accounts_app.api.paths import route

urlpatterns = [
    route("me", views.Me),
    route("tokens", views.Tokens),
    route("tokens/{token}/revoke", views.TokenRevocation),
    route("audit", views.Audit),
]
