"""REST view that drafts an earlier release again."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from kit.api.inputs import StrictSerializer
from kit.api.schema import endpoint
from releases_app.api.releases import BEFORE_RUNNING, AppVersionsInput, ReleaseDetailSerializer, rule_in
from releases_app.selectors.releases import release_visible_to, release_with_history
from releases_app.services.cloning import clone_release
from tasks_app.models import TaskVersion
from tasks_app.selectors import catalogue


class CloneSerializer(StrictSerializer):
    version = serializers.CharField(max_length=64, required=False, help_text="another version of the same task")
    app_versions = AppVersionsInput()
    rule = serializers.JSONField(
        required=False, help_text="targeting rule that replaces the one of the original release"
    )
    strategy = serializers.DictField(required=False, help_text="keys that replace those of the original strategy")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "rule" in attrs and "app_versions" in attrs:
            raise serializers.ValidationError({"rule": "Expected a rule or app_versions, not both."})
        return attrs


class ReleaseClone(ApiView):
    @endpoint("clone_release", ReleaseDetailSerializer, status=201, body=CloneSerializer, needs=BEFORE_RUNNING)
    def post(self, request: Request, release: int) -> Response:
        """Draft a release again: unchanged, or with another version, other devices, another strategy."""
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
