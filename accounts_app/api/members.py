"""The views of a scenario's members and of an app's."""

from django.contrib.auth.models import User
from rest_framework.response import Response
from rest_framework.serializers import ValidationError

from accounts_app.api.base import ApiView
from accounts_app.api.serializers import MemberSerializer, NewMemberSerializer, RoleChangeSerializer
from accounts_app.models import Member
from accounts_app.permissions import Permission, require
from accounts_app.selectors import members_of
from accounts_app.services.members import change_role, grant_role, revoke_role


class MembersView(ApiView):
    """Lists, grants, exchanges and withdraws the roles of one scope, which the actor is known to see."""

    def members(self, scope: str) -> Response:
        return self.respond_rows(MemberSerializer, members_of(scope), by="id")

    def grant(self, scope: str) -> Response:
        # Before the name is looked up, so that others do not learn which users exist.
        require(self.actor, Permission.MANAGE_MEMBERS, scope)
        body = self.body(NewMemberSerializer)
        user = User.objects.filter(username=body["user"], is_active=True).first()
        if user is None:
            raise ValidationError({"user": f"Expected the name of an active user, found {body['user']!r}."})
        member = grant_role(actor=self.actor, user=user, scope=scope, role=body["role"])
        return self.respond(MemberSerializer, members_of(scope).get(pk=member.pk), status=201)

    def exchange(self, scope: str, user: str, role: str) -> Response:
        require(self.actor, Permission.MANAGE_MEMBERS, scope)
        new = self.body(RoleChangeSerializer)["role"]
        member = change_role(actor=self.actor, user=User.objects.get(username=user), scope=scope, role=role, new=new)
        if member is None:
            raise Member.DoesNotExist
        return self.respond(MemberSerializer, members_of(scope).get(pk=member.pk))

    def withdraw(self, scope: str, user: str, role: str) -> Response:
        require(self.actor, Permission.MANAGE_MEMBERS, scope)
        member = User.objects.get(username=user)
        if not revoke_role(actor=self.actor, user=member, scope=scope, role=role):
            raise Member.DoesNotExist
        return Response(status=204)
