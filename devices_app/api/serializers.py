"""Serializers of apps, devices and reports."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from devices_app.models import App, AppKey, AppVersion, Device, InstalledTask, RegionBase, Report
from devices_app.models.apps import MOST_ENROLMENTS
from devices_app.selectors.registry import reports_of
from kit.api.inputs import PageInput, SlugInput, StrictSerializer, TaskNameInput
from kit.api.outputs import BesideRow, Output, RowOutput
from walle.release.table import Mode

KINDS: Final = ["install", "run", "remove"]
OUTCOMES: Final = ["success", "failure"]
SHOWN_REPORTS: Final = 20


class AppSerializer(RowOutput):
    class Meta:
        model = App
        fields = ["slug", "name", "check_in_interval", "enrolment_limit", "created_at"]


class NewAppSerializer(StrictSerializer):
    slug = SlugInput()
    name = serializers.CharField(max_length=80)
    check_in_interval = serializers.IntegerField(
        default=60, min_value=1, max_value=86_400, help_text="seconds between two check-ins of an idle device"
    )


class AppChangeSerializer(StrictSerializer):
    name = serializers.CharField(max_length=80, required=False)
    check_in_interval = serializers.IntegerField(required=False, min_value=1, max_value=86_400)
    enrolment_limit = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MOST_ENROLMENTS,
        help_text="new devices that may enrol with an app key per hour and gateway process; null: the server's number",
    )


PROFILE_HELP: Final = "what tasks find in it (docs/guides/simulation.md)"


class AppVersionSerializer(RowOutput):
    profile = serializers.DictField(help_text=f"{PROFILE_HELP}; empty: not declared")

    class Meta:
        model = AppVersion
        fields = ["version", "profile", "created_at"]


class NewAppVersionSerializer(StrictSerializer):
    version = serializers.RegexField(
        r"^[!-~]{1,64}\Z", error_messages={"invalid": "Expected 1 to 64 visible ASCII characters without blanks."}
    )
    profile = serializers.DictField(required=False, help_text=PROFILE_HELP)


class AppVersionChangeSerializer(StrictSerializer):
    profile = serializers.DictField(help_text=PROFILE_HELP)


class AppKeySerializer(RowOutput):
    """A key without its text, which is not stored."""

    public_key = serializers.SerializerMethodField()

    class Meta:
        model = AppKey
        fields = ["id", "kind", "label", "public_key", "created_at", "revoked_at"]

    def get_public_key(self, key: AppKey) -> str | None:
        """Return the raw bytes of a backend key in hex; None for other keys."""
        return key.material if key.kind == AppKey.Kind.BACKEND else None


class CreatedAppKeySerializer(AppKeySerializer):
    """A new key; for an enrol or gateway key this is the only answer that contains its text."""

    text = serializers.CharField(allow_null=True, help_text="shown only once; null for a backend key")

    class Meta(AppKeySerializer.Meta):
        fields = [*AppKeySerializer.Meta.fields, "text"]


class NewAppKeySerializer(StrictSerializer):
    """A key to create: `enrol` and `gateway` keys are generated, for a `backend` key you send the public half."""

    kind = serializers.ChoiceField(choices=AppKey.Kind.choices)
    # REST framework removes declared fields from the class, so that this hides no attribute of it.
    label = serializers.CharField(max_length=80, help_text="what the key is used for")  # type: ignore[assignment]
    public_key = serializers.RegexField(
        r"^[0-9A-Fa-f]{64}\Z",
        required=False,
        error_messages={"invalid": "Expected 64 hex digits, the raw bytes of an Ed25519 public key."},
        help_text="for a backend key only",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        is_backend = attrs["kind"] == AppKey.Kind.BACKEND
        if is_backend and "public_key" not in attrs:
            raise serializers.ValidationError({"public_key": "A backend key needs its public half, 64 hex digits."})
        if not is_backend and "public_key" in attrs:
            raise serializers.ValidationError({"public_key": "Only a backend key has one; leave it out."})
        return attrs


class RegionBaseSerializer(RowOutput):
    class Meta:
        model = RegionBase
        fields = ["region", "shared", "exclusive"]


class NewRegionBaseSerializer(StrictSerializer):
    region = serializers.CharField(
        max_length=40, allow_blank=True, default="", help_text="empty: all regions without base URLs of their own"
    )
    shared = serializers.URLField(max_length=200, help_text="base URL of shared files")
    exclusive = serializers.URLField(max_length=200, help_text="base URL of exclusive files")


class TableEntrySerializer(Output):
    release = serializers.IntegerField()
    stage = serializers.IntegerField()
    task = serializers.CharField()
    manifest = serializers.CharField(help_text="digest of the manifest that eligible devices get")
    rule = serializers.DictField(help_text="which devices are eligible")
    share = serializers.IntegerField(help_text="millionths of the eligible devices")
    exclusive = serializers.BooleanField(help_text="whether the version has exclusive files for some devices")
    mode = serializers.ChoiceField(
        choices=[str(mode) for mode in Mode],
        help_text="offer; hold: paused, no new device gets it; keep: ended, devices that have it keep it",
    )
    control = serializers.IntegerField(help_text="millionths in the control group")
    pace = serializers.IntegerField(allow_null=True, help_text="offers per second of all gateways together")
    observed = serializers.BooleanField(help_text="whether exposures are logged")
    open_until = serializers.IntegerField(allow_null=True, help_text="Unix seconds at which its time window closes")


class BasesSerializer(Output):
    shared = serializers.CharField()
    exclusive = serializers.CharField()


class TableSerializer(Output):
    """The table from which gateways answer the app's devices."""

    number = serializers.IntegerField()
    published_at = serializers.DateTimeField()
    interval = serializers.IntegerField(help_text="seconds between two check-ins of an idle device")
    bases = serializers.DictField(
        child=BasesSerializer(), help_text="by region; the empty region stands for all others"
    )
    entries = TableEntrySerializer(many=True, help_text="releases in order of precedence")
    removals = serializers.ListField(child=serializers.CharField(), help_text="retired tasks, which devices remove")
    withdrawn = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="pairs of a task and a rolled-back manifest, which devices remove",
    )


class RunFailureSerializer(Output):
    """One of the first failures among several runs."""

    error_class = serializers.CharField()
    count = serializers.IntegerField()
    message = serializers.CharField(allow_null=True, default=None)


def _milliseconds(meaning: str) -> serializers.FloatField:
    return serializers.FloatField(allow_null=True, default=None, help_text=f"{meaning}; null: not said")


class RunAggregateSerializer(Output):
    """What several runs of a task were like together, which events triggered."""

    since = serializers.FloatField(help_text="when the first began, in Unix seconds by the device's clock")
    until = serializers.FloatField(help_text="when the last ended")
    count = serializers.IntegerField(help_text="runs that took place")
    failed = serializers.IntegerField()
    shed = serializers.IntegerField(help_text="runs that did not take place, because too many were waiting")
    events = serializers.IntegerField(help_text="events that the runs were given")
    cold = serializers.IntegerField(help_text="runs that began cold")
    p50_ms = _milliseconds("half of the runs took at most so long")
    p90_ms = _milliseconds("nine of ten")
    p99_ms = _milliseconds("99 of 100")
    max_ms = _milliseconds("the longest")
    cpu_ms = _milliseconds("CPU time of all runs")
    failures = RunFailureSerializer(many=True, help_text="the first kinds of failures, at most 5")


class ReportSerializer(RowOutput):
    id = serializers.UUIDField(source="report_id", help_text="chosen by the device")
    app = serializers.CharField(source="app.slug")
    kind = serializers.ChoiceField(choices=KINDS)
    outcome = serializers.ChoiceField(choices=OUTCOMES)
    error_class = serializers.CharField(help_text="empty: none")
    runs = RunAggregateSerializer(allow_null=True, help_text="of a report about several runs; null: about one")
    metrics = serializers.DictField()
    output = serializers.DictField(allow_null=True)
    release = serializers.IntegerField(allow_null=True, help_text="release that offered it; null: no valid offer token")
    stage = serializers.IntegerField(allow_null=True)
    number = serializers.IntegerField(allow_null=True, help_text="number of the table that offered it")
    evidence = serializers.BooleanField(help_text="whether it counts for verdicts")

    class Meta:
        model = Report
        fields = [
            "id", "app", "device", "task", "version", "manifest", "kind", "outcome", "error_class", "message",
            "duration_ms", "peak_memory_kb", "start", "vm_end", "runs", "metrics", "output", "release", "stage",
            "number", "evidence", "reported_at", "received_at",
        ]  # fmt: skip


class ReportQuery(PageInput):
    app = SlugInput(required=False)
    device = serializers.CharField(required=False, max_length=64)
    task = TaskNameInput(required=False, help_text="<scenario>/<task>")
    version = serializers.CharField(required=False, max_length=64)
    kind = serializers.ChoiceField(choices=KINDS, required=False)
    outcome = serializers.ChoiceField(choices=OUTCOMES, required=False)
    release = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    evidence = serializers.BooleanField(required=False)
    error_class = serializers.CharField(required=False, max_length=80, help_text="such as MemoryError")
    since = serializers.DateTimeField(required=False, help_text="received at this time or later")
    before = serializers.DateTimeField(required=False, help_text="received before this time")


class InstalledTaskSerializer(RowOutput):
    class Meta:
        model = InstalledTask
        fields = ["task", "manifest", "since"]


class DeviceSerializer(RowOutput):
    app = serializers.CharField(source="app.slug")
    facts = serializers.DictField(help_text="what the device reports about itself")
    trusted = serializers.DictField(help_text="what the app's backend signed about its user")

    class Meta:
        model = Device
        fields = [
            "app", "device", "facts", "trusted", "first_seen", "last_seen", "vouched_at", "revoked_at", "deferral",
            "deferral_until",
        ]  # fmt: skip


class InstalledVersionNameSerializer(Output):
    """A task on a device of a list."""

    task = serializers.CharField(help_text="<scenario>/<task>")
    version = serializers.CharField(help_text='"" if the manifest is of no registered version')


class LastReportSerializer(BesideRow, RowOutput):
    """The newest report of a device of a list."""

    kind = serializers.ChoiceField(choices=KINDS)
    outcome = serializers.ChoiceField(choices=OUTCOMES)
    error_class = serializers.CharField(help_text="empty: none")

    class Meta:
        model = Report
        fields = ["task", "version", "kind", "outcome", "error_class", "received_at"]


class DeviceRowSerializer(DeviceSerializer):
    """A device of a list. The context has the `versions` (devices_app.selectors.page_details)."""

    installed = serializers.SerializerMethodField(help_text="its tasks, by name")
    last_report = LastReportSerializer(allow_null=True, help_text="null: it has sent none that is kept")

    class Meta(DeviceSerializer.Meta):
        fields = [*DeviceSerializer.Meta.fields, "installed", "last_report"]

    @extend_schema_field(InstalledVersionNameSerializer(many=True))
    def get_installed(self, device: Device) -> list[dict[str, str]]:
        versions = self.context["versions"]
        installed = sorted(device.profile.items())
        return [{"task": task, "version": versions.get((task, manifest), "")} for task, manifest in installed]


class DeviceDetailSerializer(DeviceSerializer):
    installed = InstalledTaskSerializer(many=True)
    reports = serializers.SerializerMethodField(help_text="the newest")

    class Meta(DeviceSerializer.Meta):
        fields = [*DeviceSerializer.Meta.fields, "installed", "reports"]

    @extend_schema_field(ReportSerializer(many=True))
    def get_reports(self, device: Device) -> list[dict[str, Any]]:
        return list(ReportSerializer(reports_of(device, SHOWN_REPORTS), many=True).data)
