"""Show scenarios, tasks, versions, files and variants to site staff; what is immutable is read-only."""

from typing import TYPE_CHECKING

from django import forms
from django.contrib import admin
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from accounts_app.actors import Actor
from kit.admin.dashboard import dashboard_page, task_page
from kit.admin.staff import RowForm, StaffAdmin, StaffInline, as_json, link_to
from tasks_app.models import Scenario, Task, TaskVersion, Variant, VersionFile
from tasks_app.selectors.catalogue import manifest_of
from tasks_app.services.retirement import retire_task, unretire_task
from tasks_app.services.scenarios import configure_scenario, create_scenario
from tasks_app.services.variants import remove_variant
from walle.protocol.names import InvalidNameError, check_slug

if TYPE_CHECKING:
    from tasks_app.selectors.catalogue import CountedScenario, CountedTask


class ScenarioForm(RowForm):
    class Meta:
        model = Scenario
        fields = ("slug", "description", "approval_required")

    def clean_slug(self) -> str:
        try:
            return check_slug(self.cleaned_data["slug"], "slug")
        except InvalidNameError as error:
            raise forms.ValidationError(str(error)) from error


class TaskInline(StaffInline):
    model = Task
    fields = ("slug", "created_at", "retired_at")


@admin.register(Scenario)
class ScenarioAdmin(StaffAdmin):
    allowed = frozenset({"add", "change"})
    form = ScenarioForm
    list_display = ("slug", "description", "tasks_in_it", "repository", "created_at")
    search_fields = ("slug", "description")
    inlines = (TaskInline,)

    def dashboard_page(self, scenario: Scenario) -> str | None:
        return dashboard_page("scenarios", scenario.slug)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[CountedScenario]":
        scenarios: QuerySet[Scenario] = super().get_queryset(request)
        return scenarios.annotate(task_count=Count("tasks"))

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("slug", "repository", "delivers_to", "created_at") if obj else ()

    def save_model(self, request: HttpRequest, obj: Scenario, form: ScenarioForm, change: bool) -> None:
        actor = Actor.of(request)
        if change:
            configure_scenario(
                actor=actor, scenario=obj, description=obj.description, approval_required=obj.approval_required
            )
        else:
            obj.pk = create_scenario(actor=actor, slug=obj.slug, description=obj.description).pk

    @admin.display(description="tasks", ordering="task_count")
    def tasks_in_it(self, scenario: "CountedScenario") -> int:
        return scenario.task_count

    @admin.display(description="may deliver to")
    def delivers_to(self, scenario: Scenario) -> SafeString:
        address = f"{reverse('admin:releases_app_deliverygrant_changelist')}?{urlencode({'scenario': scenario.pk})}"
        apps = ", ".join(grant.app.slug for grant in scenario.delivery_grants.select_related("app")) or "no app"
        return format_html('<a href="{}" class="text-primary-600 underline">{}</a>', address, apps)

    @admin.display(description="repository")
    def repository(self, scenario: Scenario) -> str:
        return f"/git/{scenario.slug}.git"


class VersionInline(StaffInline):
    model = TaskVersion
    fields = ("version", "commit", "author_name", "total_size", "tagged_at")
    per_page = 20

    def get_queryset(self, request: HttpRequest) -> QuerySet[TaskVersion]:
        return super().get_queryset(request).select_related("task__scenario").defer("manifest")


@admin.register(Task)
class TaskAdmin(StaffAdmin):
    fields = ("scenario", "slug", "created_at", "retired_at")
    list_display = ("name", "scenario_page", "versions_of_it", "retired_at", "created_at")
    list_filter = ("scenario", ("retired_at", admin.EmptyFieldListFilter))
    search_fields = ("slug", "scenario__slug")
    list_select_related = ("scenario",)
    inlines = (VersionInline,)
    actions = ("retire", "unretire")

    def dashboard_page(self, task: Task) -> str | None:
        return task_page(task.name)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[CountedTask]":
        tasks: QuerySet[Task] = super().get_queryset(request)
        return tasks.annotate(version_count=Count("versions"))

    @admin.display(description="scenario", ordering="scenario__slug")
    def scenario_page(self, task: Task) -> SafeString | str:
        return link_to(task.scenario)

    @admin.display(description="versions", ordering="version_count")
    def versions_of_it(self, task: "CountedTask") -> int:
        return task.version_count

    @admin.action(description="Retire: withdraw from devices, take no new versions")
    def retire(self, request: HttpRequest, queryset: QuerySet[Task]) -> None:
        for task in queryset.select_related("scenario"):
            retire_task(actor=Actor.of(request), task=task, now=timezone.now())

    @admin.action(description="Unretire: let it be released again")
    def unretire(self, request: HttpRequest, queryset: QuerySet[Task]) -> None:
        for task in queryset.select_related("scenario"):
            unretire_task(actor=Actor.of(request), task=task, now=timezone.now())


class FileInline(StaffInline):
    model = VersionFile
    fields = ("path", "kind", "size", "digest", "template", "default")
    per_page = 50


@admin.register(TaskVersion)
class TaskVersionAdmin(StaffAdmin):
    fields = (
        *("task_page", "version", "commit", "author_name", "author_email", "message", "tagged_at", "created_at"),
        *("total_size", "manifest_digest", "envelope_digest", "signed_by", "manifest_text"),
    )
    list_display = ("version", "task_page", "commit", "author_name", "total_size", "tagged_at")
    list_filter = ("task__scenario", "created_at")
    search_fields = ("version", "task__slug", "task__scenario__slug", "commit", "manifest_digest", "author_name")
    list_select_related = ("task__scenario",)
    inlines = (FileInline,)

    def dashboard_page(self, version: TaskVersion) -> str | None:
        return task_page(version.task.name, version=version.version)

    def get_queryset(self, request: HttpRequest) -> QuerySet[TaskVersion]:
        return super().get_queryset(request).defer("manifest")

    @admin.display(description="task", ordering="task__slug")
    def task_page(self, version: TaskVersion) -> SafeString | str:
        return link_to(version.task)

    @admin.display(description="manifest")
    def manifest_text(self, version: TaskVersion) -> SafeString:
        return as_json(manifest_of(version))


@admin.register(VersionFile)
class VersionFileAdmin(StaffAdmin):
    fields = ("version_page", "path", "kind", "digest", "size", "template", "default", "variants_of_it")
    list_display = ("path", "version_page", "kind", "size", "digest")
    list_filter = ("kind", "version__task__scenario")
    search_fields = ("path", "digest", "version__task__slug", "version__version")
    list_select_related = ("version__task__scenario",)

    def dashboard_page(self, file: VersionFile) -> str | None:
        return task_page(file.version.task.name, version=file.version.version)

    def get_queryset(self, request: HttpRequest) -> QuerySet[VersionFile]:
        return super().get_queryset(request).defer("version__manifest")

    @admin.display(description="variants")
    def variants_of_it(self, file: VersionFile) -> SafeString:
        address = f"{reverse('admin:tasks_app_variant_changelist')}?{urlencode({'q': file.path})}"
        return format_html('<a href="{}" class="text-primary-600 underline">variants</a>', address)

    @admin.display(description="version")
    def version_page(self, file: VersionFile) -> SafeString | str:
        return link_to(file.version)


@admin.register(Variant)
class VariantAdmin(StaffAdmin):
    allowed = frozenset({"delete"})
    fields = ("file_page", "key", "digest", "size", "signed_by", "uploaded_by", "uploaded_at")
    list_display = ("key", "file_page", "version_page", "size", "uploaded_by", "uploaded_at")
    list_filter = ("file__version__task__scenario", "uploaded_at")
    search_fields = ("key", "digest", "file__path", "file__version__task__slug")
    list_select_related = ("file__version__task__scenario", "uploaded_by")

    def dashboard_page(self, variant: Variant) -> str | None:
        return task_page(variant.file.version.task.name, version=variant.file.version.version)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Variant]:
        return super().get_queryset(request).defer("statement", "file__version__manifest")

    def delete_model(self, request: HttpRequest, obj: Variant) -> None:
        remove_variant(actor=Actor.of(request), variant=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Variant]) -> None:
        for variant in queryset:
            self.delete_model(request, variant)

    @admin.display(description="file")
    def file_page(self, variant: Variant) -> SafeString | str:
        return link_to(variant.file)

    @admin.display(description="version")
    def version_page(self, variant: Variant) -> SafeString | str:
        return link_to(variant.file.version)
