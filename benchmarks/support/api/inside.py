"""The parts of the benchmark `api` that run within a Walle: the requests and their numbers of database queries.

    python -m benchmarks.support.api.inside FILE

writes them to FILE as JSON, by person. It runs in a process of its own, because Django uses one database at a time.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Final

from benchmarks.support.api.admin import admin_cases
from benchmarks.support.api.catalogue import PEOPLE
from benchmarks.support.api.figures import keep_figures_of_now
from benchmarks.support.api.people import names_of, session_of
from benchmarks.support.api.requests import Case, cases, deep, plans
from benchmarks.support.api.writing import expect_all_known
from benchmarks.support.harness import is_tiny

_FEW: Final = ("staff", "of kiosk")
"""The people whose requests a tiny run tries: two whose objects differ."""


def main(file: Path) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "walleweb.settings")
    django.setup()
    from drf_spectacular.generators import SchemaGenerator

    keep_figures_of_now()
    document = SchemaGenerator().get_schema(request=None, public=True)
    expect_all_known(document)
    found = {}
    for person in _FEW if is_tiny() else PEOPLE:
        chosen = list(cases(document, names_of(person)))
        if person == "staff":
            chosen += [*plans(names_of(person)["app"]), *admin_cases(person)]
        if is_tiny():
            chosen = _firsts(chosen)
        session = session_of(person)
        found[person] = {"session": session, "cases": [_tried(case, session) for case in _with_deep(chosen, session)]}
    file.write_text(json.dumps(found))


def _firsts(chosen: list[Case]) -> list[Case]:
    """Return the first case of each operation, and the first exact one."""
    firsts: dict[tuple[str, bool], Case] = {}
    for case in chosen:
        firsts.setdefault((case.operation, case.note.startswith("exact")), case)
    return list(firsts.values())


def _with_deep(chosen: list[Case], session: str) -> list[Case]:
    """Return the cases with a page in the middle of each list besides its first one."""
    every = []
    for case in chosen:
        every.append(case)
        answer = send(case, session)
        if answer.status_code == 200 and answer.headers["Content-Type"] == "application/json":
            cursor = answer.json().get("next")
            every += [deep(case, cursor)] if cursor else []
    return every


def _tried(case: Case, session: str) -> dict[str, Any]:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        answer = send(case, session)
    result = {"status": answer.status_code, "queries": len(captured)}
    if case.operation in ("count_devices", "preview_targeting") and answer.status_code == 200:
        result["counted"] = {name: answer.json()[name] for name in ("count", "exact", "margin")}
    return {**asdict(case), **result}


@cache
def _client(session: str) -> Any:
    """Return the client for all requests: each new one would load all middleware again."""
    from django.test import Client

    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = session
    return client


def send(case: Case, session: str) -> Any:
    client = _client(session)
    if case.body is None:
        return client.get(case.address)
    return client.post(case.address, json.dumps(case.body), content_type="application/json")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
