"""What OpenAPI is told about an operation: the rest follows from the method's signature and docstring."""

import inspect
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final, TypeVar

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers

from accounts_app.api.paths import PATH_NAMES

PROBLEM_TYPE: Final = "application/problem+json"
Method = TypeVar("Method", bound=Callable[..., Any])


class FieldErrorSerializer(serializers.Serializer):
    field = serializers.CharField(help_text="dotted name of a field; empty: the whole body")
    detail = serializers.CharField(help_text="what was expected")


class ProblemSerializer(serializers.Serializer):
    """Why a request was not done (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="stable word for programs")
    detail = serializers.CharField(required=False, help_text="text for people")
    errors = FieldErrorSerializer(many=True, required=False)


def endpoint(
    name: str,
    answers: Any = None,
    *,
    needs: str = "to be signed in",
    status: int = 200,
    takes: Any = None,
    asks: type[serializers.Serializer] | None = None,
) -> Callable[[Method], Method]:
    """Describes a view's method as the operation `name`.

    `answers` is the serializer of its answer, `takes` that of its body, `asks` that of its query; `needs` says in
    words who may do it.
    """

    def describe(method: Method) -> Method:
        variables = list(inspect.signature(method).parameters)[2:]
        parameters = [PATH_NAMES[variable].parameter(variable) for variable in variables]
        errors = {401} | ({400} if takes or asks else set()) | ({404} if variables else set())
        errors |= {403, 409} if method.__name__ != "get" else set()
        errors |= {413, 415} if takes else set()
        summary, _, details = inspect.cleandoc(method.__doc__ or "").partition("\n\n")
        responses: dict[Any, Any] = {status: OpenApiResponse(answers, HTTPStatus(status).phrase)}
        for code in sorted(errors):
            responses[code, PROBLEM_TYPE] = OpenApiResponse(ProblemSerializer, HTTPStatus(code).phrase)
        return extend_schema(
            operation_id=name,
            summary=summary.rstrip("."),
            description=f"{details}\n\nNeeds {needs}.".strip(),
            parameters=[*parameters, *([asks] if asks else [])],
            request=takes,
            responses=responses,
        )(method)

    return describe
