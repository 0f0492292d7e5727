"""Outputs: serializers all of whose fields are always present, as OpenAPI declares.

OpenAPI uses their docstrings as descriptions; hence none on these. A field of the kind BesideRow shows what was read
for all rows of a page at once: the context has it under the field's name, by primary keys; null where it has none.
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


class BesideRow(Output):
    def get_attribute(self, instance: Any) -> Any:
        return self.context[str(self.field_name)].get(instance.pk)


class RowOutput(Output, serializers.ModelSerializer[Any]):
    pass
