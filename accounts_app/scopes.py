"""The text form of what a role or a token is about, `app:shop`. Apps contribute the kinds (kit.contributing)."""

import re
from functools import cache

from accounts_app.exceptions import InvalidScope
from kit.contributing import contributions
from walle.protocol.names import SLUG_PATTERN


@cache
def scope_kinds() -> tuple[str, ...]:
    """The kinds that apps contribute, always in the same order."""
    return tuple(sorted((kind for each in contributions() for kind in each.scopes), reverse=True))


def scope_pattern() -> str:
    """What matches a scope of any kind, and nothing else, as a regular expression."""
    return rf"^({'|'.join(scope_kinds())}):{SLUG_PATTERN.pattern}$"


def scope_forms() -> list[str]:
    """How scopes look, for people."""
    return [f"{kind}:<slug>" for kind in scope_kinds()]


def scope_of(kind: str, slug: str) -> str:
    """The scope of one thing; raises InvalidScope."""
    return check_scope(f"{kind}:{slug}")


def check_scope(value: object) -> str:
    """The value unchanged when it is a scope; raises InvalidScope otherwise."""
    if isinstance(value, str) and re.fullmatch(scope_pattern(), value):
        return value
    raise InvalidScope(scope_forms(), value)
