"""REST views of features: what devices sent through the tunnel, how fast it comes, and who has not read it yet."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from typing import Any, ClassVar, Final

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from accounts_app.selectors import seen_scopes
from devices_app.api.exporting import FORMATS, WRITERS, ExportedPieces, Rows
from devices_app.models import Feature
from devices_app.selectors import feature_rates, feature_views
from devices_app.selectors.feature_consumers import consumers_within
from devices_app.selectors.feature_rates import LONGEST
from devices_app.selectors.feature_types import FeatureCursor
from devices_app.selectors.feature_views import SHOWN_BYTES, ChosenFeatures, cursor_of
from devices_app.selectors.features import table_horizon
from devices_app.versions import rolled_back_manifests
from kit.api.cursors import read_cursor, write_cursor
from kit.api.downloads import attachment
from kit.api.inputs import PageInput, SlugInput, StrictSerializer, TaskNameInput
from kit.api.outputs import Output
from kit.api.pages import page_of
from kit.api.schema import endpoint

ROLE: Final = "a role in the app or in the task's scenario"
UNTIL: Final = "Walle-Until"
CHOOSING: Final = ("app", "device", "task", "version", "since", "before")
"""What queries choose features by."""


class OfFeatures(StrictSerializer):
    """The features that a query chooses."""

    app = SlugInput(required=False)
    device = serializers.CharField(required=False, max_length=64)
    task = TaskNameInput(required=False, help_text="<scenario>/<task>")
    version = serializers.CharField(required=False, max_length=64)


class BetweenTimes(OfFeatures):
    since = serializers.DateTimeField(required=False, help_text="received at this time or later")
    before = serializers.DateTimeField(required=False, help_text="received before this time")


class FeatureQuery(PageInput, BetweenTimes):
    pass


class ArrivalQuery(PageInput, OfFeatures):
    cursor = serializers.CharField(
        required=False, max_length=400, help_text="`next` of the previous answer, or the `cursor` of a feature"
    )


class ExportQuery(BetweenTimes):
    format = serializers.ChoiceField(choices=[*FORMATS], default="ndjson")
    cursor = serializers.CharField(required=False, max_length=400, help_text="only what follows this `cursor`")


class FeatureSerializer(Output):
    """What one run of a device task found out, as the device sent it."""

    id = serializers.IntegerField(source="pk")
    cursor = serializers.SerializerMethodField(help_text="its place in the order in which features were stored")
    app = serializers.CharField(source="app.slug")
    device = serializers.CharField()
    task = serializers.CharField()
    version = serializers.CharField(help_text='such as 1.0.0; "" of one that was not known')
    rolled_back = serializers.SerializerMethodField(help_text="whether this version was rolled back since")
    at = serializers.DateTimeField(help_text="when the task ran, by the device's clock")
    tracked_at = serializers.DateTimeField(
        help_text="when the event came that triggered the run, by the device's clock"
    )
    received_at = serializers.DateTimeField(help_text="by the server's clock")
    delay_ms = serializers.SerializerMethodField(
        help_text="from tracked_at to received_at; 0 if the device's clock is ahead"
    )
    raw_bytes = serializers.IntegerField(help_text="length of the values as JSON")
    wire_bytes = serializers.IntegerField(help_text="of it that was sent, after compression")
    values = serializers.DictField()

    def get_cursor(self, feature: Feature) -> str:
        """Return its place in the order in which features were stored."""
        return write_cursor(*cursor_of(feature))

    def get_rolled_back(self, feature: Feature) -> bool:
        """Return whether its version was rolled back."""
        return feature.manifest in self._rolled_back

    @cached_property
    def _rolled_back(self) -> frozenset[str]:
        return rolled_back_manifests()

    def get_delay_ms(self, feature: Feature) -> float:
        """Return how long it took to come, in milliseconds."""
        return max(0.0, round((feature.received_at - feature.tracked_at) / timedelta(milliseconds=1), 1))


class FeatureRowSerializer(FeatureSerializer):
    """A feature in a list."""

    values = serializers.DictField(
        source="shown", allow_null=True, help_text=f"null if longer than {SHOWN_BYTES} bytes: read the feature itself"
    )


class ArrivalsSerializer(Output):
    """Features in the order in which they were stored, and where to go on."""

    results = FeatureRowSerializer(many=True)
    next = serializers.CharField(help_text="`cursor` of the next request: what is stored from here on")


def read_place(query: Mapping[str, Any]) -> FeatureCursor | None:
    """Return the place of the query's cursor; raises ValidationError for one that no answer gave."""
    return read_cursor(query.get("cursor"), FeatureCursor.read, int, int)


class FeatureView(ApiView):
    """The base class of all views of features."""

    def chosen(self, query: dict[str, Any]) -> ChosenFeatures:
        """Take what chooses features out of a query."""
        given = {name: query.pop(name) for name in CHOOSING if name in query}
        return ChosenFeatures(seen_scopes(self.actor), **given)


class Features(FeatureView):
    @endpoint("list_features", page_of(FeatureRowSerializer), query=FeatureQuery)
    def get(self, request: Request) -> Response:
        """List the features that devices sent, newest first.

        They are those of the apps you may see, and those of tasks of the scenarios you may see. A page may hold fewer
        than `limit`, or none, although others follow; `next` is null only at the end.
        """
        query = self.query(FeatureQuery)
        return self.respond_search(FeatureRowSerializer, feature_views.search(self.chosen(query)), query)


class FeatureDetail(FeatureView):
    @endpoint("get_feature", FeatureSerializer, needs=ROLE)
    def get(self, request: Request, feature: int) -> Response:
        """Return one feature with all of its values."""
        return self.respond(FeatureSerializer, feature_views.feature_within(seen_scopes(self.actor), feature))


class FeatureArrivals(FeatureView):
    live: ClassVar[frozenset[str]] = frozenset({"results", "next"})

    @endpoint("list_feature_arrivals", ArrivalsSerializer, query=ArrivalQuery)
    def get(self, request: Request) -> Response:
        """List the features that were stored after a cursor, oldest first, to follow them as they arrive.

        Without a cursor nothing is listed, and `next` leads to what is stored from now on. None is left out and none
        comes twice, in whatever order transactions end. If `next` is the cursor itself, there is nothing new yet.
        """
        query = self.query(ArrivalQuery)
        after = read_place(query)
        found: list[Feature] = []
        place = after or table_horizon()
        if after is not None:
            found, place = feature_views.arrivals(self.chosen(query), after, limit=query["limit"])
        return self.respond(ArrivalsSerializer, {"results": found, "next": write_cursor(*place)})


def _rows(features: Sequence[Feature]) -> Rows:
    rows: Any = FeatureSerializer(features, many=True).data
    return list(rows)


class OwnFormats(DefaultContentNegotiation):
    """Leaves `format` in the query to the view."""

    def filter_renderers(self, renderers: Any, format: str) -> Any:
        return renderers


class FeatureExport(FeatureView):
    bare = True
    content_negotiation_class = OwnFormats

    @endpoint("export_features", {(200, kind): OpenApiTypes.BINARY for kind in FORMATS.values()}, query=ExportQuery)
    def get(self, request: Request) -> HttpResponseBase:
        """Download features in the order in which they were stored, as newline JSON or as a Parquet file.

        A line of newline JSON is a feature with all of its values; a Parquet file has them as JSON. The header
        `Walle-Until` is the cursor up to which the answer goes: the next export begins there. After a lost connection,
        newline JSON goes on with the `cursor` of its last whole line. Two exports of yours may be under way at a time.
        """
        query = self.query(ExportQuery)
        form, after, until = query["format"], read_place(query) or FeatureCursor(), table_horizon()
        groups = feature_views.stored_between(self.chosen(query), after, until)
        written = WRITERS[form](map(_rows, groups))
        pieces = ExportedPieces(written, self.credential or f"user:{self.actor.name}")
        response = attachment(request, pieces, f"features.{form}", FORMATS[form])
        response[UNTIL] = write_cursor(*until)
        return response


class RatesQuery(StrictSerializer):
    app = SlugInput(required=False)
    task = TaskNameInput(required=False, help_text="<scenario>/<task>")
    minutes = serializers.IntegerField(
        default=60, min_value=1, max_value=LONGEST // feature_rates.MINUTE, help_text="how far back"
    )


class TaskFeaturesSerializer(Output):
    """What arrived of one task."""

    task = serializers.CharField()
    features = serializers.IntegerField()
    raw_bytes = serializers.IntegerField()
    wire_bytes = serializers.IntegerField()
    p50_ms = serializers.FloatField(allow_null=True)
    p90_ms = serializers.FloatField(allow_null=True)
    p99_ms = serializers.FloatField(allow_null=True)
    steps = serializers.ListField(child=serializers.IntegerField(), help_text="its features by step")


def _numbers(meaning: str) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(), help_text=f"{meaning}, by step")


def _delays(share: str) -> serializers.ListField:
    meaning = f"{share} of the features took at most so many milliseconds from their event, by step; null: none came"
    return serializers.ListField(child=serializers.FloatField(allow_null=True), help_text=meaning)


class FeatureRatesSerializer(Output):
    """What arrived, in at most 240 steps of equal length."""

    step_s = serializers.IntegerField(help_text="seconds in a step")
    at = serializers.ListField(child=serializers.IntegerField(), help_text="when the steps began, in Unix seconds")
    features = _numbers("features")
    raw_bytes = _numbers("bytes of their values as JSON")
    wire_bytes = _numbers("bytes of these that were sent, after compression")
    p50_ms = _delays("half")
    p90_ms = _delays("90 %")
    p99_ms = _delays("99 %")
    tasks = TaskFeaturesSerializer(many=True, help_text="the busiest first, at most 50")


class FeatureRates(FeatureView):
    live: ClassVar[frozenset[str]] = frozenset({"at", *feature_rates.COLUMNS, "tasks"})

    @endpoint("get_feature_rates", FeatureRatesSerializer, query=RatesQuery)
    def get(self, request: Request) -> Response:
        """Return how many features arrived in the past minutes or hours, their bytes and their delays.

        They are counted by the minute when they are stored. A step is included once it is over.
        """
        query = self.query(RatesQuery)
        return self.respond(
            FeatureRatesSerializer, feature_rates.series(seen_scopes(self.actor), **query, now=self.now)
        )


class FeatureConsumerSerializer(Output):
    """Something that reads all features in order, and how far behind it is."""

    name = serializers.CharField(source="consumer.name")
    app = serializers.CharField(source="consumer.app", help_text='"": of all apps')
    task = serializers.CharField(source="consumer.task", help_text='"": of all tasks')
    features = serializers.IntegerField(
        source="lag.features", help_text="that it has not read yet; very many are estimated"
    )
    seconds = serializers.FloatField(source="lag.seconds", help_text="for how long the oldest of these has waited")
    read = serializers.IntegerField(source="consumer.read", help_text="that it has read")
    updated_at = serializers.DateTimeField(
        source="consumer.updated_at", allow_null=True, help_text="when it last read; null: never"
    )
    failures = serializers.IntegerField(
        source="consumer.failures", help_text="attempts that failed since the last one that did not"
    )
    error = serializers.CharField(source="consumer.error", help_text='why the last one failed; ""')
    failed_at = serializers.DateTimeField(source="consumer.failed_at", allow_null=True)


class FeatureConsumersSerializer(Output):
    """The consumers that you may see, by name."""

    consumers = FeatureConsumerSerializer(many=True, help_text="at most 100")


class FeatureConsumers(FeatureView):
    live: ClassVar[frozenset[str]] = frozenset({"consumers"})

    @endpoint("get_feature_consumers", FeatureConsumersSerializer)
    def get(self, request: Request) -> Response:
        """Return who reads the features, and how many each has not read yet.

        A consumer of one app or task is shown to those who may see that; one of everything to staff.
        """
        return self.respond(FeatureConsumersSerializer, {"consumers": consumers_within(seen_scopes(self.actor))})
