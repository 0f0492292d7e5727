"""A client of the API that holds every answer to the OpenAPI document: its status, its type and its body."""

import re
from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator, FormatChecker
from rest_framework.response import Response
from rest_framework.test import APIClient

from accounts_app.actors import Actor

PREFIX = "/api/v1/"


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document, with its objects closed: a field that is not described is an error."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    for component in schema["components"]["schemas"].values():
        if component.get("type") == "object":
            component.setdefault("additionalProperties", False)
    return schema


def operation(method: str, path: str) -> dict[str, Any] | None:
    """What the document says of a method at an address; None when it does not know it."""
    # As Django does it: an address of its own comes before one with a variable in that place.
    for template, methods in sorted(document()["paths"].items(), key=lambda item: item[0].count("{")):
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template))
        if re.fullmatch(pattern, path) and method.lower() in methods:
            return methods[method.lower()]
    return None


def check(method: str, path: str, response: Response) -> None:
    """Raise AssertionError unless the answer is one that the document announces."""
    described = operation(method, path)
    assert described, f"{method} {path} is not in the OpenAPI document"
    answer = described["responses"].get(str(response.status_code))
    assert answer, f"{described['operationId']} does not announce {response.status_code}: {response.content!r}"
    if "content" not in answer:
        assert not response.content
        return
    media_type = response["Content-Type"].partition(";")[0]
    schema = answer["content"][media_type]["schema"]
    if not re.search(r"[/+]json$", media_type):
        return
    whole = {**schema, "components": document()["components"]}
    Draft202012Validator(whole, format_checker=FormatChecker()).validate(response.json())


class Api:
    """Calls below /api/v1/ as somebody; `code` and `fields` of a problem come with every answer."""

    def __init__(self, actor: Actor | None = None, *, secret: str = "") -> None:
        self.actor = actor
        self.client = APIClient()
        if secret:
            self.client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
        elif actor:
            self.client.force_login(actor.user)

    def call(self, method: str, path: str, /, body: Any = None, **options: Any) -> Response:
        response = self.unchecked(method, path, body, **options)
        check(method, PREFIX + path.partition("?")[0], response)
        return response

    def unchecked(self, method: str, path: str, /, body: Any = None, **options: Any) -> Response:
        """Not held to the document, which takes longer than the answer itself."""
        data = {} if body is None else {"data": body, "format": "json"}
        response: Response = getattr(self.client, method.lower())(PREFIX + path, **{**data, **options})
        return response

    def get(self, path: str, /, **query: Any) -> Response:
        return self.call("GET", path, data=query)

    def post(self, path: str, /, body: Any = None) -> Response:
        return self.call("POST", path, body)

    def patch(self, path: str, /, body: Any) -> Response:
        return self.call("PATCH", path, body)

    def delete(self, path: str, /, **query: Any) -> Response:
        return self.call("DELETE", path, QUERY_STRING="&".join(f"{name}={value}" for name, value in query.items()))

    def results(self, path: str, /, **query: Any) -> list[dict[str, Any]]:
        """The results of a list's first page."""
        response = self.get(path, **query)
        assert response.status_code == 200, response.content
        results: list[dict[str, Any]] = response.json()["results"]
        return results

    def pages(self, path: str, /, **query: Any) -> list[list[dict[str, Any]]]:
        """All pages of a list, followed by their cursors."""
        found = [self.get(path, **query).json()]
        while found[-1]["next"]:
            found.append(self.get(path, **query, cursor=found[-1]["next"]).json())
        return [page["results"] for page in found]


def problem(response: Response, status: int, code: str) -> dict[str, str]:
    """The field errors of a problem, by field, after a look at its status and code."""
    body = response.json()
    assert (response.status_code, body["status"], body["code"]) == (status, status, code), body
    assert response["Content-Type"].startswith("application/problem+json")
    return {error["field"]: error["detail"] for error in body.get("errors", [])}
