"""REST view that previews a rollback."""

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
    """The effects of rolling back a release, if it were done now."""

    version = serializers.CharField(source="release.version.version", help_text="version that goes into quarantine")
    is_quarantined = serializers.BooleanField(help_text="whether it is in quarantine already")
    goes_back_to = OtherReleaseSerializer(
        many=True, help_text="releases that decide about its devices then, the newest first"
    )
    lose_it = serializers.BooleanField(
        help_text="whether some devices, about which none of them decides, lose the task"
    )
    devices = serializers.IntegerField(
        help_text="number of the app's devices that have the version now, from any release"
    )
    counted_at = serializers.DateTimeField(
        allow_null=True, help_text="when they were counted; null: now. Large numbers are counted from time to time"
    )
    withdrawn = SameVersionSerializer(
        many=True, help_text="other releases of the same version, whose devices lose it through the quarantine"
    )
    held = SameVersionSerializer(many=True, help_text="other releases of the same version in progress, which stop")


class RollbackPlanning(ApiView):
    live: ClassVar[frozenset[str]] = frozenset({"devices", "counted_at"})

    @endpoint("plan_rollback", RollbackPlanSerializer, needs="a role in the task's scenario or in the app")
    def get(self, request: Request, release: int) -> Response:
        """Preview the rollback of a release without doing it.

        Of other releases of its version, only those that you may see are included.
        """
        found = release_visible_to(self.actor, release)
        return self.respond(RollbackPlanSerializer, plan_rollback(release=found, actor=self.actor, now=self.now))
