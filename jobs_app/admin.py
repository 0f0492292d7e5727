"""Show jobs to operators, read-only."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.paginator import InfinitePaginator

from jobs_app.models import Job, JobState
from jobs_app.registry import known_kinds

NEWEST = 20_000


class KindFilter(admin.SimpleListFilter):
    """A filter by the kinds that the code knows, among the newest jobs: nothing reads the table to its end."""

    title = parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: "admin.ModelAdmin[Any]") -> list[tuple[str, str]]:
        return [(kind.name, kind.name) for kind in sorted(known_kinds(), key=lambda kind: kind.name)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Job]) -> QuerySet[Job]:
        if not self.value():
            return queryset
        floor = Job.objects.order_by("-pk").values_list("pk", flat=True)[NEWEST - 1 : NEWEST].first() or 0
        return queryset.filter(kind=self.value(), pk__gte=floor)


@admin.register(Job)
class JobAdmin(ModelAdmin):
    list_display = ("id", "kind", "shown_state", "attempts", "run_at", "started_at", "finished_at")
    list_filter = ("state", KindFilter)
    search_fields = ("dedupe_key__exact",)
    search_help_text = "What a job is the only one for, such as releases.reconcile:7"
    ordering = ("-id",)
    show_full_result_count = False
    paginator = InfinitePaginator
    list_per_page = 50

    @display(
        description="state",
        ordering="state",
        label={
            JobState.PENDING: "warning",
            JobState.RUNNING: "info",
            JobState.SUCCEEDED: "success",
            JobState.FAILED: "danger",
        },
    )
    def shown_state(self, job: Job) -> str:
        return str(job.state)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Job | None = None) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Job | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Job | None = None) -> bool:
        return False
