"""The scopes in which roles for a scenario are held."""

from accounts_app.scopes import scope_of


def scenario_scope(slug: str) -> str:
    """Return the scope of a scenario, such as `scenario:camera`."""
    return scope_of("scenario", slug)
