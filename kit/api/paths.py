"""Variables in addresses: the pattern of each, so that no other value reaches a view, and its meaning."""

import re
from dataclasses import dataclass
from typing import Final

from django.urls import URLPattern, path
from django.urls.converters import IntConverter, StringConverter, register_converter
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.views import APIView


@dataclass(frozen=True)
class PathName:
    """A variable of an address: text of a pattern, a choice of words, or a number."""

    meaning: str
    example: str | int
    pattern: str = "[0-9]{1,18}"
    words: tuple[str, ...] = ()
    kind: type = str

    def parameter(self, name: str) -> OpenApiParameter:
        """Return its description for OpenAPI."""
        form = {"enum": self.words} if self.words else {"pattern": f"^(?:{self.pattern})$"}
        form = {} if self.kind is int else form
        example = OpenApiExample(name, self.example)
        return OpenApiParameter(
            name, self.kind, OpenApiParameter.PATH, description=self.meaning, examples=[example], **form
        )

    def converter(self) -> type[StringConverter | IntConverter]:
        """Return its converter class for Django's URL patterns."""
        base = IntConverter if self.kind is int else StringConverter
        return type("Name", (base,), {"regex": "|".join(self.words) or self.pattern})


PATH_NAMES: Final[dict[str, PathName]] = {}
"""The variables of all addresses. Each app declares its own in its package `api`."""


def declare_path_names(**names: PathName) -> None:
    """Declare variables of addresses. A repeated declaration must be equal to the first one."""
    for name, path_name in names.items():
        if PATH_NAMES.setdefault(name, path_name) != path_name:
            raise ValueError(f"{name} in addresses already means: {PATH_NAMES[name].meaning}")
        register_converter(path_name.converter(), f"{name}_name")


def route(address: str, view: type[APIView]) -> URLPattern:
    """Return the URL pattern of an address below /api/v1/ with declared variables in braces: `apps/{app}/keys`."""
    return path(re.sub(r"\{(\w+)\}", r"<\1_name:\1>", address), view.as_view())
