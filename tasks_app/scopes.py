"""What roles for a scenario are held in."""

from accounts_app.scopes import scope_of


def scenario_scope(slug: str) -> str:
    """The scope of a business scenario, `scenario:camera`."""
    return scope_of("scenario", slug)
