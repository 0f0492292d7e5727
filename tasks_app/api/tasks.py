"""REST views of tasks, their versions, and the variants of these."""

from typing import IO, Final, cast

from drf_spectacular.types import OpenApiTypes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from kit.api.inputs import PageInput
from kit.api.pages import page_of
from kit.api.schema import endpoint
from kit.api.views import filters_of
from tasks_app.api import serializers as forms
from tasks_app.api.scenarios import ROLE
from tasks_app.models import Task, TaskVersion
from tasks_app.selectors import catalogue
from tasks_app.selectors.task_standing import standings
from tasks_app.services import retirement, variants

RETIRE: Final = "`retire tasks` in the scenario"
UPLOAD: Final = "`upload variants` in the scenario"


class OneTask(ApiView):
    """The base class of all views of one task, and below it."""

    def task(self, scenario: str, task: str) -> Task:
        return catalogue.task_visible_to(self.actor, scenario, task)

    def version(self, scenario: str, task: str, version: str) -> TaskVersion:
        return catalogue.version_of(self.task(scenario, task), version)


class Tasks(ApiView):
    @endpoint("list_all_tasks", page_of(forms.TaskRowSerializer), query=forms.TaskQuery)
    def get(self, request: Request) -> Response:
        """List the tasks of the scenarios you may see, the last created first."""
        query = self.query(forms.TaskQuery)
        tasks = catalogue.tasks_found(catalogue.tasks_visible_to(self.actor), query)
        page = self.page_in_order(tasks.annotate(changed_at=catalogue.LAST_CHANGE), catalogue.TASK_ORDERS, query)
        details = standings(page.rows, self.now) if query["details"] else {}
        return self.respond_page(forms.TaskRowSerializer, page, standing=details)


class TaskDetail(OneTask):
    @endpoint("get_task", forms.TaskSerializer, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str) -> Response:
        """Return one task."""
        return self.respond(forms.TaskSerializer, self.task(scenario, task))


class TaskRetirement(OneTask):
    @endpoint("retire_task", forms.TaskSerializer, needs=RETIRE)
    def post(self, request: Request, scenario: str, task: str) -> Response:
        """Retire a task: withdraw it from all devices; it accepts no new versions.

        Retiring it again changes nothing.
        """
        retirement.retire_task(actor=self.actor, task=self.task(scenario, task), now=self.now)
        return self.respond(forms.TaskSerializer, self.task(scenario, task))


class TaskReturn(OneTask):
    @endpoint("unretire_task", forms.TaskSerializer, needs=RETIRE)
    def post(self, request: Request, scenario: str, task: str) -> Response:
        """Unretire a task, so that it can be released again."""
        retirement.unretire_task(actor=self.actor, task=self.task(scenario, task), now=self.now)
        return self.respond(forms.TaskSerializer, self.task(scenario, task))


class Versions(OneTask):
    @endpoint("list_versions", page_of(forms.TaskVersionSerializer), query=PageInput, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str) -> Response:
        """List the task's versions, the highest first."""
        return self.respond_rows(
            forms.TaskVersionSerializer, catalogue.versions_of(self.task(scenario, task)), by="-order"
        )


class OneVersion(OneTask):
    """The base class of the views of one version."""

    def shown(self, version: TaskVersion, status: int = 200) -> Response:
        return self.respond(forms.TaskVersionDetailSerializer, version, status)


class VersionDetail(OneVersion):
    @endpoint("get_version", forms.TaskVersionDetailSerializer, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str, version: str) -> Response:
        """Return one version with its files and its manifest, and why it is in quarantine, if it is."""
        return self.shown(self.version(scenario, task, version))


class Variants(OneTask):
    parser_classes = [MultiPartParser]
    bare = True

    @endpoint("list_variants", page_of(forms.VariantSerializer), query=forms.VariantQuery, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str, version: str) -> Response:
        """List the variants of the version's exclusive files, the newest first."""
        query = self.query(forms.VariantQuery)
        found = catalogue.variants_of_version(self.version(scenario, task, version), **filters_of(query, path="path"))
        return self.respond_rows(forms.VariantSerializer, found.filter(**filters_of(query, key="key")), query=query)

    @endpoint(
        "upload_variant",
        forms.VariantSerializer,
        body={"application/octet-stream": OpenApiTypes.BINARY, "multipart/form-data": forms.VariantUpload},
        query=forms.VariantName,
        needs=UPLOAD,
    )
    def put(self, request: Request, scenario: str, task: str, version: str) -> Response:
        """Set the content of an exclusive file for one key.

        The body is the content, of any media type, or a form with one part, `file`. It replaces other content: devices
        that install from then on get it.
        """
        # Reads the request itself: REST framework mistakes a body without a stated length for an empty one.
        content = cast(IO[bytes], request)
        if request.content_type.startswith("multipart/"):
            content = self.body(forms.VariantUpload)["file"]
        name = self.query(forms.VariantName)
        found = self.version(scenario, task, version)
        made = variants.upload_variant(actor=self.actor, version=found, content=content, now=self.now, **name)
        return self.respond(forms.VariantSerializer, made)

    @endpoint("remove_variant", status=204, query=forms.VariantName, needs=UPLOAD)
    def delete(self, request: Request, scenario: str, task: str, version: str) -> Response:
        """Delete a variant: devices with its key get the file's default from then on."""
        name = self.query(forms.VariantName)
        found = catalogue.variants_of_version(self.version(scenario, task, version))
        variants.remove_variant(actor=self.actor, variant=found.get(file__path=name["path"], key=name["key"]))
        return Response(status=204)
