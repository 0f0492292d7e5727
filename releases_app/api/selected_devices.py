"""REST view of the devices that a release's figures count."""

from dataclasses import fields

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from kit.api.cursors import read_cursor, write_cursor
from kit.api.inputs import PageInput
from kit.api.outputs import RowOutput
from kit.api.pages import Page, page_of
from kit.api.schema import endpoint
from releases_app.models import Exposure
from releases_app.models.exposures import ARMS
from releases_app.selectors.releases import release_visible_to
from releases_app.selectors.selected_devices import BECAME, SelectionCriteria, selected_devices
from walle.protocol.names import check_device_id


class DrawnDeviceSerializer(RowOutput):
    """A device selected for a release: offered its version (treatment) or held back as control."""

    arm = serializers.ChoiceField(choices=ARMS)
    stage = serializers.IntegerField(source="position", help_text="stage in which it was selected, counted from 0")
    outcome = serializers.ChoiceField(choices=Exposure.Outcome.choices, help_text='"": it has not reported')
    error_class = serializers.CharField(help_text="class of its failure; empty: none")
    message = serializers.CharField(help_text="message of its failure; empty: none")
    silent = serializers.BooleanField(allow_null=True, help_text="null: its silence timeout is not over")
    awaiting_trigger = serializers.BooleanField(
        help_text="whether it has installed a stream task's version and checks in, and the condition has not occurred"
    )
    deferral = serializers.CharField(help_text="why it puts the version off now; empty: it does not")
    settled_at = serializers.DateTimeField(allow_null=True, help_text="when its outcome was received")
    registered = serializers.BooleanField(
        help_text="whether it is among the app's devices, as users whom a service names to a pipeline are not; "
        "false for people who may not see the app's devices"
    )
    facts = serializers.DictField(
        help_text="what it reports about itself; empty for people who may not see the app's devices"
    )

    class Meta:
        model = Exposure
        fields = [
            "device", "arm", "stage", "drawn_at", "offered_at", "installed_at", "outcome", "error_class", "message",
            "duration_ms", "settled_at", "silent", "awaiting_trigger", "deferral", "registered", "facts",
        ]  # fmt: skip


class DrawnQuery(PageInput):
    arm = serializers.ChoiceField(choices=ARMS, required=False)
    became = serializers.ChoiceField(choices=list(BECAME), default="drawn")
    stage = serializers.IntegerField(required=False, min_value=0, max_value=1000, help_text="counted from 0")
    error_class = serializers.CharField(required=False, max_length=80, help_text="class of a failure")


_CRITERIA = [field.name for field in fields(SelectionCriteria)]


class ReleaseDevices(ApiView):
    @endpoint(
        "list_release_devices",
        page_of(DrawnDeviceSerializer),
        query=DrawnQuery,
        needs="a role in the task's scenario or in the app",
    )
    def get(self, request: Request, release: int) -> Response:
        """List the devices that a release selected, with the outcome of each, by their ids.

        They are deleted some time after the release has ended. A page may hold fewer than `limit` devices, or none,
        although others follow; `next` is null only at the end.
        """
        found, query = release_visible_to(self.actor, release), self.query(DrawnQuery)
        after = read_cursor(query.get("cursor"), check_device_id, str)
        criteria = SelectionCriteria(**{name: value for name, value in query.items() if name in _CRITERIA})
        page = selected_devices(found, self.actor, criteria, query["limit"], now=self.now, after=after)
        return self.respond_page(
            DrawnDeviceSerializer, Page(page.rows, None if page.rest is None else write_cursor(page.rest))
        )
