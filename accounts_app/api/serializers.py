"""Serializers of users, tokens, roles and the audit log."""

from datetime import datetime
from typing import Any, Final
from zoneinfo import available_timezones

from django.utils import timezone
from rest_framework import serializers

from accounts_app.logins import normal_name
from accounts_app.models import ApiToken, AuditEntry, BrowserSession, Member, Preferences, Role
from accounts_app.permissions import Permission
from accounts_app.scopes import scope_forms, scope_pattern
from kit.api.inputs import PageInput, StrictSerializer
from kit.api.outputs import Output, RowOutput

TOKEN_PERMISSIONS: Final = [str(permission) for permission in Permission]


class TokenSerializer(RowOutput):
    """A token without its secret, which is not stored."""

    scopes = serializers.ListField(child=serializers.CharField(), help_text="empty: everywhere")
    permissions = serializers.ListField(child=serializers.CharField(), help_text="empty: everything its user may do")

    class Meta:
        model = ApiToken
        fields = ["prefix", "name", "scopes", "permissions", "created_at", "expires_at", "last_used_at", "revoked_at"]


class IssuedTokenSerializer(TokenSerializer):
    """A new token; this is the only answer that contains its secret."""

    secret = serializers.CharField(help_text="shown only once: `Authorization: Bearer <secret>`")

    class Meta(TokenSerializer.Meta):
        fields = [*TokenSerializer.Meta.fields, "secret"]


class ScopeInput(serializers.RegexField):
    """The scope of a role, a token or an audit entry."""

    def __init__(self, **options: Any) -> None:
        expected = f"Expected {' or '.join(scope_forms())}."
        super().__init__(
            scope_pattern().replace("$", r"\Z"), error_messages={"invalid": expected}, max_length=60, **options
        )


class NewTokenSerializer(StrictSerializer):
    name = serializers.CharField(max_length=80, help_text="what the token is used for")
    scopes = serializers.ListField(
        child=ScopeInput(),
        default=list,
        max_length=100,
        help_text="scopes to which the token is limited; empty: no limit",
    )
    permissions = serializers.ListField(
        child=serializers.ChoiceField(choices=TOKEN_PERMISSIONS),
        default=list,
        max_length=len(TOKEN_PERMISSIONS),
        help_text="permissions to which the token is limited, besides viewing; empty: no limit",
    )
    expires_at = serializers.DateTimeField(required=False, allow_null=True, default=None)

    def validate_expires_at(self, value: datetime | None) -> datetime | None:
        if value is not None and value <= timezone.now():
            raise serializers.ValidationError("Expected a time that is still to come.")
        return value


class MemberSerializer(RowOutput):
    user = serializers.CharField(source="user.username")
    last_owner = serializers.BooleanField(help_text="the only active owner, whose role can neither go nor change")

    class Meta:
        model = Member
        fields = ["user", "role", "created_at", "last_owner"]


class NewMemberSerializer(StrictSerializer):
    user = serializers.CharField(max_length=150, help_text="user name")
    role = serializers.ChoiceField(choices=Role.choices)


class RoleChangeSerializer(StrictSerializer):
    role = serializers.ChoiceField(choices=Role.choices, help_text="the role that takes the place of the present one")


class HeldRoleSerializer(Output):
    scope = serializers.CharField()
    roles = serializers.ListField(child=serializers.ChoiceField(choices=Role.choices))
    permissions = serializers.ListField(child=serializers.CharField(), help_text="permissions of the roles there")
    owners = serializers.ListField(
        child=serializers.CharField(), help_text="the first five active owners, who may give roles there"
    )


class PreferencesSerializer(RowOutput):
    """How a user wants to see the dashboard."""

    class Meta:
        model = Preferences
        fields = ["theme", "time_zone"]


class PreferencesChangeSerializer(StrictSerializer):
    theme = serializers.ChoiceField(
        choices=Preferences.Theme.choices, allow_blank=True, required=False, help_text="empty: as the browser has it"
    )
    time_zone = serializers.CharField(
        max_length=64, allow_blank=True, required=False, help_text="such as Europe/Berlin; empty: the browser's"
    )

    def validate_time_zone(self, value: str) -> str:
        if value and value not in available_timezones():
            raise serializers.ValidationError(
                f"Expected the name of a time zone, such as Europe/Berlin, found {value!r}."
            )
        return value


class BrowserSessionSerializer(RowOutput):
    current = serializers.BooleanField(help_text="the session of this request")

    class Meta:
        model = BrowserSession
        fields = ["id", "user_agent", "began_at", "seen_at", "current"]


class MeSerializer(Output):
    """The sender of the request."""

    username = serializers.CharField()
    staff = serializers.BooleanField(help_text="site staff may do everything, everywhere their token reaches")
    token = TokenSerializer(allow_null=True, help_text="the token of this request; null: a session")
    scopes = HeldRoleSerializer(many=True)
    preferences = PreferencesSerializer()


class SessionUserSerializer(Output):
    """The user who is logged in."""

    username = serializers.CharField()
    staff = serializers.BooleanField(help_text="site staff may do everything")
    preferences = PreferencesSerializer()


class SessionSerializer(Output):
    """The session of a browser."""

    user = SessionUserSerializer(allow_null=True, help_text="null: nobody is logged in")
    debug = serializers.BooleanField(help_text="WALLE_DEBUG is on: the dashboard has pages for work on Walle itself")


class LoginSerializer(StrictSerializer):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=1024, trim_whitespace=False)

    def validate_username(self, value: str) -> str:
        return normal_name(value)


class AuditEntrySerializer(RowOutput):
    actor = serializers.CharField(source="actor_name")
    token = serializers.CharField(source="token_prefix", help_text="beginning of the token used; empty: none")
    before = serializers.SerializerMethodField()
    after = serializers.SerializerMethodField()

    class Meta:
        model = AuditEntry
        fields = [
            "id", "at", "actor", "token", "action", "scope", "object_type", "object_id", "object_name",
            "before", "after", "request_id",
        ]  # fmt: skip

    def get_before(self, entry: AuditEntry) -> dict[str, Any] | None:
        """Return the changed facts before the action."""
        return entry.before

    def get_after(self, entry: AuditEntry) -> dict[str, Any] | None:
        """Return the changed facts after the action."""
        return entry.after


class AuditQuery(PageInput):
    action = serializers.CharField(required=False, max_length=60, help_text="such as release.start")
    scope = ScopeInput(required=False)
    actor = serializers.CharField(required=False, max_length=150, help_text="user name, or system")
    object_type = serializers.CharField(required=False, max_length=80, help_text="such as tasks_app.release")
    object_id = serializers.CharField(required=False, max_length=64)
