"""Read which scenarios may deliver to which apps."""

from django.db.models import QuerySet

from devices_app.models import App
from releases_app.models import DeliveryGrant
from tasks_app.models import Scenario


def grants() -> QuerySet[DeliveryGrant]:
    """Return all grants, with the names of their apps and scenarios."""
    return DeliveryGrant.objects.select_related("app", "scenario")


def grants_of_app(app: App) -> QuerySet[DeliveryGrant]:
    """Return the scenarios that may deliver to an app."""
    return grants().filter(app=app)


def grants_of_scenario(scenario: Scenario) -> QuerySet[DeliveryGrant]:
    """Return the apps that a scenario may deliver to."""
    return grants().filter(scenario=scenario)


def grant_between(app: App, scenario: Scenario) -> DeliveryGrant | None:
    """Return the grant of the scenario to deliver to the app, if there is one."""
    return grants().filter(app=app, scenario=scenario).first()
