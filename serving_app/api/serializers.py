"""Serializers of pipelines and serving hosts."""

from typing import Any, Final

from rest_framework import serializers

from kit.api.inputs import PageInput, SlugInput, StrictSerializer
from kit.api.outputs import Output
from serving_app.models import HostedPlan
from serving_app.selectors.figures import MOST_MINUTES

MODES: Final = ["offered", "held", "complete"]


class PredictionFiguresSerializer(Output):
    """What was predicted within some time, all hosts together."""

    seconds: Any = serializers.FloatField(help_text="the time that this is about, in seconds")
    requests = serializers.IntegerField()
    records = serializers.IntegerField()
    failed = serializers.IntegerField(help_text="records that got no prediction, through no fault of their own")
    refused = serializers.IntegerField(help_text="records that had the wrong form")
    requests_per_s = serializers.FloatField()
    records_per_s = serializers.FloatField()
    p50_ms = serializers.FloatField(allow_null=True, help_text="of the time of a request; null: there were too few")
    p90_ms = serializers.FloatField(allow_null=True)
    p99_ms = serializers.FloatField(allow_null=True)
    latency = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="histogram of the time of requests: bucket 0 up to 1 us, eight further ones for each doubling",
    )
    scores = serializers.ListField(
        child=serializers.IntegerField(), help_text="histogram of scores in twentieths of 0 to 1; empty of values"
    )


class OfferingSerializer(Output):
    """A version that answers callers of an app. The newest release whose rule and share take a caller answers."""

    app = serializers.CharField()
    release = serializers.IntegerField()
    version = serializers.CharField()
    manifest_digest = serializers.CharField()
    share_percent = serializers.FloatField(help_text="of the callers that the release's rule takes")
    control_percent = serializers.FloatField(help_text="held back for comparison")
    mode = serializers.ChoiceField(choices=MODES, help_text="held: the release is on hold, and keeps its callers")


class HostedPlanSerializer(Output):
    """A version on one host."""

    host = serializers.CharField()
    version = serializers.CharField()
    manifest_digest = serializers.CharField()
    state = serializers.ChoiceField(choices=HostedPlan.State.choices)
    error_class = serializers.CharField()
    problem = serializers.CharField(help_text="why it is not ready; empty: it is")
    since = serializers.DateTimeField()
    lost = serializers.BooleanField(help_text="whether the host has not reported for longer than its lease")
    runtime = serializers.DictField(
        help_text="what the host's runtime counts of it: engine, latency, memory, sharing, reservation; empty: nothing"
    )


class PipelineSerializer(Output):
    name = serializers.CharField(help_text="<scenario>/<task>")
    scenario = serializers.CharField()
    slug = serializers.CharField()
    description = serializers.CharField(help_text="of the newest version")
    engine = serializers.CharField(help_text="of the newest version: auto, request-response or batch")
    version = serializers.CharField(help_text="the newest version, released or not")
    retired = serializers.BooleanField()
    offerings = OfferingSerializer(many=True, help_text="by app, the newest release first")
    hosts = serializers.IntegerField(help_text="living hosts that have a version ready")
    troubled = serializers.IntegerField(help_text="versions on living hosts that are not ready, or isolated")
    figures = PredictionFiguresSerializer(help_text="of the last minutes")


class ServedVersionSerializer(Output):
    """A version with what is known of its serving."""

    version = serializers.CharField()
    manifest_digest = serializers.CharField()
    size = serializers.IntegerField(help_text="bytes of all its files")
    created_at = serializers.DateTimeField()
    serving = serializers.DictField(help_text="[serving] of its task.toml, defaults included")
    figures = PredictionFiguresSerializer(help_text="of the last minutes")


class PipelineDetailSerializer(PipelineSerializer):
    inputs = serializers.DictField(help_text="columns of a record, as in task.toml")
    outputs = serializers.DictField()
    versions = ServedVersionSerializer(many=True, help_text="the newest twenty, and those that answer or are installed")
    plans = HostedPlanSerializer(many=True, help_text="where which version is installed")


class PipelineQuery(PageInput):
    scenario = SlugInput(required=False)
    q = serializers.CharField(required=False, max_length=81, help_text="text in the name, <scenario>/<task>")


class MinutesQuery(StrictSerializer):
    minutes = serializers.IntegerField(default=60, min_value=1, max_value=MOST_MINUTES, help_text="how far back")


class FiguresPointSerializer(Output):
    at = serializers.DateTimeField(help_text="when the minute began")
    version = serializers.CharField()
    figures = PredictionFiguresSerializer()


class PipelineSeriesSerializer(Output):
    """The predictions of each version by minute, without minutes that had none."""

    points = FiguresPointSerializer(many=True)


class PlanSharingSerializer(Output):
    """What an installed version has in common with the one that is explained."""

    task = serializers.CharField()
    version = serializers.CharField()
    stages = serializers.ListField(
        child=serializers.CharField(), help_text="identities of physical stages that both plans have"
    )
    parameters = serializers.IntegerField(help_text="arrays that both have, and hosts keep once")
    bytes = serializers.IntegerField(help_text="of these arrays")


class PipelineExplanationSerializer(Output):
    """How a version is compiled, and which of its parameters others have too."""

    state = serializers.ChoiceField(
        choices=["pending", "ready", "failed"], help_text="pending: it is still to be computed, ask again"
    )
    problem = serializers.CharField(help_text="why it failed; empty: it did not")
    explanation = serializers.DictField(
        allow_null=True,
        help_text="imported (transformations), logical (stages, rules, drawing), physical, parameters, cascade;"
        " null: not ready",
    )
    shared = PlanSharingSerializer(many=True, help_text="with installed versions that you may see")


class ServingHostSerializer(Output):
    """One serving process."""

    name = serializers.CharField()
    started_at = serializers.DateTimeField()
    seen_at = serializers.DateTimeField(help_text="when it last reported; every five seconds")
    lost = serializers.BooleanField(help_text="whether it has not reported for longer than its lease")
    installed = serializers.IntegerField(help_text="versions that are ready")
    isolated = serializers.IntegerField(help_text="versions that it isolated, because they failed")
    state = serializers.DictField(help_text="what its runtime counts: memory, sharing, queues, reservations, caches")


class ServingHostsSerializer(Output):
    hosts = ServingHostSerializer(many=True)


class HostMinuteSerializer(Output):
    at = serializers.DateTimeField()
    state = serializers.DictField()


class HostSeriesSerializer(Output):
    """What a host's runtime counted, by minute."""

    points = HostMinuteSerializer(many=True)
