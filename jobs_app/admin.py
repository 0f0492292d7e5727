"""Jobs as operators see them: to read, not to change."""

from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from jobs_app.models import Job


@admin.register(Job)
class JobAdmin(ModelAdmin):
    list_display = ("id", "kind", "state", "attempts", "run_at", "started_at", "finished_at")
    list_filter = ("state", "kind")
    search_fields = ("kind", "dedupe_key", "error")
    ordering = ("-id",)

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
