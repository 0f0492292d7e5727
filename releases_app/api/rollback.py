"""Rollbacks before they are made."""

from typing import ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from kit.api.outputs import Output
from kit.api.schema import endpoint
from releases_app.api.planning import OtherReleaseSerializer
from releases_app.selectors.releases import release_visible_to
from releases_app.services.rollback import plan_rollback


class SameVersionSerializer(OtherReleaseSerializer):
    """Another release of the version."""

    app = serializers.CharField(source="app.slug")


class RollbackPlanSerializer(Output):
    """What rolling back a release would do, if it were done now."""

    version = serializers.CharField(source="release.version.version", help_text="goes into quarantine")
    is_quarantined = serializers.BooleanField(help_text="whether it is there already")
    goes_back_to = OtherReleaseSerializer(many=True, help_text="that decide about its devices then, the newest first")
    lose_it = serializers.BooleanField(help_text="whether devices about which none of them decides lose the task")
    devices = serializers.IntegerField(help_text="of the app that have the version now, whichever release brought it")
    counted_at = serializers.DateTimeField(
        allow_null=True, help_text="when they were counted; null: now. Many are counted from time to time"
    )
    withdrawn = SameVersionSerializer(
        many=True, help_text="that brought devices the same version, which the quarantine takes from them"
    )
    held = SameVersionSerializer(many=True, help_text="of the same version, on their way, that go no further")


class RollbackPlanning(ApiView):
    live: ClassVar[frozenset[str]] = frozenset({"devices", "counted_at"})

    @endpoint("plan_rollback", RollbackPlanSerializer, needs="a role in the task's scenario or in the app")
    def get(self, request: Request, release: int) -> Response:
        """Say what rolling back a release would do, without doing it.

        Of other releases of its version, those are told that you may see.
        """
        found = release_visible_to(self.actor, release)
        return self.respond(RollbackPlanSerializer, plan_rollback(release=found, actor=self.actor))
