"""REST views of delivery grants: which scenarios may deliver to which apps."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.permissions import Permission, require
from devices_app.api.apps import MEMBERS, ROLE, OneApp
from devices_app.models import App
from devices_app.scopes import app_scope
from kit.api.inputs import PageInput, StrictSerializer
from kit.api.outputs import RowOutput
from kit.api.pages import page_of
from kit.api.schema import endpoint
from releases_app.models import DeliveryGrant
from releases_app.selectors import delivery
from releases_app.services.delivery_grants import allow_delivery, withdraw_delivery
from tasks_app.api.scenarios import ROLE as ROLE_IN_SCENARIO
from tasks_app.api.scenarios import OneScenario
from tasks_app.selectors.catalogue import scenario_visible_to


class DeliveryGrantSerializer(RowOutput):
    """A grant that allows a scenario's versions to be released to an app."""

    app = serializers.CharField(source="app.slug")
    scenario = serializers.CharField(source="scenario.slug")

    class Meta:
        model = DeliveryGrant
        fields = ["app", "scenario", "complete_early", "note", "granted_by", "granted_at"]


class NewDeliveryGrantSerializer(StrictSerializer):
    complete_early = serializers.BooleanField(
        default=False, help_text="may also complete early, skipping what a stage waits for, with a recorded reason"
    )
    note = serializers.CharField(max_length=500, allow_blank=True, default="", help_text="reason, for people")


class AppScenarios(OneApp):
    @endpoint("list_app_scenarios", page_of(DeliveryGrantSerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, app: str) -> Response:
        """List the scenarios that may deliver to the app, the last granted first."""
        return self.respond_rows(DeliveryGrantSerializer, delivery.grants_of_app(self.app(app)))


class AppScenario(OneApp):
    @endpoint("get_app_scenario", DeliveryGrantSerializer, needs=ROLE)
    def get(self, request: Request, app: str, scenario: str) -> Response:
        """Return the grant of one scenario to deliver to the app; 404 if there is none."""
        grant = delivery.grants_of_app(self.app(app)).get(scenario__slug=scenario)
        return self.respond(DeliveryGrantSerializer, grant)

    @endpoint("allow_app_scenario", DeliveryGrantSerializer, body=NewDeliveryGrantSerializer, needs=MEMBERS)
    def put(self, request: Request, app: str, scenario: str) -> Response:
        """Allow a scenario to deliver to the app; the body replaces an earlier grant.

        Anybody who may release in the scenario and sees the app can then release its versions to the app's devices. You
        have to see the scenario too.
        """
        found, body = self.app(app), self.body(NewDeliveryGrantSerializer)
        self._require(found)
        named = scenario_visible_to(self.actor, scenario)
        grant = allow_delivery(app=found, scenario=named, actor=self.actor, now=self.now, **body)
        return self.respond(DeliveryGrantSerializer, grant)

    @endpoint("withdraw_app_scenario", status=204, needs=MEMBERS)
    def delete(self, request: Request, app: str, scenario: str) -> Response:
        """Withdraw the grant of a scenario to deliver to the app.

        Its releases to the app in progress pause; they can be aborted and rolled back, and resume only once it may
        deliver again. What is complete stays until it is rolled back.
        """
        found = self.app(app)
        self._require(found)
        grant = delivery.grants_of_app(found).get(scenario__slug=scenario)
        withdraw_delivery(app=found, scenario=grant.scenario, actor=self.actor, now=self.now)
        return Response(status=204)

    def _require(self, app: App) -> None:
        # Before any name is looked up, so that others do not learn what exists.
        require(self.actor, Permission.MANAGE_MEMBERS, app_scope(app.slug))


class ScenarioApps(OneScenario):
    @endpoint("list_scenario_apps", page_of(DeliveryGrantSerializer), query=PageInput, needs=ROLE_IN_SCENARIO)
    def get(self, request: Request, scenario: str) -> Response:
        """List the apps that the scenario may deliver to, the last granted first."""
        return self.respond_rows(DeliveryGrantSerializer, delivery.grants_of_scenario(self.scenario(scenario)))
