"""REST views of scenarios, their members and their tasks."""

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from accounts_app.api.members import MembersView
from accounts_app.api.serializers import MemberSerializer, NewMemberSerializer, RoleChangeSerializer
from kit.api.inputs import PageInput
from kit.api.pages import page_of
from kit.api.schema import endpoint
from tasks_app.api import serializers as forms
from tasks_app.models import Scenario
from tasks_app.scopes import scenario_scope
from tasks_app.selectors import catalogue
from tasks_app.services import scenarios

ROLE: Final = "a role in the scenario"
MEMBERS: Final = "`manage members` in the scenario"


class Scenarios(ApiView):
    @endpoint("list_scenarios", page_of(forms.ScenarioSerializer), query=forms.ScenarioQuery)
    def get(self, request: Request) -> Response:
        """List the scenarios you may see, by slug."""
        query = self.query(forms.ScenarioQuery)
        scenarios = catalogue.scenarios_found(catalogue.scenarios_visible_to(self.actor), query.get("q", ""))
        return self.respond_rows(forms.ScenarioSerializer, scenarios, by="slug", query=query)

    @endpoint(
        "create_scenario",
        forms.ScenarioSerializer,
        status=201,
        body=forms.NewScenarioSerializer,
        needs="site staff",
    )
    def post(self, request: Request) -> Response:
        """Create a scenario with its empty git repository; you become its owner."""
        made = scenarios.create_scenario(actor=self.actor, **self.body(forms.NewScenarioSerializer))
        return self.respond(forms.ScenarioSerializer, catalogue.scenario_visible_to(self.actor, made.slug), status=201)


class OneScenario(ApiView):
    """The base class of all views below a scenario."""

    def scenario(self, slug: str) -> Scenario:
        return catalogue.scenario_visible_to(self.actor, slug)


class ScenarioDetail(OneScenario):
    @endpoint("get_scenario", forms.ScenarioDetailSerializer, needs=ROLE)
    def get(self, request: Request, scenario: str) -> Response:
        """Return one scenario."""
        return self.respond(forms.ScenarioDetailSerializer, self.scenario(scenario))

    @endpoint("change_scenario", forms.ScenarioSerializer, body=forms.ScenarioChangeSerializer, needs=MEMBERS)
    def patch(self, request: Request, scenario: str) -> Response:
        """Change a scenario's description, or whether its releases need approval.

        Fields that are left out keep their values.
        """
        body = self.body(forms.ScenarioChangeSerializer)
        scenarios.configure_scenario(actor=self.actor, scenario=self.scenario(scenario), **body)
        return self.respond(forms.ScenarioSerializer, self.scenario(scenario))


class ScenarioMembers(MembersView, OneScenario):
    @endpoint("list_scenario_members", page_of(MemberSerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, scenario: str) -> Response:
        """List the roles held in the scenario, the oldest first."""
        return self.members(scenario_scope(self.scenario(scenario).slug))

    @endpoint("add_scenario_member", MemberSerializer, status=201, body=NewMemberSerializer, needs=MEMBERS)
    def post(self, request: Request, scenario: str) -> Response:
        """Grant a user a role in the scenario; a role that the user already has changes nothing."""
        return self.grant(scenario_scope(self.scenario(scenario).slug))


class ScenarioMember(MembersView, OneScenario):
    @endpoint("change_scenario_member", MemberSerializer, body=RoleChangeSerializer, needs=MEMBERS)
    def patch(self, request: Request, scenario: str, user: str, role: str) -> Response:
        """Exchange a role in the scenario for another one; that of the only owner is refused."""
        return self.exchange(scenario_scope(self.scenario(scenario).slug), user, role)

    @endpoint("remove_scenario_member", status=204, needs=MEMBERS)
    def delete(self, request: Request, scenario: str, user: str, role: str) -> Response:
        """Withdraw a role in the scenario; that of the only owner is refused."""
        return self.withdraw(scenario_scope(self.scenario(scenario).slug), user, role)


class ScenarioTasks(OneScenario):
    @endpoint("list_tasks", page_of(forms.TaskSerializer), query=forms.TasksOfScenarioQuery, needs=ROLE)
    def get(self, request: Request, scenario: str) -> Response:
        """List the scenario's tasks, by slug."""
        query = self.query(forms.TasksOfScenarioQuery)
        tasks = catalogue.tasks_visible_to(self.actor).filter(scenario=self.scenario(scenario))
        return self.respond_rows(forms.TaskSerializer, catalogue.tasks_found(tasks, query), by="slug", query=query)
