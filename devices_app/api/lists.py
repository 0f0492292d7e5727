"""REST views of id lists, uploaded as JSON or as text with one device id per line."""

from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from devices_app.api.apps import ROLE, OneApp
from devices_app.models import IdList, IdListMember
from devices_app.selectors import registry
from devices_app.services import lists
from kit.api.inputs import PageInput, StrictJsonParser, StrictSerializer, read_at_most
from kit.api.outputs import RowOutput
from kit.api.pages import page_of
from kit.api.schema import endpoint

RELEASE: Final = "`release` in the app"
MAX_BODY: Final = 8 << 20
"""The maximum length of a body in bytes: a hundred thousand ids of maximum length, with quotes and commas."""


class LongJson(StrictJsonParser):
    limit = MAX_BODY


class LinesParser(BaseParser):
    """Parses text with one device id per line; empty lines do not count."""

    media_type = "text/plain"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        body = read_at_most(stream, MAX_BODY)
        try:
            lines = body.decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise ParseError("expected text in UTF-8") from error
        return {"devices": [line.strip() for line in lines if line.strip()]}


@extend_schema_field({"type": "array", "items": {"type": "string"}, "maxItems": lists.MAX_IDS})
class DeviceIds(serializers.Field[Any, Any, Any, Any]):
    """A list of texts; the services check that they are device ids."""

    def to_internal_value(self, data: Any) -> list[str]:
        if not isinstance(data, list) or not all(isinstance(device, str) for device in data):
            raise serializers.ValidationError("Expected a list of device ids.")
        return data


class DevicesSerializer(StrictSerializer):
    devices = DeviceIds()


class NewIdListSerializer(DevicesSerializer):
    description = serializers.CharField(max_length=200, allow_blank=True, required=False)


class IdListSerializer(RowOutput):
    class Meta:
        model = IdList
        fields = ["name", "description", "size", "updated_at", "updated_by"]


class IdListMemberSerializer(RowOutput):
    class Meta:
        model = IdListMember
        fields = ["device"]


class IdLists(OneApp):
    @endpoint("list_id_lists", page_of(IdListSerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, app: str) -> Response:
        """List the app's id lists, by name."""
        return self.respond_rows(IdListSerializer, registry.lists_of(self.app(app)), by="name")


class OfIdList(OneApp):
    """The base class of the views of one list."""

    parser_classes = [LongJson, LinesParser]

    def id_list(self, app: str, name: str) -> IdList:
        return registry.lists_of(self.app(app)).get(name=name)

    def shown(self, app: str, name: str) -> Response:
        return self.respond(IdListSerializer, self.id_list(app, name))


class OneIdList(OfIdList):
    @endpoint("get_id_list", IdListSerializer, needs=ROLE)
    def get(self, request: Request, app: str, id_list: str) -> Response:
        """Return one id list, without its devices."""
        return self.shown(app, id_list)

    @endpoint(
        "put_id_list",
        IdListSerializer,
        body={"application/json": NewIdListSerializer, "text/plain": OpenApiTypes.STR},
        needs=RELEASE,
    )
    def put(self, request: Request, app: str, id_list: str) -> Response:
        """Replace the devices of a list, at most 100000; the list is created if it does not exist.

        The body is JSON, or text with one device id per line. Devices need not be known yet.
        """
        found, body = self.app(app), self.body(NewIdListSerializer)
        lists.put_list(app=found, name=id_list, actor=self.actor, now=self.now, **body)
        return self.shown(app, id_list)

    @endpoint("delete_id_list", status=204, needs=RELEASE)
    def delete(self, request: Request, app: str, id_list: str) -> Response:
        """Delete a list; refused while a release uses it."""
        lists.delete_list(id_list=self.id_list(app, id_list), actor=self.actor)
        return Response(status=204)


class IdListDevices(OfIdList):
    @endpoint("list_id_list_devices", page_of(IdListMemberSerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, app: str, id_list: str) -> Response:
        """List the devices of a list, the last added first."""
        return self.respond_rows(IdListMemberSerializer, registry.members_of(self.id_list(app, id_list)))


class IdListAddition(OfIdList):
    @endpoint(
        "add_to_id_list",
        IdListSerializer,
        body={"application/json": DevicesSerializer, "text/plain": OpenApiTypes.STR},
        needs=RELEASE,
    )
    def post(self, request: Request, app: str, id_list: str) -> Response:
        """Add devices to a list; those already in it change nothing."""
        found, body = self.id_list(app, id_list), self.body(DevicesSerializer)
        lists.add_to_list(id_list=found, actor=self.actor, now=self.now, **body)
        return self.shown(app, id_list)


class IdListRemoval(OfIdList):
    @endpoint(
        "remove_from_id_list",
        IdListSerializer,
        body={"application/json": DevicesSerializer, "text/plain": OpenApiTypes.STR},
        needs=RELEASE,
    )
    def post(self, request: Request, app: str, id_list: str) -> Response:
        """Remove devices from a list; those not in it change nothing."""
        found, body = self.id_list(app, id_list), self.body(DevicesSerializer)
        lists.remove_from_list(id_list=found, actor=self.actor, now=self.now, **body)
        return self.shown(app, id_list)
