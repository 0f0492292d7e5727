"""The facts and lists that the rules of an app may use."""

from dataclasses import replace
from typing import Literal

from django.core.exceptions import ValidationError

from devices_app.models import App, AppFact, AppVersion, IdList
from walle.protocol.kinds import DEVICE, facts_of
from walle.release.rules import BUILT_IN_FACTS, FactDeclaration, RuleMalformed, check_rule


def fact_declarations(app: App) -> dict[str, FactDeclaration]:
    """Return the facts that every app has and those that this one declares, by the name that rules use.

    The values of app_version are the app's declared versions.
    """
    declared = {fact.full_name: _declaration(fact) for fact in AppFact.objects.filter(app=app)}
    versions = tuple(AppVersion.objects.filter(app=app).order_by("id").values_list("version", flat=True))
    return {**BUILT_IN_FACTS, "app_version": replace(BUILT_IN_FACTS["app_version"], values=versions), **declared}


def _declaration(fact: AppFact) -> FactDeclaration:
    source: Literal["device", "user"] = "user" if fact.source == AppFact.Source.USER else "device"
    return FactDeclaration(fact.full_name, fact.type, tuple(fact.values) or None, source)


def id_list_names(app: App) -> list[str]:
    """Return the names of the app's id lists."""
    return list(IdList.objects.filter(app=app).values_list("name", flat=True))


def check_rule_of(app: App, rule: object, kind: str = DEVICE) -> None:
    """Raise ValidationError, with all faults and their places, unless a rule is sound and uses only what exists.

    A rule for tasks of another `kind` may use the fact that all who run these have: so it means all of them.
    """
    known = {name: FactDeclaration(name, "boolean") for name in facts_of([kind])}
    try:
        check_rule(rule, {**fact_declarations(app), **known}, id_list_names(app))
    except RuleMalformed as error:
        raise ValidationError({"rule": error.texts}) from error
