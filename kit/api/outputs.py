"""Outputs: serializers all of whose fields are always present, as OpenAPI declares.

OpenAPI uses their docstrings as descriptions; hence none on these two.
"""

from typing import Any

from rest_framework import serializers

from kit.api.inputs import AnyField, AnySerializer


class Output(AnySerializer):
    def get_fields(self) -> dict[str, AnyField]:
        fields = super().get_fields()
        for field in fields.values():
            field.read_only, field.required = True, False
        return fields


class RowOutput(Output, serializers.ModelSerializer[Any]):
    pass
