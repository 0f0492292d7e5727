"""Inputs of clients: strict serializers, which refuse unknown fields instead of ignoring them.

`StrictSerializer` reports unknown fields as errors, together with all others; and in JSON, where REST framework would
accept 1 for "1" and "yes" for true, values of another type. `PageInput` is the query of every list; lists with filters
extend it.

OpenAPI uses docstrings of serializers as descriptions; hence none on these two.
"""

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from io import BytesIO
from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser, JSONParser

from walle.protocol.names import SLUG_PATTERN, InvalidNameError, check_task_name

AnyField = serializers.Field[Any, Any, Any, Any]
AnySerializer = serializers.Serializer[Any]

MAX_LIMIT: Final = 200
JSON_TYPES: Final[dict[type[AnyField], tuple[tuple[type, ...], str]]] = {
    serializers.CharField: ((str,), "a string"),
    serializers.BooleanField: ((bool,), "true or false"),
    serializers.IntegerField: ((int,), "a whole number"),
    serializers.FloatField: ((int, float), "a number"),
}
MAX_BODY: Final = 1 << 20
NUMBER: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
"""A row's number, which fits a bigint."""


class BodyTooLarge(APIException):
    """The body is larger than any valid one of its kind."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_code = "body-too-large"


def read_at_most(stream: Any, limit: int) -> bytes:
    """Return the complete body; raises BodyTooLarge."""
    body: bytes = stream.read(limit + 1)
    if len(body) > limit:
        raise BodyTooLarge(f"expected at most {limit} bytes")
    return body


class StrictJsonParser(BaseParser):
    """Parses JSON up to `limit` bytes; nesting beyond Python's recursion limit is a client error.

    It is no JSONParser, because REST framework passes those a body only up to Django's own limit, which is that of
    forms.
    """

    media_type = JSONParser.media_type
    limit = MAX_BODY

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        body = read_at_most(stream, self.limit)
        try:
            return JSONParser().parse(BytesIO(body), media_type, parser_context)
        except RecursionError as error:
            raise ParseError("JSON parse error - nested too deeply") from error


class StrictSerializer(AnySerializer):
    def to_internal_value(self, data: Any) -> Any:
        errors = self._unknown(data) | self._mistyped(data) if isinstance(data, Mapping) else {}
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            if not isinstance(error.detail, dict):
                raise
            raise serializers.ValidationError({**errors, **error.detail}) from error
        if errors:
            raise serializers.ValidationError(errors)
        return value

    def _unknown(self, data: Mapping[str, Any]) -> dict[str, list[str]]:
        known = ", ".join(self.fields)
        return {str(name): [f"Unknown field; expected some of {known}."] for name in data if name not in self.fields}

    def _mistyped(self, data: Mapping[str, Any]) -> dict[str, Any]:
        if not self.context.get("json"):
            return {}
        found = {name: _mistyped(field, data[name]) for name, field in self.fields.items() if name in data}
        return {name: errors for name, errors in found.items() if errors}


def _mistyped(field: AnyField, value: Any) -> Any:
    """Return the errors of a JSON value that does not have the field's type; null is checked elsewhere."""
    if isinstance(field, serializers.ListField) and isinstance(value, list):
        found = {str(place): _mistyped(field.child, item) for place, item in enumerate(value)}
        return {place: errors for place, errors in found.items() if errors}
    if isinstance(field, serializers.DictField) and isinstance(value, dict):
        found = {str(name): _mistyped(field.child, item) for name, item in value.items()}
        return {name: errors for name, errors in found.items() if errors}
    for kind, (types, expected) in JSON_TYPES.items():
        # To Python, true is a number.
        wrong = not isinstance(value, types) or (isinstance(value, bool) and bool not in types)
        if isinstance(field, kind) and value is not None and wrong:
            return [f"Expected {expected}."]
    return []


class PageInput(StrictSerializer):
    cursor = serializers.CharField(required=False, max_length=400, help_text="`next` of the previous page")
    limit = serializers.IntegerField(
        default=50, min_value=1, max_value=MAX_LIMIT, help_text="maximum number of results on the page"
    )


class OrderInput(serializers.ChoiceField):
    """The order of a list: what it is sorted by, after `-` if descending."""

    def __init__(self, orders: Iterable[str]) -> None:
        names = sorted(orders)
        choices = [*names, *(f"-{name}" for name in names)]
        super().__init__(choices=choices, required=False, help_text="order; without it, the last created first")


class SlugInput(serializers.RegexField):
    """The short name of a scenario, task or app."""

    def __init__(self, **options: Any) -> None:
        expected = "Expected a lowercase letter, then up to 39 of a-z, 0-9 and -."
        super().__init__(rf"^{SLUG_PATTERN.pattern}\Z", error_messages={"invalid": expected}, **options)


class NumbersInput(serializers.CharField):
    """Several numbers in a query, such as `7,12`: a text in OpenAPI, a list of int once it is validated."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_LIMIT * 20, **options)

    def to_internal_value(self, data: Any) -> Any:
        numbers = super().to_internal_value(data).split(",")
        if len(numbers) > MAX_LIMIT or not all(NUMBER.fullmatch(number) for number in numbers):
            message = f"Expected up to {MAX_LIMIT} numbers with commas between them, such as 7,12."
            raise serializers.ValidationError(message)
        return [int(number) for number in numbers]


class TaskNameInput(serializers.CharField):
    """A task's full name, such as `camera/digits`."""

    def to_internal_value(self, data: Any) -> str:
        try:
            return check_task_name(super().to_internal_value(data))
        except InvalidNameError as error:
            raise serializers.ValidationError(f"Expected {error.expected}.") from error
