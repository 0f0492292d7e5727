"""REST views of apps: their versions, keys, members, addresses and table."""

from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from accounts_app.api.members import MembersView
from accounts_app.api.serializers import MemberSerializer, NewMemberSerializer, RoleChangeSerializer
from devices_app.api import serializers as forms
from devices_app.models import App, AppKey, PublishedTable
from devices_app.scopes import app_scope
from devices_app.selectors import registry
from devices_app.selectors.tables import for_people, newest_table
from devices_app.services import apps
from kit.api.inputs import PageInput
from kit.api.pages import page_of
from kit.api.schema import endpoint

ROLE: Final = "a role in the app"
KEYS: Final = "`manage keys` in the app"
MEMBERS: Final = "`manage members` in the app"


class Apps(ApiView):
    @endpoint("list_apps", page_of(forms.AppSerializer), query=PageInput)
    def get(self, request: Request) -> Response:
        """List the apps you may see, by slug."""
        return self.respond_rows(forms.AppSerializer, registry.apps_visible_to(self.actor), by="slug")

    @endpoint("create_app", forms.AppSerializer, status=201, body=forms.NewAppSerializer, needs="site staff")
    def post(self, request: Request) -> Response:
        """Register an app; it starts with an empty table."""
        app = apps.create_app(actor=self.actor, now=self.now, **self.body(forms.NewAppSerializer))
        return self.respond(forms.AppSerializer, app, status=201)


class OneApp(ApiView):
    """The base class of all views below an app."""

    def app(self, slug: str) -> App:
        return registry.app_visible_to(self.actor, slug)


class AppDetail(OneApp):
    @endpoint("get_app", forms.AppSerializer, needs=ROLE)
    def get(self, request: Request, app: str) -> Response:
        """Return one app."""
        return self.respond(forms.AppSerializer, self.app(app))

    @endpoint("change_app", forms.AppSerializer, body=forms.AppChangeSerializer, needs=KEYS)
    def patch(self, request: Request, app: str) -> Response:
        """Change an app's name, check-in interval or enrolment limit.

        Fields that are left out keep their values. The app's table is published again, because it contains the
        interval.
        """
        body, changed = self.body(forms.AppChangeSerializer), self.app(app)
        if "enrolment_limit" in body:
            per_hour = body.pop("enrolment_limit")
            changed = apps.limit_enrolment(app=changed, per_hour=per_hour, actor=self.actor)
        changed = apps.configure_app(app=changed, actor=self.actor, now=self.now, **body)
        return self.respond(forms.AppSerializer, changed)


class AppVersions(OneApp):
    @endpoint("list_app_versions", page_of(forms.AppVersionSerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, app: str) -> Response:
        """List the app's declared versions, newest first."""
        return self.respond_rows(forms.AppVersionSerializer, registry.versions_of(self.app(app)))

    @endpoint(
        "add_app_version",
        forms.AppVersionSerializer,
        status=201,
        body=forms.NewAppVersionSerializer,
        needs=KEYS,
    )
    def post(self, request: Request, app: str) -> Response:
        """Declare a version of the app, so that releases can target it.

        A version that is known already is answered in the same way; a profile in the body replaces its profile.
        """
        body = self.body(forms.NewAppVersionSerializer)
        version = apps.add_version(app=self.app(app), actor=self.actor, **body)
        return self.respond(forms.AppVersionSerializer, version, status=201)


class AppVersionDetail(OneApp):
    @endpoint("change_app_version", forms.AppVersionSerializer, body=forms.AppVersionChangeSerializer, needs=KEYS)
    def patch(self, request: Request, app: str, app_version: str) -> Response:
        """Declare what tasks find in a version of the app. Simulations use it from now on."""
        version = registry.versions_of(self.app(app)).get(version=app_version)
        body = self.body(forms.AppVersionChangeSerializer)
        return self.respond(forms.AppVersionSerializer, apps.declare_profile(version=version, actor=self.actor, **body))


class AppKeys(OneApp):
    @endpoint("list_app_keys", page_of(forms.AppKeySerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, app: str) -> Response:
        """List the app's keys, newest first, including revoked ones, without their texts."""
        return self.respond_rows(forms.AppKeySerializer, registry.keys_of(self.app(app)))

    @endpoint(
        "create_app_key",
        forms.CreatedAppKeySerializer,
        status=201,
        body=forms.NewAppKeySerializer,
        needs=KEYS,
    )
    def post(self, request: Request, app: str) -> Response:
        """Create an enrol or gateway key, or register a backend key.

        The text of an enrol or gateway key is only in this answer.
        """
        key, text = _make_key(self.app(app), self.body(forms.NewAppKeySerializer), self)
        return Response({**forms.AppKeySerializer(key).data, "text": text}, status=201)


def _make_key(app: App, body: dict[str, Any], view: ApiView) -> tuple[AppKey, str | None]:
    kind, label = AppKey.Kind(body["kind"]), body["label"]
    if kind == AppKey.Kind.BACKEND:
        return apps.add_backend_key(app=app, label=label, public_key=body["public_key"], actor=view.actor), None
    return apps.create_secret_key(app=app, kind=kind, label=label, actor=view.actor)


class AppKeyRevocation(OneApp):
    @endpoint("revoke_app_key", forms.AppKeySerializer, needs=KEYS)
    def post(self, request: Request, app: str, key: int) -> Response:
        """Revoke a key.

        From now on nobody enrols, reads tables or signs facts with it. Devices that enrolled with it keep their
        credentials. Revoking it again changes nothing.
        """
        found = registry.keys_of(self.app(app)).get(pk=key)
        return self.respond(forms.AppKeySerializer, apps.revoke_key(key=found, actor=self.actor, now=self.now))


class AppBases(OneApp):
    @endpoint("list_app_bases", page_of(forms.RegionBaseSerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, app: str) -> Response:
        """List the base URLs from which the app's devices download, by region."""
        return self.respond_rows(forms.RegionBaseSerializer, registry.bases_of(self.app(app)), by="region")

    @endpoint(
        "set_app_base",
        forms.RegionBaseSerializer,
        body=forms.NewRegionBaseSerializer,
        needs=KEYS,
    )
    def post(self, request: Request, app: str) -> Response:
        """Set the base URLs from which devices of one region download, replacing earlier ones."""
        body = self.body(forms.NewRegionBaseSerializer)
        base = apps.set_base(app=self.app(app), actor=self.actor, now=self.now, **body)
        return self.respond(forms.RegionBaseSerializer, base)


class AppTable(OneApp):
    @endpoint("get_app_table", forms.TableSerializer, needs=ROLE)
    def get(self, request: Request, app: str) -> Response:
        """Return the table from which gateways answer the app's devices, without signatures and salts."""
        if (newest := newest_table(self.app(app))) is None:
            raise PublishedTable.DoesNotExist
        table, published_at = newest
        return self.respond(forms.TableSerializer, {**for_people(table), "published_at": published_at})


class AppMembers(MembersView, OneApp):
    @endpoint("list_app_members", page_of(MemberSerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, app: str) -> Response:
        """List the roles held in the app, the oldest first."""
        return self.members(app_scope(self.app(app).slug))

    @endpoint("add_app_member", MemberSerializer, status=201, body=NewMemberSerializer, needs=MEMBERS)
    def post(self, request: Request, app: str) -> Response:
        """Grant a user a role in the app; a role that the user already has changes nothing."""
        return self.grant(app_scope(self.app(app).slug))


class AppMember(MembersView, OneApp):
    @endpoint("change_app_member", MemberSerializer, body=RoleChangeSerializer, needs=MEMBERS)
    def patch(self, request: Request, app: str, user: str, role: str) -> Response:
        """Exchange a role in the app for another one; that of the only owner is refused."""
        return self.exchange(app_scope(self.app(app).slug), user, role)

    @endpoint("remove_app_member", status=204, needs=MEMBERS)
    def delete(self, request: Request, app: str, user: str, role: str) -> Response:
        """Withdraw a role in the app; that of the only owner is refused."""
        return self.withdraw(app_scope(self.app(app).slug), user, role)
