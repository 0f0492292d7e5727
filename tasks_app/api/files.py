"""REST views of single files of a version, and of the differences between two versions."""

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kit.api.downloads import attachment
from kit.api.inputs import StrictSerializer
from kit.api.outputs import Output
from kit.api.schema import endpoint
from tasks_app.api.scenarios import ROLE
from tasks_app.api.tasks import OneTask, OneVersion
from tasks_app.models import FileKind
from tasks_app.selectors import catalogue
from tasks_app.selectors.content import content_of, file_of
from tasks_app.selectors.diffs import MOST_COMMITS, OMISSIONS, diff_with_texts
from walle.protocol.names import MAX_BUNDLE_PATH


class FileQuery(StrictSerializer):
    path = serializers.CharField(
        max_length=MAX_BUNDLE_PATH, help_text="path of a shared file, a source or a file of the cloud half"
    )


class VersionContent(OneVersion):
    bare = True

    @endpoint("download_file", {(200, "application/octet-stream"): OpenApiTypes.BINARY}, query=FileQuery, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str, version: str) -> HttpResponseBase:
        """Download one shared file of a version, a source that devices get as bytecode, or a file of its cloud half.

        Variants of exclusive files are personal: nobody can read them here.
        """
        found = self.version(scenario, task, version)
        path = self.query(FileQuery)["path"]
        file = file_of(found, path)
        if file.kind == FileKind.EXCLUSIVE:
            raise serializers.ValidationError({"path": f"Expected a shared file, found an exclusive one: {path}."})
        response = attachment(request, content_of(file), path.rpartition("/")[2])
        response["Content-Length"] = str(file.size)
        response["ETag"] = f'"{file.digest}"'
        return response


class DiffQuery(StrictSerializer):
    base = serializers.CharField(required=False, max_length=64, help_text="the next lower version if left out")


class FileSideSerializer(Output):
    """One version's side of a changed file."""

    kind = serializers.ChoiceField(choices=FileKind.choices)
    digest = serializers.CharField(allow_null=True, help_text="SHA-256 of a shared file or a source")
    size = serializers.IntegerField(allow_null=True)
    template = serializers.CharField()
    default = serializers.CharField()


class FileChangeSerializer(Output):
    path = serializers.CharField()
    change = serializers.ChoiceField(choices=["added", "removed", "changed"])
    old = FileSideSerializer(allow_null=True)
    new = FileSideSerializer(allow_null=True)
    diff = serializers.CharField(allow_null=True, help_text="unified diff with three lines of context")
    omitted = serializers.ChoiceField(choices=OMISSIONS, allow_null=True, help_text="why there is no diff")


class FieldChangeSerializer(Output):
    field = serializers.CharField(help_text="such as limits.time_ms")
    old = serializers.JSONField(allow_null=True, help_text="null: the old version does not have it")
    new = serializers.JSONField(allow_null=True, help_text="null: the new version does not have it")


class CommitSerializer(Output):
    commit = serializers.CharField()
    subject = serializers.CharField(help_text="first line of its message; what is very long is cut")
    author_name = serializers.CharField()
    committed_at = serializers.DateTimeField()


class VersionDiffSerializer(Output):
    task = serializers.CharField()
    base = serializers.CharField()
    version = serializers.CharField()
    commits = CommitSerializer(
        many=True,
        allow_null=True,
        help_text=f"commits that the version has and `base` does not, the newest {MOST_COMMITS}; null: git lost them",
    )
    dropped_commits = CommitSerializer(
        many=True, allow_null=True, help_text="commits that `base` has and the version does not, likewise"
    )
    files = FileChangeSerializer(many=True)
    # REST framework removes declared fields from the class, so that this hides no attribute of it.
    fields = FieldChangeSerializer(  # type: ignore[assignment]
        many=True, source="field_changes", help_text="what changed in task.toml"
    )


class VersionDiffs(OneTask):
    @endpoint("diff_versions", VersionDiffSerializer, query=DiffQuery, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str, version: str) -> Response:
        """Compare a version of the task with this one: files, with their text, and declarations."""
        found = self.task(scenario, task)
        new = catalogue.version_of(found, version)
        base = self.query(DiffQuery).get("base")
        old = catalogue.versions_of(found).filter(version=base).first() if base else catalogue.version_below(new)
        if old is None:
            expected = "Expected another version of the task" + ("." if base else ": there is none below this one.")
            raise serializers.ValidationError({"base": expected})
        return self.respond(VersionDiffSerializer, diff_with_texts(old, new))
