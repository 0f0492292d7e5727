"""The scopes in which roles for an app are held."""

from accounts_app.scopes import scope_of


def app_scope(slug: str) -> str:
    """Return the scope of an app, such as `app:shop`."""
    return scope_of("app", slug)
