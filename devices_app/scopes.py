"""What roles for an app are held in."""

from accounts_app.scopes import scope_of


def app_scope(slug: str) -> str:
    """The scope of a mobile app, `app:shop`."""
    return scope_of("app", slug)
