"""Names of the kinds of objects in the audit log, webhooks and REST: they last, wherever a model is defined."""

from functools import cache

from django.apps import apps
from django.db.models import Model

from kit.contributing import contributions


@cache
def _declared() -> dict[str, str]:
    return {label: name for each in contributions() for label, name in each.audit_types.items()}


def audit_type(model: type[Model]) -> str:
    """Return the name of a model's rows: the one that its app contributes, or else Django's label, such as
    tasks_app.task.
    """
    return _declared().get(model._meta.label, model._meta.label_lower)


def audited_model(name: str) -> type[Model]:
    """Return the model of an audit type; raises LookupError for a model that no longer exists."""
    labels = {found: label for label, found in _declared().items()}
    return apps.get_model(labels.get(name, name))


def known_model(name: str) -> type[Model] | None:
    """Return the model of an audit type; None for a name of a kind that no longer exists, which the log keeps."""
    try:
        return audited_model(name)
    except (LookupError, ValueError):
        return None
