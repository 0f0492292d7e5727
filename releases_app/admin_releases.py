"""Show releases to site staff, with the moves that their states allow."""

from typing import Final

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.dataclasses import Action, UnfoldAction
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from accounts_app.actors import Actor
from kit.admin.dashboard import dashboard_page
from kit.admin.reasons import ReasonForm, go_to, reason_dialog
from kit.admin.staff import StaffAdmin, StaffInline, as_json, link_to
from releases_app.admin_simulation import SimulationCellInline
from releases_app.models import Release, Stage, StoredVerdict, Transition
from releases_app.services.moves import ReleaseConflict
from releases_app.services.releases import BY_HAND, act
from walle.release.cohort import BUCKETS
from walle.release.states import MoveRefused, ReleaseAction, ReleaseState, move

STATE_COLOURS: Final[dict[str, str]] = {
    ReleaseState.SIMULATING: "info",
    ReleaseState.AWAITING_APPROVAL: "warning",
    ReleaseState.RUNNING: "info",
    ReleaseState.PAUSED: "warning",
    ReleaseState.COMPLETE: "success",
    ReleaseState.REJECTED: "danger",
    ReleaseState.ABORTED: "danger",
    ReleaseState.ROLLED_BACK: "danger",
}


def move_button(name: ReleaseAction, icon: str, consequence: str, variant: ActionVariant) -> Action:
    """Return an action of a release's page: a dialog for the reason, then the move."""

    def make(self: "ReleaseAdmin", request: HttpRequest, form: ReasonForm, object_id: int) -> HttpResponse:
        return self.make_move(request, name, form.cleaned_data["reason"], object_id)

    make.__name__ = name.replace("-", "_")
    label = name.replace("-", " ").capitalize()
    dialog = reason_dialog(label, f"{label} this release?", consequence)
    return action(make, description=label, url_path=str(name), icon=icon, variant=variant, dialog=dialog)


class StageInline(StaffInline):
    model = Stage
    fields = ("position", "kind", "percentage", "id_list", "entered_at", "left_at")
    readonly_fields = ("percentage",)
    show_change_link = False
    hide_title = True

    @admin.display(description="share of the eligible devices")
    def percentage(self, stage: Stage) -> str:
        return f"{100 * stage.share / BUCKETS:g} %"


class VerdictInline(StaffInline):
    model = StoredVerdict
    fields = ("at", "stage", "kind", "sentence", "facts")
    readonly_fields = ("facts",)
    show_change_link = False
    hide_title = True
    per_page = 20

    @admin.display(description="evidence")
    def facts(self, verdict: StoredVerdict) -> SafeString:
        return as_json(verdict.evidence)


class TransitionInline(StaffInline):
    model = Transition
    fields = ("at", "action", "before", "after", "actor_name", "reason", "facts")
    readonly_fields = ("facts",)
    show_change_link = False
    hide_title = True
    per_page = 20

    @admin.display(description="evidence")
    def facts(self, transition: Transition) -> SafeString | str:
        return as_json(transition.evidence) if transition.evidence else "-"


@admin.register(Release)
class ReleaseAdmin(StaffAdmin):
    fields = (
        *("version_page", "app_page", "shown_state", "position", "selected_devices", "rule_text", "strategy_text"),
        *("created_by", "created_at"),
    )
    list_display = ("id", "version_page", "app_page", "shown_state", "position", "created_by", "created_at")
    list_filter = ("state", "app", "version__task__scenario", "created_at")
    search_fields = ("=id", "version__task__slug", "version__task__scenario__slug", "version__version", "app__slug")
    list_select_related = ("app", "version__task__scenario")
    inlines = (StageInline, SimulationCellInline, VerdictInline, TransitionInline)
    actions_detail = (*("start", "approve", "resume", "promote", "complete", "pause", "reject", "abort", "roll_back"),)

    start = move_button(
        ReleaseAction.START, "play_arrow", "It is tested, then goes out stage by stage.", ActionVariant.PRIMARY
    )
    approve = move_button(ReleaseAction.APPROVE, "thumb_up", "It starts with its first stage.", ActionVariant.SUCCESS)
    reject = move_button(
        ReleaseAction.REJECT, "thumb_down", "It ends before any device received it.", ActionVariant.DANGER
    )
    promote = move_button(
        ReleaseAction.PROMOTE,
        "skip_next",
        "The next stage starts now. Before the present stage has passed, this requires a reason.",
        ActionVariant.WARNING,
    )
    resume = move_button(
        ReleaseAction.RESUME, "play_arrow", "It is offered again. This requires a reason.", ActionVariant.PRIMARY
    )
    pause = move_button(
        ReleaseAction.PAUSE,
        "pause",
        "It is offered to no more devices; those that have it keep it.",
        ActionVariant.WARNING,
    )
    complete = move_button(
        ReleaseAction.COMPLETE,
        "check",
        "Every eligible device receives it. Before the last stage has passed, this requires a reason.",
        ActionVariant.SUCCESS,
    )
    abort = move_button(ReleaseAction.ABORT, "block", "It ends; devices that have it keep it.", ActionVariant.DANGER)
    roll_back = move_button(
        ReleaseAction.ROLL_BACK,
        "undo",
        "Devices return to the newest complete release, and this version goes into quarantine. Unless the release is "
        "under way, this requires a reason.",
        ActionVariant.DANGER,
    )

    def dashboard_page(self, release: Release) -> str | None:
        return dashboard_page("releases", release.pk)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Release]:
        return super().get_queryset(request).defer("version__manifest")

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """Return the moves that the release's state allows."""
        release = self.get_object(request, str(object_id))
        if release is None:
            return []
        return [each for each in super().get_actions_detail(request, object_id) if _possible(release, each.path)]

    def make_move(self, request: HttpRequest, name: ReleaseAction, reason: str, object_id: int) -> HttpResponse:
        """Make the move if it is possible; either way the release's page shows the result."""
        release = self.get_object(request, str(object_id))
        if release is None:
            raise Http404
        try:
            act(release=release, action=name, actor=Actor.of(request), now=timezone.now(), reason=reason)
            messages.success(request, f"{release} is {release.state}")
        except (MoveRefused, ReleaseConflict, PermissionDenied) as error:
            messages.error(request, str(error))
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        return go_to(request, reverse("admin:releases_app_release_change", args=[object_id]))

    @admin.display(description="version", ordering="version")
    def version_page(self, release: Release) -> SafeString | str:
        return link_to(release.version)

    @admin.display(description="app", ordering="app__slug")
    def app_page(self, release: Release) -> SafeString | str:
        return link_to(release.app)

    @admin.display(description="devices")
    def selected_devices(self, release: Release) -> SafeString:
        address = reverse("admin:releases_app_exposure_changelist")
        return format_html('<a href="{}?q={}" class="text-primary-600 underline">selected</a>', address, release.pk)

    @admin.display(description="rule")
    def rule_text(self, release: Release) -> SafeString:
        return as_json(release.rule)

    @admin.display(description="strategy")
    def strategy_text(self, release: Release) -> SafeString:
        return as_json(release.strategy)

    @display(description="state", ordering="state", label=STATE_COLOURS)
    def shown_state(self, release: Release) -> str:
        return str(release.state)


def _possible(release: Release, path: str) -> bool:
    try:
        move(release.current, ReleaseAction(path), release.parsed_strategy.outline)
    except MoveRefused:
        return False
    return ReleaseAction(path) in BY_HAND
