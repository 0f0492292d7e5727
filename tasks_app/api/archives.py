"""REST views that register a version from an archive without git, and download it as one."""

import tempfile
from typing import IO, Final, cast

from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from kit.api.downloads import attachment, is_asgi
from kit.api.inputs import BodyTooLarge, StrictSerializer
from kit.api.schema import endpoint
from tasks_app.api import serializers as forms
from tasks_app.api.scenarios import ROLE
from tasks_app.api.tasks import OneVersion
from tasks_app.hooks.launch import WARM
from tasks_app.repository import hook_environment
from tasks_app.selectors import catalogue
from tasks_app.selectors.content import archive_of
from tasks_app.services.archives import Upload, register_archive
from tasks_app.services.bundles import sample_files_of
from tasks_app.services.registration import MAX_MESSAGE

_CHUNK: Final = 1 << 18
ARCHIVES: Final = ("application/gzip", "application/x-tar", "application/zip", "application/octet-stream")


class ArchiveQuery(StrictSerializer):
    message = serializers.CharField(
        required=False,
        max_length=MAX_MESSAGE,
        help_text="message of the commit and the tag; the tag's name if left out",
    )


class DownloadQuery(StrictSerializer):
    samples = serializers.BooleanField(
        default=False,
        help_text="include the files of its samples, even if devices do not install them, and those of its cloud half",
    )
    # REST framework takes declared fields out of the class, so that this hides no attribute of it.
    source = serializers.BooleanField(  # type: ignore[assignment]
        default=False, help_text="with the registered sources in the place of the bytecode that devices install"
    )


class VersionArchive(OneVersion):
    parser_classes: list[type[BaseParser]] = []
    bare = True

    @endpoint(
        "register_version",
        {201: forms.TaskVersionDetailSerializer, 200: forms.TaskVersionDetailSerializer},
        body=dict.fromkeys(ARCHIVES, OpenApiTypes.BINARY),
        query=ArchiveQuery,
        needs="`push` in the scenario",
    )
    def put(self, request: Request, scenario: str, task: str, version: str) -> Response:
        """Register a version from an archive of its files, without git.

        The body is a tar, plain or with gzip, or a zip, of any media type; `task.toml` lies at its top. The server
        commits it to the task's branch, which is created if it does not exist, and tags it, both in your name. Content
        that is registered already is answered with 200, a new version with 201.
        """
        message = self.query(ArchiveQuery).get("message", "")
        found = catalogue.scenario_visible_to(self.actor, scenario)
        with tempfile.TemporaryFile() as archive:
            # Reads the request itself: REST framework mistakes a body without a stated length for an empty one.
            _spool(cast(IO[bytes], request), archive)
            upload = Upload(self.actor, found, task, version, message, warm=warm_hooks(request))
            made, created = register_archive(upload=upload, archive=archive, now=self.now)
        return self.shown(made.version, status=201 if created else 200)

    @endpoint("download_version", {(200, "application/gzip"): OpenApiTypes.BINARY}, query=DownloadQuery, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str, version: str) -> HttpResponseBase:
        """Download the files of a version that devices install, as one tar.gz, byte for byte as they ship.

        Variants of exclusive files are personal and not included; what devices do not install is in git only.
        """
        found = self.version(scenario, task, version)
        asked = self.query(DownloadQuery)
        beside = sample_files_of(found) if asked["samples"] else ()
        return attachment(
            request,
            archive_of(found, beside, source=asked["source"], cloud=asked["samples"]),
            f"{task}-{version}.tar.gz",
            "application/gzip",
        )


def _spool(body: IO[bytes], archive: IO[bytes]) -> None:
    while chunk := body.read(_CHUNK):
        archive.write(chunk)
        if archive.tell() > settings.WALLE_MAX_PUSH:
            raise BodyTooLarge(f"expected at most {settings.WALLE_MAX_PUSH >> 20} MiB")


def warm_hooks(request: Request) -> str:
    """Return the address of the warm process of hooks; "" outside of a server's event loop, to which it belongs."""
    if not is_asgi(request):
        return ""
    return async_to_sync(WARM.address)(hook_environment())
