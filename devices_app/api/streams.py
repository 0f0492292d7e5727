"""REST view of what stream tasks cost one device, and of what they gave."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from devices_app.api.apps import ROLE
from devices_app.api.devices import OneDevice
from devices_app.selectors.streams import streams_of
from kit.api.outputs import Output
from kit.api.schema import endpoint


class StreamFailureSerializer(Output):
    """A kind of failure of a stream task's runs."""

    error_class = serializers.CharField()
    count = serializers.IntegerField(help_text="runs that failed so, as far as reports name them")
    message = serializers.CharField(help_text="told last; empty: none")


class StreamFeatureSerializer(Output):
    """The output of a run of a stream task: the last one of a report."""

    at = serializers.DateTimeField(help_text="by the device's clock")
    version = serializers.CharField()
    runs = serializers.IntegerField(help_text="runs that the report is about")
    output = serializers.DictField()


class TunnelCostSerializer(Output):
    """What the device sent of a task's features."""

    features = serializers.IntegerField()
    raw_bytes = serializers.IntegerField(help_text="of their values as JSON")
    wire_bytes = serializers.IntegerField(help_text="that were sent, also those sent again")
    dropped = serializers.IntegerField(help_text="of all tasks: features dropped, because too many were waiting")
    connects = serializers.IntegerField(help_text="of all tasks: how often the tunnel was opened")


class StreamCostSerializer(Output):
    """What a stream task cost a device for the last day, and what it gave lately."""

    task = serializers.CharField()
    version = serializers.CharField(help_text="that reported last")
    since = serializers.DateTimeField(help_text="when the first of these runs began, by the device's clock")
    until = serializers.DateTimeField(help_text="when the last one ended")
    runs = serializers.IntegerField()
    failed = serializers.IntegerField()
    shed = serializers.IntegerField(help_text="runs that did not take place, because too many were waiting")
    events = serializers.IntegerField(help_text="events that the runs were given")
    p50_ms = serializers.FloatField(allow_null=True, help_text="half of the runs took at most so long; null: not said")
    p99_ms = serializers.FloatField(allow_null=True, help_text="99 of 100 runs took at most so long")
    cpu_s = serializers.FloatField(help_text="CPU seconds of the runs of a day")
    failures = StreamFailureSerializer(many=True, help_text="the most frequent kinds, at most 5")
    features = StreamFeatureSerializer(
        many=True, help_text="newest first, at most 5; none of tasks that see private contents"
    )
    tunnel = TunnelCostSerializer(allow_null=True, help_text="what was sent through the tunnel; null: not said")


class DeviceStreamsSerializer(Output):
    """The stream tasks that ran on a device during the last day."""

    streams = StreamCostSerializer(many=True, help_text="the task that reported last first, at most 50")


class DeviceStreams(OneDevice):
    @endpoint("get_device_streams", DeviceStreamsSerializer, needs=ROLE)
    def get(self, request: Request, app: str, device: str) -> Response:
        """Return what each stream task cost a device during the last day, and its newest features.

        Of a device that sends very many reports, the newest 2000 are counted.
        """
        found = streams_of(self.device(app, device), now=self.now)
        return self.respond(DeviceStreamsSerializer, {"streams": found})
