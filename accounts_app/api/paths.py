"""Names in addresses: what each may look like, so that nothing else reaches a view, and what it means."""

import re
from dataclasses import dataclass
from typing import Final

from django.urls import URLPattern, path
from django.urls.converters import IntConverter, StringConverter, register_converter
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.views import APIView

from accounts_app.models import Role
from walle.protocol.names import DEVICE_ID_PATTERN, SLUG_PATTERN


@dataclass(frozen=True)
class PathName:
    """One variable of an address: text of a pattern, one of some words, or a number."""

    meaning: str
    example: str | int
    pattern: str = "[0-9]{1,18}"
    words: tuple[str, ...] = ()
    kind: type = str

    def parameter(self, name: str) -> OpenApiParameter:
        """Its description for OpenAPI."""
        form = {"enum": self.words} if self.words else {"pattern": f"^(?:{self.pattern})$"}
        form = {} if self.kind is int else form
        example = OpenApiExample(name, self.example)
        return OpenApiParameter(
            name, self.kind, OpenApiParameter.PATH, description=self.meaning, examples=[example], **form
        )

    def converter(self) -> type[StringConverter | IntConverter]:
        """Its class for Django's addresses."""
        base = IntConverter if self.kind is int else StringConverter
        return type("Name", (base,), {"regex": "|".join(self.words) or self.pattern})


RELEASE_ACTIONS: Final = (
    "start",
    "approve",
    "reject",
    "promote",
    "complete",
    "pause",
    "resume",
    "abort",
    "roll-back",
)
_SLUG: Final = SLUG_PATTERN.pattern

PATH_NAMES: Final[dict[str, PathName]] = {
    "app": PathName("slug of an app", "shop", _SLUG),
    "app_version": PathName("version of an app, such as 1.0.0", "1.0.0", "[!-.0-~]{1,64}"),
    "scenario": PathName("slug of a scenario", "camera", _SLUG),
    "task": PathName("slug of a task within its scenario", "digits", _SLUG),
    "version": PathName("version of a task, such as 1.0.0", "1.0.0", "[0-9A-Za-z.+-]{1,64}"),
    "fact": PathName(
        "name of a fact, such as app_theme or user.age_band", "user.vip", r"(?:user\.)?[a-z][a-z0-9_-]{0,39}"
    ),
    "id_list": PathName("name of an id list of an app", "testers", _SLUG),
    "device": PathName("id of a device within its app", "phone", DEVICE_ID_PATTERN.pattern),
    "key": PathName("number of an app's key", 1, kind=int),
    "release": PathName("number of a release", 1, kind=int),
    "cell": PathName("number of a cell of a simulation", 1, kind=int),
    "user": PathName("user name", "bob", r"[A-Za-z0-9_.@+-]{1,150}"),
    "role": PathName("role", "viewer", words=tuple(Role.values)),
    "token": PathName("a token's public beginning, such as wl_0123abcd", "wl_0123abcd", "wl_[0-9a-f]{8}"),
    "webhook": PathName("number of a webhook", 1, kind=int),
    "delivery": PathName("number of a delivery of the webhook", 1, kind=int),
    "action": PathName("what to do", "start", words=RELEASE_ACTIONS),
}

for _name, _path_name in PATH_NAMES.items():
    register_converter(_path_name.converter(), f"{_name}_name")


def route(address: str, view: type[APIView]) -> URLPattern:
    """An address below /api/v1/ whose variables, in braces, are of PATH_NAMES: `apps/{app}/keys`."""
    return path(re.sub(r"\{(\w+)\}", r"<\1_name:\1>", address), view.as_view())
