"""Cases of one test that share what its fixtures made."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from django.db import transaction

Test = Callable[..., None]


def cases(names: str | Sequence[str], rows: Sequence[Any]) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, for tests on the database whose fixtures cost more than they do themselves.

    Fixtures are set up once. Each case works in a savepoint that is rolled back; the objects of fixtures stay as a case
    leaves them, so this is for cases that only read, or are refused. A case that fails is named, and those after it are
    not tried.
    """
    named = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(**fixtures: Any) -> None:
            for row in rows:
                case = dict(zip(named, row if len(named) > 1 else (row,), strict=True))
                try:
                    with transaction.atomic():
                        test(**case, **fixtures)
                        transaction.set_rollback(True)
                except Exception as error:
                    error.add_note(f"The case: {case!r}")
                    raise

        asked = inspect.signature(test)
        given = [parameter for name, parameter in asked.parameters.items() if name not in named]
        run.__signature__ = asked.replace(parameters=given)  # type: ignore[attr-defined]
        return run

    return decorate
