"""Describe operations for OpenAPI; signatures and docstrings of methods provide the rest."""

import inspect
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers

from kit.api.exchange import REPEATABLE, Method, exchanged
from kit.api.inputs import AnySerializer
from kit.api.paths import PATH_NAMES
from walle.protocol.names import SLUG_PATTERN

PROBLEM_TYPE: Final = "application/problem+json"


PROBLEMS: Final = {
    400: ("invalid", "limit: Ensure this value is less than or equal to 200."),
    401: ("not-authenticated", "Authentication credentials were not provided."),
    403: ("not-allowed", "vera may not release in scenario:camera; that takes the role releaser or owner"),
    404: ("not-found", "There is no such thing, or it is not yours to see."),
    409: ("conflict", "Somebody else changed the same thing at the same moment: look again, then try again."),
    412: ("precondition-failed", "This was changed since you read it: read it again, then decide again."),
    413: ("body-too-large", "expected at most 1048576 bytes"),
    415: ("unsupported-media-type", 'Unsupported media type "text/xml" in request.'),
    422: ("idempotency-key-reused", "This Idempotency-Key came with another request before."),
    429: ("throttled", "Request was throttled. Expected available in 12 seconds."),
}
"""The code and the text of each status of a refusal."""


def _sent(name: str, meaning: str) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=meaning)


def _answered(name: str, meaning: str, *statuses: int) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=meaning, response=statuses or True)


NONE_MATCH: Final = _sent("If-None-Match", "ETags of what you have already; `*` on a write: only if it does not exist")
MATCH: Final = _sent("If-Match", "write only if the object still has this ETag")
IDEMPOTENCY_KEY: Final = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="key of your choice, such as a UUID: a request with the same key is executed once within 24 hours",
    pattern="^[!-~]{1,255}$",
)
ETAG: Final = _answered("ETag", "version of this answer, for conditional requests", 200, 304)
RATE_LIMIT: Final = _answered("RateLimit", "remaining requests (r) in the next seconds (t)")
RATE_LIMIT_POLICY: Final = _answered("RateLimit-Policy", "allowed requests (q) per window in seconds (w)")


class StrictScheme(OpenApiSerializerExtension):
    """Strict inputs accept no other fields than their own."""

    target_class = "kit.api.inputs.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        schema: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**schema, "additionalProperties": False}


class TaskNameScheme(OpenApiSerializerFieldExtension):
    """The OpenAPI schema of a task's full name."""

    target_class = "kit.api.inputs.TaskNameInput"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{SLUG_PATTERN.pattern}/{SLUG_PATTERN.pattern}$"}


class FieldErrorSerializer(AnySerializer):
    field = serializers.CharField(help_text="dotted name of a field; empty: the whole body")
    detail = serializers.CharField(help_text="what was expected")


class ProblemSerializer(AnySerializer):
    """The reason why a request failed (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text="stable identifier for programs")
    detail = serializers.CharField(required=False, help_text="text for people")
    # Fields are removed from the class before Serializer.errors could be read.
    errors = FieldErrorSerializer(many=True, required=False)  # type: ignore[assignment]


def endpoint(
    name: str,
    answers: Any = None,
    *,
    needs: str = "to be signed in",
    status: int = 200,
    body: Any = None,
    query: type[AnySerializer] | None = None,
    anonymous: bool = False,
) -> Callable[[Method], Method]:
    """Describe a view's method as the operation `name`.

    `answers` is the serializer of its answer, `body` that of its body, `query` that of its query; `needs` says in words
    who may do it. For several successful answers, or other media types than JSON, `answers` maps a status, or a status
    and a media type, to a serializer. Everybody may call what is `anonymous`.
    """

    def describe(method: Method) -> Method:
        verb = method.__name__
        variables = list(inspect.signature(method).parameters)[2:]
        parameters = [PATH_NAMES[variable].parameter(variable) for variable in variables]
        errors = {401, 429} | ({400} if body or query else set()) | ({404} if variables else set())
        errors |= {400, 403, 409, 412} if verb != "get" else set()
        errors |= {413, 415} if body else set()
        errors |= {422} if verb.upper() in REPEATABLE else set()
        summary, _, details = inspect.cleandoc(method.__doc__ or "").partition("\n\n")
        serializers_by_status: Mapping[Any, Any] = answers if isinstance(answers, Mapping) else {status: answers}
        responses: dict[Any, OpenApiResponse] = {
            key: OpenApiResponse(each, HTTPStatus(_status(key)).phrase) for key, each in serializers_by_status.items()
        }
        if verb == "get":
            responses[304] = OpenApiResponse(description="You have it already.")
        for code in sorted(errors):
            example = OpenApiExample(PROBLEMS[code][0], _problem(code))
            responses[code, PROBLEM_TYPE] = OpenApiResponse(
                ProblemSerializer, HTTPStatus(code).phrase, examples=[example]
            )
        return extend_schema(
            operation_id=name,
            summary=summary.rstrip("."),
            description=f"{details}\n\nNeeds {needs}.".strip(),
            parameters=[*parameters, *([query] if query else []), *_headers(verb, status)],
            request=body,
            responses=responses,
            auth=[] if anonymous else None,
        )(exchanged(method))

    return describe


def _status(key: int | tuple[int, str]) -> int:
    return key if isinstance(key, int) else key[0]


def _problem(status: int) -> dict[str, Any]:
    """Return an example of a refusal."""
    code, detail = PROBLEMS[status]
    phrase = HTTPStatus(status).phrase
    problem: dict[str, Any] = {"type": "about:blank", "title": phrase, "status": status, "code": code, "detail": detail}
    if code == "invalid":
        field, _, text = detail.partition(": ")
        problem["errors"] = [{"field": field, "detail": text}]
    return problem


def _headers(verb: str, status: int) -> list[OpenApiParameter]:
    """Return the headers that every operation of this method accepts, and those of its answers."""
    sent = [NONE_MATCH] if verb == "get" else [MATCH, NONE_MATCH]
    sent += [IDEMPOTENCY_KEY] if verb.upper() in REPEATABLE else []
    answered = [RATE_LIMIT, RATE_LIMIT_POLICY] + ([ETAG] if verb == "get" else [])
    return sent + answered
