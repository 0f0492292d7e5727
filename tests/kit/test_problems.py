"""Exceptions of apps and of the library as problem documents."""

import json

import pytest
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied, ValidationError
from django.db import IntegrityError, OperationalError
from django.http import Http404
from rest_framework import exceptions, serializers

from accounts_app.exceptions import InvalidToken
from kit import problems
from walle.release.states import MoveRefused


class Body(serializers.Serializer):
    name = serializers.CharField()
    steps = serializers.ListField(child=serializers.IntegerField())


def document_of(error):
    response = problems.exception_handler(error, {})
    assert response.content_type == problems.CONTENT_TYPE
    assert response.data["status"] == response.status_code
    return response.data


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (InvalidToken(), 401, "invalid-token"),
        (PermissionDenied("no"), 403, "permission-denied"),
        (Http404(), 404, "not-found"),
        (ObjectDoesNotExist("row 7"), 404, "not-found"),
        (MoveRefused("it has ended"), 409, "move-refused"),
        (OperationalError("connection to 10.0.0.5 refused"), 503, "operational"),
        (IntegrityError("duplicate key violates app_slug_key"), 409, "conflict"),
        (exceptions.NotAuthenticated(), 401, "not-authenticated"),
        (exceptions.Throttled(wait=7), 429, "throttled"),
        (exceptions.MethodNotAllowed("PUT"), 405, "method-not-allowed"),
    ],
)
def test_status_and_code_follow_from_the_class(error, status, code):
    document = document_of(error)
    assert (document["status"], document["code"]) == (status, code)


def test_what_nobody_expected_is_a_fault_without_details(caplog):
    answer = problems.exception_handler(RuntimeError("secret"), {})
    assert (answer.status_code, answer.data["code"]) == (500, "internal-server-error")
    assert "secret" not in json.dumps(answer.data)
    assert "secret" in caplog.text


def test_details_of_rows_and_servers_stay_inside():
    assert "row 7" not in json.dumps(document_of(ObjectDoesNotExist("row 7")))
    assert "app_slug_key" not in json.dumps(document_of(IntegrityError("duplicate key violates app_slug_key")))
    assert "10.0.0.5" not in json.dumps(document_of(OperationalError("connection to 10.0.0.5 refused")))


@pytest.mark.parametrize("error", [OperationalError("deadlock detected"), IntegrityError("duplicate key")])
def test_what_the_database_said_is_in_the_log(error, caplog):
    document_of(error)
    assert str(error) in caplog.text


def test_a_serializer_names_every_field():
    body = Body(data={"steps": [1, "two"]})
    assert not body.is_valid()
    document = document_of(exceptions.ValidationError(body.errors))
    assert (document["status"], document["code"]) == (400, "invalid")
    assert {item["field"] for item in document["errors"]} == {"name", "steps.1"}


def test_a_models_validation_names_every_field():
    document = document_of(ValidationError({"slug": ["too long"], "name": ["missing"]}))
    assert [item["field"] for item in document["errors"]] == ["slug", "name"]


def test_waiting_time_and_challenge_are_headers():
    assert problems.exception_handler(exceptions.Throttled(wait=7), {})["Retry-After"] == "7"
