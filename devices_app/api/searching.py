"""The query parameters of a search for devices, used by the list of devices and by their count."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts_app.actors import Actor
from devices_app.models import App
from devices_app.selectors.registry import app_visible_to
from devices_app.selectors.search import DeviceCriteria, together
from devices_app.versions import manifest_of
from kit.api.inputs import PageInput, SlugInput, StrictSerializer, TaskNameInput
from walle.protocol.names import DEVICE_ID_PATTERN
from walle.release.rules import RuleMalformed
from walle.release.rules.reading import MAX_TEXT, read_rule
from walle.release.rules.tree import Leaf, Node, one_of
from walle.release.rules.value_sets import Scalar

_FACT: Final = r"fact\.(?:user\.)?[a-z][a-z0-9_-]{0,39}"
_MOST_RULE: Final = 20_000


@extend_schema_field(
    {
        "type": "object",
        "patternProperties": {f"^{_FACT}$": {"type": "string", "maxLength": MAX_TEXT}},
        "additionalProperties": False,
    }
)
class FactsField(serializers.DictField):
    """Parameters of the form `fact.<name>=value`, as a mapping of names to texts."""


class DeviceFilter(StrictSerializer):
    app = SlugInput(required=False)
    device = serializers.CharField(required=False, max_length=64, help_text="the complete id")
    q = serializers.RegexField(
        rf"^{DEVICE_ID_PATTERN.pattern}\Z",
        required=False,
        help_text="the beginning of the id",
        error_messages={"invalid": "Expected the beginning of a device id."},
    )
    app_version = serializers.CharField(required=False, max_length=64, help_text="as the device says")
    os = serializers.CharField(required=False, max_length=64, help_text="as the device says")
    task = TaskNameInput(required=False, help_text="installed task, <scenario>/<task>")
    version = serializers.CharField(required=False, max_length=64, help_text="installed version of the task")
    seen_since = serializers.DateTimeField(
        required=False, help_text="devices whose last check-in was at this time or later"
    )
    seen_before = serializers.DateTimeField(
        required=False, help_text="devices whose last check-in was before this time"
    )
    first_seen_since = serializers.DateTimeField(
        required=False, help_text="devices whose first check-in was at this time or later"
    )
    first_seen_before = serializers.DateTimeField(
        required=False, help_text="devices whose first check-in was before this time"
    )
    vouched = serializers.BooleanField(required=False, help_text="whether the app's backend vouches for it")
    revoked = serializers.BooleanField(required=False)
    rule = serializers.CharField(
        required=False, max_length=_MOST_RULE, help_text="a targeting rule in JSON; takes app, whose lists it may name"
    )
    facts = FactsField(
        required=False,
        help_text="any other fact, one by one: fact.model=Pixel 8, fact.user.age_band=18-29; "
        "8 also means the number, true also the boolean",
    )

    def to_internal_value(self, data: Mapping[str, Any]) -> Any:
        facts = {name: value for name, value in data.items() if re.fullmatch(_FACT, name)}
        rest = {name: value for name, value in data.items() if name not in facts}
        return super().to_internal_value({**rest, "facts": facts} if facts else rest)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if wrong := [name for name, value in attrs.get("facts", {}).items() if len(value) > MAX_TEXT or "\0" in value]:
            problem = f"Expected at most {MAX_TEXT} characters, none of them NUL."
            raise serializers.ValidationError(dict.fromkeys(wrong, problem))
        if "version" in attrs and "task" not in attrs:
            raise serializers.ValidationError({"task": "Expected the task whose version it is."})
        if "rule" in attrs:
            if "app" not in attrs:
                raise serializers.ValidationError({"app": "Expected the app whose devices the rule is about."})
            attrs["rule"] = _rule(attrs["rule"])
        return attrs


def criteria_of(actor: Actor, query: Mapping[str, Any]) -> DeviceCriteria | None:
    """Return the criteria of a validated query; None if the app or the version is not known: nothing can match."""
    app = _app(actor, query.get("app"))
    manifest = manifest_of(query["task"], query["version"]) if "version" in query else None
    if ("app" in query and app is None) or ("version" in query and manifest is None):
        return None
    return DeviceCriteria(
        app=app,
        tree=together(_nodes(query)),
        device=query.get("device"),
        prefix=query.get("q"),
        task=query.get("task"),
        manifest=manifest,
        seen_since=query.get("seen_since"),
        seen_before=query.get("seen_before"),
        first_seen_since=query.get("first_seen_since"),
        first_seen_before=query.get("first_seen_before"),
        vouched=query.get("vouched"),
        revoked=query.get("revoked"),
    )


def _app(actor: Actor, slug: str | None) -> App | None:
    try:
        return app_visible_to(actor, slug) if slug else None
    except App.DoesNotExist:
        return None


def _rule(text: str) -> Node:
    try:
        return read_rule(json.loads(text))
    except RuleMalformed as error:
        raise serializers.ValidationError({"rule": error.texts}) from error
    except (ValueError, RecursionError) as error:
        raise serializers.ValidationError({"rule": "Expected a targeting rule in JSON."}) from error


def _nodes(query: Mapping[str, Any]) -> list[Node]:
    """Return the conditions on facts as nodes of a rule."""
    plain = {name: query[name] for name in ("app_version", "os") if name in query}
    plain |= {name.removeprefix("fact."): value for name, value in query.get("facts", {}).items()}
    nodes: list[Node] = [Leaf(fact, one_of(_meanings(value)), fact) for fact, value in sorted(plain.items())]
    return [*nodes, *([query["rule"]] if "rule" in query else [])]


def _meanings(text: str) -> tuple[Scalar, ...]:
    """Return the text itself, and the number or boolean that it may stand for."""
    if text in ("true", "false"):
        return text, text == "true"
    if re.fullmatch(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?", text):
        return text, float(text) if "." in text else int(text)
    return (text,)


class DeviceQuery(PageInput, DeviceFilter):
    pass


class CountQuery(DeviceFilter):
    exact = serializers.BooleanField(default=False, help_text="count every device, however long that takes")
