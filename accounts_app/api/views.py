"""REST views of the present user, their tokens, and the audit log."""

from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api import serializers as forms
from accounts_app.api.base import ApiView
from accounts_app.permissions import owners_of, permissions_of
from accounts_app.selectors import audit_search, preferences_of, roles_of, token_reachable_by, tokens_visible_to
from accounts_app.services.preferences import change_preferences
from accounts_app.services.tokens import issue_token, revoke_token
from kit.api.inputs import PageInput
from kit.api.pages import page_of
from kit.api.schema import endpoint
from kit.api.users import user_of
from kit.api.views import filters_of
from walle.protocol.installation import installed_version


class Me(ApiView):
    @endpoint("get_me", forms.MeSerializer)
    def get(self, request: Request) -> Response:
        """Return the sender of the request, and their permissions by scope."""
        actor = self.actor
        held = roles_of(actor)
        owners = owners_of(held)
        scopes = [
            {
                "scope": scope,
                "roles": roles,
                "permissions": permissions_of(actor, roles),
                "owners": owners.get(scope, []),
            }
            for scope, roles in held.items()
        ]
        found = {
            "username": actor.name,
            "staff": actor.has_every_permission,
            "token": actor.token,
            "scopes": scopes,
            "preferences": preferences_of(user_of(request)),
        }
        answer = self.respond(forms.MeSerializer, found)
        answer["Walle-Version"] = installed_version()
        return answer

    @endpoint("change_me", forms.PreferencesSerializer, body=forms.PreferencesChangeSerializer)
    def patch(self, request: Request) -> Response:
        """Change how you want to see the dashboard.

        Fields that are left out keep their values. A limited token is refused.
        """
        body = self.body(forms.PreferencesChangeSerializer)
        changed = change_preferences(actor=self.actor, user=user_of(request), **body)
        return self.respond(forms.PreferencesSerializer, changed)


class Tokens(ApiView):
    @endpoint("list_tokens", page_of(forms.TokenSerializer), query=PageInput)
    def get(self, request: Request) -> Response:
        """List your tokens, newest first, including revoked ones. A limited token sees only itself."""
        return self.respond_rows(forms.TokenSerializer, tokens_visible_to(self.actor))

    @endpoint("issue_token", forms.IssuedTokenSerializer, status=201, body=forms.NewTokenSerializer, needs="a session")
    def post(self, request: Request) -> Response:
        """Create a token for yourself. Its secret is only in this answer.

        It requires a session: a token cannot create tokens.
        """
        user = user_of(request)
        token, secret = issue_token(actor=self.actor, user=user, **self.body(forms.NewTokenSerializer))
        return Response({**forms.TokenSerializer(token).data, "secret": secret}, status=201)


class TokenRevocation(ApiView):
    @endpoint("revoke_token", forms.TokenSerializer, needs="to own the token, or site staff")
    def post(self, request: Request, token: str) -> Response:
        """Revoke a token at once.

        Site staff may revoke anybody's tokens, others their own. A limited token can revoke only itself. Revoking it
        again changes nothing.
        """
        found = token_reachable_by(self.actor, token)
        return self.respond(forms.TokenSerializer, revoke_token(actor=self.actor, token=found, now=self.now))


class Audit(ApiView):
    @endpoint("list_audit", page_of(forms.AuditEntrySerializer), query=forms.AuditQuery)
    def get(self, request: Request) -> Response:
        """List who did what, newest first.

        The entries are those of the scopes in which you hold a role, and your own; site staff see all. A page may hold
        fewer than `limit` entries, or none, although others follow; `next` is null only at the end.
        """
        query = self.query(forms.AuditQuery)
        same = {"action": "action", "scope": "scope", "object_type": "object_type", "object_id": "object_id"}
        found = audit_search(self.actor, **filters_of(query, actor="actor_name", **same))
        return self.respond_search(forms.AuditEntrySerializer, found, query)
