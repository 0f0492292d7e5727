"""REST view that drafts an earlier release again."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from kit.api.inputs import StrictSerializer
from kit.api.outputs import Output
from kit.api.schema import endpoint
from releases_app.api.releases import BEFORE_RUNNING, AppVersionsInput, ReleaseDetailSerializer, rule_in
from releases_app.selectors.releases import release_visible_to, release_with_history
from releases_app.services.cloning import clone_release, newest_releasable
from tasks_app.models import TaskVersion
from tasks_app.selectors import catalogue


class CloneSerializer(StrictSerializer):
    version = serializers.CharField(
        max_length=64,
        required=False,
        help_text="a version of the same task; the newest that may be released if left out",
    )
    app_versions = AppVersionsInput()
    rule = serializers.JSONField(
        required=False, help_text="targeting rule that replaces the one of the original release"
    )
    strategy = serializers.DictField(required=False, help_text="keys that replace those of the original strategy")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "rule" in attrs and "app_versions" in attrs:
            raise serializers.ValidationError({"rule": "Expected a rule or app_versions, not both."})
        return attrs


class ClonePlanSerializer(Output):
    """What a clone of a release starts from, if it were made now."""

    app = serializers.CharField(source="release.app.slug")
    task = serializers.CharField(source="version.task.name")
    version = serializers.CharField(source="version.version", help_text="the newest that may be released")
    was = serializers.CharField(source="release.version.version", help_text="version of the original release")
    rule = serializers.DictField(source="release.rule")
    strategy = serializers.DictField(source="release.strategy")


class ReleaseClone(ApiView):
    @endpoint("plan_clone", ClonePlanSerializer, needs="a role in the task's scenario or in the app")
    def get(self, request: Request, release: int) -> Response:
        """Return what a clone of the release would start from, without making one."""
        found = release_visible_to(self.actor, release)
        plan = {"release": found, "version": newest_releasable(found.version)}
        return self.respond(ClonePlanSerializer, plan)

    @endpoint("clone_release", ReleaseDetailSerializer, status=201, body=CloneSerializer, needs=BEFORE_RUNNING)
    def post(self, request: Request, release: int) -> Response:
        """Draft a release again, of the newest version that may be released unless another one is given.

        Devices and strategy stay the same unless others are given.
        """
        body = self.body(CloneSerializer)
        found = release_visible_to(self.actor, release)
        changes: dict[str, Any] = {"strategy": body.get("strategy"), "rule": rule_in(body)}
        if "version" in body:
            try:
                changes["version"] = catalogue.version_of(found.version.task, body["version"])
            except TaskVersion.DoesNotExist as error:
                raise serializers.ValidationError(
                    {"version": f"Expected a version of {found.version.task}."}
                ) from error
        made = clone_release(release=found, actor=self.actor, now=self.now, **changes)
        return self.respond(ReleaseDetailSerializer, release_with_history(self.actor, made.pk), status=201)
