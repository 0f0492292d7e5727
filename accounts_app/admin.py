"""Show users, roles, tokens and the audit log to site staff. A token's secret is shown once, when it is created."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.safestring import SafeString
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextInputWidget

from accounts_app.actors import Actor
from accounts_app.exceptions import InvalidScope, LastOwner
from accounts_app.models import ApiToken, AuditEntry, Member
from accounts_app.permissions import Permission
from accounts_app.scopes import check_scope
from accounts_app.selectors import members_of
from accounts_app.services.members import grant_role, revoke_role
from accounts_app.services.tokens import issue_token, revoke_token
from kit.admin.large import IndexedValuesFilter, LargeAdmin
from kit.admin.staff import ISSUED_SECRETS, BaseAdmin, RowForm, StaffAdmin, as_json, is_staff

if TYPE_CHECKING:
    AccountAdmin = DjangoUserAdmin[User]
else:
    AccountAdmin = DjangoUserAdmin

admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(AccountAdmin, BaseAdmin):
    """People who may sign in.

    Users with audit entries are deactivated instead of deleted, because the log names them.
    """

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "email", "is_staff", "is_active", "last_login")
    list_filter = ("is_staff", "is_active")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("May", {"fields": ("is_active", "is_staff", "is_superuser")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_staff(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_staff(request)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        if obj and not self.has_change_permission(request, obj):
            # Staff who cannot set a password do not see its digest either.
            return ((None, {"fields": ("username",)}), *self.fieldsets[1:])
        return super().get_fieldsets(request, obj)


def _scope(value: str) -> str:
    try:
        return check_scope(value)
    except InvalidScope as error:
        raise forms.ValidationError(str(error)) from error


class MemberForm(RowForm):
    class Meta:
        model = Member
        fields = ("user", "scope", "role")

    def clean_scope(self) -> str:
        return _scope(self.cleaned_data["scope"])


@admin.register(Member)
class MemberAdmin(StaffAdmin):
    allowed = frozenset({"add", "delete"})
    form = MemberForm
    list_display = ("user", "scope", "role", "created_at")
    list_filter = ("role", ("scope", IndexedValuesFilter))
    search_fields = ("user__username", "scope")
    list_select_related = ("user",)
    autocomplete_fields = ("user",)

    def save_model(self, request: HttpRequest, obj: Member, form: RowForm, change: bool) -> None:
        granted = grant_role(actor=Actor.of(request), user=obj.user, scope=obj.scope, role=obj.role)
        obj.pk, obj.created_at = granted.pk, granted.created_at

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        if isinstance(obj, Member) and members_of(obj.scope).filter(pk=obj.pk, last_owner=True).exists():
            return False
        return super().has_delete_permission(request, obj)

    def delete_model(self, request: HttpRequest, obj: Member) -> None:
        revoke_role(actor=Actor.of(request), user=obj.user, scope=obj.scope, role=obj.role)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        for member in queryset.select_related("user"):
            try:
                self.delete_model(request, member)
            except LastOwner as error:
                messages.error(request, str(error))


class TokenForm(RowForm):
    scopes = forms.CharField(
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="Separated by commas, such as scenario:camera, app:shop. Empty: everywhere.",
    )
    permissions = forms.MultipleChoiceField(
        required=False,
        choices=[(str(permission), str(permission)) for permission in Permission],
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="None: everything the user may do. To view is always allowed.",
    )

    class Meta:
        model = ApiToken
        fields = ("user", "name", "scopes", "permissions", "expires_at")

    def clean_scopes(self) -> list[str]:
        return [_scope(part.strip()) for part in self.cleaned_data["scopes"].split(",") if part.strip()]


@admin.register(ApiToken)
class ApiTokenAdmin(StaffAdmin):
    allowed = frozenset({"add"})
    form = TokenForm
    fields = ("user", "name", "scopes", "permissions", "expires_at")
    list_display = ("prefix", "name", "user", "reaches", "state", "created_at", "last_used_at")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter), "expires_at")
    list_select_related = ("user",)
    search_fields = ("prefix", "name", "user__username")
    autocomplete_fields = ("user",)
    actions = ("revoke",)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        shown = ("prefix", "created_at", "last_used_at", "revoked_at") if obj else ()
        return (*self.fields, *shown)

    def save_model(self, request: HttpRequest, obj: ApiToken, form: RowForm, change: bool) -> None:
        cleaned: dict[str, Any] = form.cleaned_data
        token, ISSUED_SECRETS[request] = issue_token(actor=Actor.of(request), **cleaned)
        obj.pk, obj.prefix = token.pk, token.prefix

    def response_add(self, request: HttpRequest, obj: ApiToken, post_url_continue: str | None = None) -> HttpResponse:
        """Show the page with the secret itself; a redirect would have to store it in between."""
        context = {**self.admin_site.each_context(request), "title": "Token made", "token": obj, "opts": self.opts}
        context["secret"] = ISSUED_SECRETS.pop(request)
        return TemplateResponse(request, "accounts_app/token_issued.html", context)

    @admin.display(description="reaches")
    def reaches(self, token: ApiToken) -> str:
        reach = ", ".join(token.scopes) or "everywhere"
        return f"{reach}: {', '.join(token.permissions) or 'everything its user may do'}"

    @admin.display(description="state")
    def state(self, token: ApiToken) -> str:
        if token.revoked_at:
            return "revoked"
        return "expired" if token.expires_at and token.expires_at <= timezone.now() else "good"

    @admin.action(description="Revoke the selected tokens")
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        for token in queryset.select_related("user"):
            revoke_token(actor=Actor.of(request), token=token, now=timezone.now())


@admin.register(AuditEntry)
class AuditEntryAdmin(LargeAdmin):
    fields = (
        "at", "actor_name", "token_prefix", "action", "scope", "object_type", "object_id", "object_name",
        "was", "became", "request_id",
    )  # fmt: skip
    list_display = ("at", "actor_name", "action", "object_name", "scope", "request_id")
    list_filter = (("action", IndexedValuesFilter), ("scope", IndexedValuesFilter))
    searched = ("scope", "action")
    search_help_text = "A scope, such as app:shop, or an action, such as release.start"

    @admin.display(description="before")
    def was(self, entry: AuditEntry) -> SafeString:
        return as_json(entry.before)

    @admin.display(description="after")
    def became(self, entry: AuditEntry) -> SafeString:
        return as_json(entry.after)
