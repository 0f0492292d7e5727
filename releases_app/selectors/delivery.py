"""Reading which scenarios may deliver to which apps."""

from django.db.models import QuerySet

from devices_app.models import App
from releases_app.models import DeliveryGrant
from tasks_app.models import Scenario


def grants() -> QuerySet[DeliveryGrant]:
    """All grants, with the names that they are shown by."""
    return DeliveryGrant.objects.select_related("app", "scenario")


def grants_of_app(app: App) -> QuerySet[DeliveryGrant]:
    """The scenarios that may deliver to an app."""
    return grants().filter(app=app)


def grants_of_scenario(scenario: Scenario) -> QuerySet[DeliveryGrant]:
    """The apps that a scenario may deliver to."""
    return grants().filter(scenario=scenario)


def grant_between(app: App, scenario: Scenario) -> DeliveryGrant | None:
    """What allows the scenario to deliver to the app, if anything does."""
    return grants().filter(app=app, scenario=scenario).first()
