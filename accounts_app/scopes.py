"""The scope of a role or a token as text, such as `app:shop`. Apps contribute the kinds (kit.contributing)."""

import re
from functools import cache

from accounts_app.exceptions import InvalidScope
from kit.contributing import contributions
from walle.protocol.names import SLUG_PATTERN


@cache
def scope_kinds() -> tuple[str, ...]:
    """Return the kinds that apps contribute, always in the same order."""
    return tuple(sorted((kind for each in contributions() for kind in each.scopes), reverse=True))


def scope_pattern() -> str:
    """Return a regular expression that matches exactly the scopes of all kinds."""
    return rf"^({'|'.join(scope_kinds())}):{SLUG_PATTERN.pattern}$"


def scope_forms() -> list[str]:
    """Return the forms of scopes, for people."""
    return [f"{kind}:<slug>" for kind in scope_kinds()]


def scope_of(kind: str, slug: str) -> str:
    """Return the scope of one object; raises InvalidScope."""
    return check_scope(f"{kind}:{slug}")


def check_scope(value: object) -> str:
    """Return the value unchanged if it is a scope; raises InvalidScope otherwise."""
    if isinstance(value, str) and re.fullmatch(scope_pattern(), value):
        return value
    raise InvalidScope(scope_forms(), value)
