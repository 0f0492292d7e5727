"""Serializers of scenarios, tasks and versions."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from devices_app.services.keys import git_signers
from kit.api.inputs import OrderInput, PageInput, SlugInput, StrictSerializer
from kit.api.outputs import BesideRow, Output, RowOutput
from tasks_app.models import FileKind, Scenario, Task, TaskVersion, Variant, VersionFile
from tasks_app.selectors.catalogue import TASK_ORDERS, files_of, manifest_of
from tasks_app.selectors.cloud_models import cloud_figures
from tasks_app.selectors.refusals import refusal_of
from walle.bundle.stream_rules import trigger_warnings
from walle.bundle.tunnel_keys import upload_warnings
from walle.protocol.names import MAX_BUNDLE_PATH
from walle.protocol.templates import MAX_VARIANT_KEY


class ScenarioSerializer(RowOutput):
    task_count = serializers.IntegerField()

    class Meta:
        model = Scenario
        fields = ["slug", "description", "approval_required", "task_count", "created_at"]


class ScenarioDetailSerializer(ScenarioSerializer):
    git_signers = serializers.SerializerMethodField()

    class Meta(ScenarioSerializer.Meta):
        fields = [*ScenarioSerializer.Meta.fields, "git_signers"]

    def get_git_signers(self, scenario: Scenario) -> list[str]:
        """Return whose signatures git's notes have, as lines of `gpg.ssh.allowedSignersFile`."""
        return git_signers()


class NewScenarioSerializer(StrictSerializer):
    slug = SlugInput()
    description = serializers.CharField(max_length=2000, allow_blank=True, default="")


class ScenarioChangeSerializer(StrictSerializer):
    description = serializers.CharField(max_length=2000, allow_blank=True, required=False)
    approval_required = serializers.BooleanField(
        required=False, help_text="every release must be approved by somebody other than its creator"
    )


class TaskSerializer(RowOutput):
    name = serializers.CharField(help_text="<scenario>/<task>")
    scenario = serializers.CharField(source="scenario.slug")
    version_count = serializers.IntegerField()
    retired_at = serializers.DateTimeField(allow_null=True, help_text="null: it may be released")

    class Meta:
        model = Task
        fields = ["name", "scenario", "slug", "version_count", "created_at", "retired_at"]


class StandingSerializer(BesideRow):
    """How a task stands on devices."""

    version = serializers.CharField(help_text='the one that most devices have; "" if none has a registered one')
    devices = serializers.IntegerField(help_text="that have any version; large numbers are counted from time to time")
    runs = serializers.IntegerField(help_text="of about the last day")
    failed = serializers.IntegerField(help_text="of these runs")


class TaskRowSerializer(TaskSerializer):
    """A task of a list."""

    changed_at = serializers.DateTimeField(help_text="when a version was last added; without any, when it was created")
    standing = StandingSerializer(allow_null=True, help_text="null without `details`")

    class Meta(TaskSerializer.Meta):
        fields = [*TaskSerializer.Meta.fields, "changed_at", "standing"]


class ScenarioQuery(PageInput):
    q = serializers.CharField(required=False, max_length=200, help_text="text in the slug or the description")


class TasksOfScenarioQuery(PageInput):
    q = serializers.CharField(required=False, max_length=81, help_text="text in the name, <scenario>/<task>")
    retired = serializers.BooleanField(required=False, help_text="only retired tasks, or only others")


class TaskQuery(TasksOfScenarioQuery):
    scenario = SlugInput(required=False)
    order = OrderInput(TASK_ORDERS)
    details = serializers.BooleanField(default=False, help_text="also how each stands on devices")


class TaskVersionSerializer(RowOutput):
    task = serializers.CharField(source="task.name")
    tag = serializers.CharField(help_text="git tag")
    manifest_digest = serializers.CharField(help_text="digest by which devices identify the version")

    class Meta:
        model = TaskVersion
        fields = [
            "task", "version", "kind", "interpreter", "tag", "commit", "author_name", "author_email", "message",
            "tagged_at", "manifest_digest", "signed_by", "total_size", "created_at",
        ]  # fmt: skip


class VersionFileSerializer(RowOutput):
    kind = serializers.ChoiceField(choices=FileKind.choices)
    digest = serializers.CharField(allow_null=True, help_text="SHA-256 of a shared file or a source")
    template = serializers.CharField(help_text="how facts make the variant key of an exclusive file")
    default = serializers.CharField(help_text="shared file used without a variant")
    variant_count = serializers.IntegerField()

    class Meta:
        model = VersionFile
        fields = ["path", "kind", "digest", "size", "template", "default", "variant_count"]


class QuarantineSerializer(Output):
    release = serializers.IntegerField(source="release_id", help_text="release that was rolled back")
    reason = serializers.CharField()
    by = serializers.CharField(max_length=150)
    at = serializers.DateTimeField()


class CloudHalfSerializer(Output):
    """The cloud half of a version, and what became of the features that it was asked about."""

    main = serializers.CharField(help_text="file whose function answers")
    answered = serializers.IntegerField()
    unanswered = serializers.IntegerField(help_text="it had no answer, or failed")
    late = serializers.IntegerField(help_text="the devices did not wait so long")
    calls = serializers.IntegerField()
    mean_call_ms = serializers.FloatField(allow_null=True)
    error = serializers.CharField(help_text="why a call last failed; empty: none ever did")
    failed_at = serializers.DateTimeField(allow_null=True)
    rests_until = serializers.DateTimeField(allow_null=True, help_text="not asked before, as it answers nothing")


class ModelBackendPlanSerializer(Output):
    """What a backend is predicted to need for a model."""

    backend = serializers.CharField()
    needs = serializers.CharField(help_text="the module that a device needs for it")
    run_ms = serializers.FloatField(help_text="of a run")
    start_ms = serializers.FloatField(help_text="to load the backend and compile the model, once per process")


class ModelClassSerializer(Output):
    """How a model will run on a class of devices."""

    performance = serializers.CharField(help_text="low, mid or high")
    backends = ModelBackendPlanSerializer(many=True, help_text="the best first; a device takes the first that it has")
    refused = serializers.JSONField(help_text="why other backends cannot run it, by their names")


class ModelWorkSerializer(Output):
    """The operators of one kind of work."""

    kind = serializers.CharField()
    operators = serializers.IntegerField()
    operations = serializers.IntegerField()
    share = serializers.FloatField(help_text="predicted, of the time of a run by our own kernels")


class ModelMemorySerializer(Output):
    planned = serializers.IntegerField(help_text="bytes of all values between operators")
    naive = serializers.IntegerField(help_text="what they would need if none shared memory")


class ModelPlanSerializer(Output):
    """How a model of a version will run on devices, as it was planned when the version was pushed."""

    name = serializers.CharField()
    file = serializers.CharField(help_text="path in the bundle")
    mode = serializers.CharField(help_text="session, or module: it is planned where it runs")
    inputs = serializers.DictField(child=serializers.CharField(), help_text="types by name")
    outputs = serializers.ListField(child=serializers.CharField())
    constant_bytes = serializers.IntegerField()
    operators = serializers.DictField(child=serializers.IntegerField(), help_text="of the model, by name")
    why = serializers.CharField(default="", help_text="of a module: what runs it")
    memory = ModelMemorySerializer(allow_null=True, default=None, help_text="null: of a module")
    steps = serializers.DictField(child=serializers.IntegerField(), default=dict, help_text="operators run, by group")
    profile = ModelWorkSerializer(many=True, default=list, help_text="by kind of work, the longest first")
    classes = ModelClassSerializer(many=True, default=list, help_text="by class of devices, the slowest first")


class TaskVersionDetailSerializer(TaskVersionSerializer):
    cloud = serializers.SerializerMethodField()
    quarantine = QuarantineSerializer(allow_null=True, default=None, help_text="why it may not be released")
    refusal = serializers.SerializerMethodField()
    files = serializers.SerializerMethodField()
    manifest = serializers.SerializerMethodField()
    warnings = serializers.SerializerMethodField()
    models = serializers.SerializerMethodField()

    class Meta(TaskVersionSerializer.Meta):
        fields = [
            *TaskVersionSerializer.Meta.fields,
            "quarantine", "refusal", "files", "manifest", "warnings", "cloud", "models",
        ]  # fmt: skip

    @extend_schema_field(VersionFileSerializer(many=True))
    def get_files(self, version: TaskVersion) -> list[dict[str, Any]]:
        return list(VersionFileSerializer(files_of(version), many=True).data)

    @extend_schema_field(ModelPlanSerializer(many=True))
    def get_models(self, version: TaskVersion) -> list[dict[str, Any]]:
        """Return how its models for the tensor engine will run."""
        return [dict(ModelPlanSerializer({"name": name, **plan}).data) for name, plan in version.model_plans.items()]

    @extend_schema_field(CloudHalfSerializer(allow_null=True))
    def get_cloud(self, version: TaskVersion) -> dict[str, Any] | None:
        """Return what answers its features in the cloud; null: nothing does."""
        figures = cloud_figures(version)
        return None if figures is None else dict(CloudHalfSerializer(figures).data)

    def get_refusal(self, version: TaskVersion) -> str:
        """Return why nothing can run it, so that it is not released; empty: it can be run, or nobody has tried yet."""
        return refusal_of(version)

    def get_manifest(self, version: TaskVersion) -> dict[str, Any]:
        """Return the signed payload."""
        return manifest_of(version)

    def get_warnings(self, version: TaskVersion) -> list[str]:
        """Return what is valid in its task.toml, but hardly meant."""
        manifest = manifest_of(version)
        requires = manifest["requires"]
        return [
            *trigger_warnings(manifest["trigger"], requires),
            *upload_warnings(manifest.get("upload", {}), requires),
        ]


class VariantSerializer(RowOutput):
    """The content of an exclusive file for one key."""

    path = serializers.CharField(source="file.path")
    uploaded_by = serializers.CharField(source="uploaded_by.username", default=None, allow_null=True)

    class Meta:
        model = Variant
        fields = ["path", "key", "digest", "size", "signed_by", "uploaded_by", "uploaded_at"]


class VariantQuery(PageInput):
    path = serializers.CharField(required=False, max_length=MAX_BUNDLE_PATH)
    key = serializers.CharField(required=False, max_length=MAX_VARIANT_KEY)


class VariantName(StrictSerializer):
    path = serializers.CharField(max_length=MAX_BUNDLE_PATH, help_text="path of an exclusive file of the version")
    key = serializers.CharField(
        max_length=MAX_VARIANT_KEY, help_text="value of the file's template for a device's facts"
    )


class VariantUpload(StrictSerializer):
    file = serializers.FileField(allow_empty_file=True)
