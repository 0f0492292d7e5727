"""Create and configure scenarios."""

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from accounts_app.actors import SYSTEM, Actor
from accounts_app.models import Role
from accounts_app.permissions import SITE, Permission, require
from accounts_app.services.audit import record
from accounts_app.services.members import grant_role
from tasks_app.exceptions import ScenarioExists
from tasks_app.models import Scenario
from tasks_app.repository import create_repository
from tasks_app.scopes import scenario_scope
from walle.protocol.names import check_slug


@transaction.atomic
def create_scenario(*, actor: Actor, slug: str, description: str = "") -> Scenario:
    """Create a scenario with its empty repository; its creator becomes its owner.

    Raises InvalidNameError, ScenarioExists, NotAllowed.
    """
    require(actor, Permission.MANAGE_SITE, SITE)
    try:
        with transaction.atomic():
            scenario = Scenario.objects.create(slug=check_slug(slug, "scenario"), description=description)
    except IntegrityError as error:
        raise ScenarioExists(slug) from error
    # Before the commit: a row without a repository would be unusable, an empty folder is harmless.
    create_repository(slug)
    scope = scenario_scope(slug)
    record(actor=actor, action="scenario.create", target=scenario, scope=scope, after={"description": description})
    if isinstance(actor.user, User):
        grant_role(actor=SYSTEM, user=actor.user, scope=scope, role=Role.OWNER)
    return scenario


@transaction.atomic
def configure_scenario(
    *, actor: Actor, scenario: Scenario, description: str | None = None, approval_required: bool | None = None
) -> Scenario:
    """Change a scenario's description, or whether its releases need approval; None changes nothing.

    Releases without an approval cannot start while approval is required (services.releases).
    """
    scope = scenario_scope(scenario.slug)
    require(actor, Permission.MANAGE_MEMBERS, scope)
    row = Scenario.objects.select_for_update().get(pk=scenario.pk)
    columns = {"description": description, "approval_required": approval_required}
    after = {name: value for name, value in columns.items() if value not in (None, getattr(row, name))}
    if after:
        before = {name: getattr(row, name) for name in after}
        for name, value in after.items():
            setattr(row, name, value)
        row.save(update_fields=list(after))
        record(actor=actor, action="scenario.configure", target=row, scope=scope, before=before, after=after)
    return row
