"""Every operation of the OpenAPI document has an example of what it takes and answers, and the examples are true.

They are recorded from the exchanges of tests/api/test_matrix.py. After a change of the API, record them anew:
`WALLE_RECORD=1 python -m pytest tests/api/test_examples.py`.
"""

import json
import os
import re

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from jsonschema import Draft202012Validator

from devices_app.models import App, Report
from releases_app.models import Quarantine, Release
from tasks_app.models import TaskVersion
from tests.api.conftest import NOW
from tests.api.contract import PREFIX, document, operation
from tests.api.test_matrix import BODIES, ROWS, send, world  # noqa: F401
from tests.support.fleet import make_report
from tests.vectors.reports import RUNS
from walleweb.openapi import RECORDED, contents, operations, recorded

OPERATIONS = {each["operationId"]: each for each in operations(document())}
PARTS = [(name, part) for name, each in OPERATIONS.items() for part in contents(each)]
SHOWN = 3
SECRET = re.compile(r"\b(w[lag]_[0-9a-f]{8}_|w[ag]_|whsec_)[A-Za-z0-9_+/=-]+")


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_an_example_is_what_the_document_describes(name, part):
    assert part in recorded().get(name, {}), f"{name} has no example: see the head of this file"
    schema = contents(OPERATIONS[name])[part]["schema"]
    Draft202012Validator({**schema, "components": document()["components"]}).validate(recorded()[name][part])


def test_there_is_no_example_of_what_is_gone():
    assert {(name, part) for name, parts in recorded().items() for part in parts} == set(PARTS)


def test_no_example_holds_a_secret():
    assert not SECRET.search(RECORDED.read_text())


@pytest.mark.django_db
@pytest.mark.skipif("WALLE_RECORD" not in os.environ, reason="the examples are recorded on demand")
def test_record(world, staff):  # noqa: F811
    found = {}
    for method, path, *_ in ROWS:
        address, body = path.format(**world), BODIES.get(f"{method} {path}", {})
        name = operation(method, PREFIX + address)["operationId"]
        parts = contents(OPERATIONS[name])
        if parts and name not in found:
            answer = exchange(staff, method, address, body)
            taken = {"request": body, "answer": answer}
            found[name] = {part: taken[part] for part in parts}
    text = json.dumps(dict(sorted(found.items())), indent=1, ensure_ascii=False)
    RECORDED.write_text(SECRET.sub(r"\1...", text) + "\n")


def exchange(staff, method, address, body):
    """The answer to one request; what it changed is taken back."""
    with transaction.atomic():
        if address.endswith("lift-quarantine"):
            release, version = Release.objects.first(), TaskVersion.objects.get(task__slug="digits")
            Quarantine.objects.create(version=version, release=release, reason="it failed", by="system", at=NOW)
        if address.endswith("mail/test"):
            User.objects.filter(pk=staff.actor.user.pk).update(email="ada@example.com")
        if address.endswith("/streams"):
            make_report(App.objects.get(), address.split("/")[2], runs=RUNS, output={"views": 3, "seconds": 41.5})
            Report.objects.update(received_at=timezone.now())
        response = send(staff.call, *_answerable(method, address), body)
        transaction.set_rollback(True)
    assert response.status_code < 300, (method, address, response.content)
    return _shortened(response.json()) if response.content else None


def _answerable(method, address):
    """A request with the same answer, where one of the table is refused in this world."""
    if method == "PUT" and address.endswith("/archive"):
        return "GET", address.removesuffix("/archive")
    if method == "POST" and address.endswith("mail/confirm"):
        return "GET", address.removesuffix("/confirm")
    if method == "POST" and address.endswith("/apply"):
        return "GET", "tasks/camera/digits/versions/1.0.0"
    if method == "POST" and address.endswith("/simulation"):
        return "GET", address
    return method, f"{address}?base=1.0.0" if address.endswith("/diff") else address


def _shortened(value):
    """The same with the beginnings of long columns only: an example is to be read."""
    if isinstance(value, dict):
        return {name: _shortened(each) for name, each in value.items()}
    if isinstance(value, list) and value and not isinstance(value[0], dict | list | str):
        return value[:SHOWN]
    return [_shortened(each) for each in value] if isinstance(value, list) else value
