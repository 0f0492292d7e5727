"""The requests of the benchmark `api`: every GET of the OpenAPI document, with each of its filters.

An endpoint or filter that is not known here stops the benchmark, so that none can be forgotten.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from benchmarks.support.api.pipelines import TASK as PIPELINE

PREFIX: Final = "/api/v1"
_RULES: Final = (
    {"fact": "os_version", "version": ">=15"},
    {"fact": "app_version", "version": ">=99"},
    {
        "all": [
            {"fact": "app_version", "version": ">=4.5.0, <5"},
            {"not": {"fact": "region", "in": ["cn", "us"]}},
            {"fact": "model", "prefix": "SM-"},
        ]
    },
    {"fact": "user.age_band", "in": ["18-24"]},
    {"list": "testers"},
    {"fact": "battery", "range": {"above": 99.9}},
)
# Answers that are files: their times depend on their sizes (benchmark `pull`).
_FILES: Final = frozenset({"download_file", "download_version", "get_simulation_log", "export_features"})
_ALWAYS_REQUESTED: Final = {"diff_versions": {"base": "1.1.0"}}


@dataclass(frozen=True)
class Case:
    """One request; `note` describes its purpose."""

    operation: str
    path: str
    note: str = ""
    query: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, Any] | None = None

    @property
    def address(self) -> str:
        return self.path + (f"?{urlencode(self.query)}" if self.query else "")


def cases(document: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Case]:
    """Return all requests to be measured; `names` are the values of variables in addresses."""
    filters = _filters(names)
    for template, methods in document["paths"].items():
        if (described := methods.get("get")) is None:
            continue
        operation = described["operationId"]
        if operation in _FILES:
            continue
        path = _filled(template, names)
        yield Case(operation, path, query=tuple(_ALWAYS_REQUESTED.get(operation, {}).items()))
        for parameter in described.get("parameters", []):
            name = parameter["name"]
            if parameter["in"] != "query" or name in ("cursor", "limit"):
                continue
            known = filters.get(f"{operation}.{name}", filters.get(name))
            if known is None:
                raise SystemExit(f"say in {__file__} what {operation} is asked by its parameter {name}")
            for query in known:
                yield Case(operation, path, _note(query), tuple(query.items()))
    yield from _counts(names["app"])


def _counts(app: str) -> Iterator[Case]:
    for rule in _RULES:
        note = json.dumps(rule)
        yield Case("preview_targeting", f"{PREFIX}/apps/{app}/targeting/preview", note, body={"rule": rule})
        exact = {"rule": rule, "exact": True}
        yield Case("preview_targeting", f"{PREFIX}/apps/{app}/targeting/preview", f"exact {note}", body=exact)
    yield Case("validate_targeting", f"{PREFIX}/apps/{app}/targeting/validate", body={"rule": _RULES[2]})


def plans(app: str) -> Iterator[Case]:
    """Return requests for the plan of a release of one version by each of the rules."""
    version = {"app": app, "task": "bench-0/task-0", "version": "1.0.0"}
    for rule in _RULES:
        yield Case("plan_release", f"{PREFIX}/releases/plan", json.dumps(rule), body=version | {"rule": rule})


def deep(case: Case, cursor: str) -> Case:
    """Return a page in the middle of the list whose first page returned this cursor; the second if it is no number."""
    return Case(case.operation, case.path, f"deep {case.note}".strip(), (*case.query, ("cursor", _halved(cursor))))


def _halved(cursor: str) -> str:
    text = urlsafe_b64decode(cursor).decode()
    if text.isdigit():
        text = str(int(text) // 2)
    elif text.startswith("[") and len(parts := json.loads(text)) == 1 and isinstance(parts[0], int):
        text = json.dumps([parts[0] // 2])
    return urlsafe_b64encode(text.encode()).decode()


def _filled(template: str, names: Mapping[str, str]) -> str:
    if "/pipelines/" in template:
        names = {**names, "task": PIPELINE}
    try:
        return template.format(**names)
    except KeyError as error:
        raise SystemExit(f"say in {__file__} what {error} of {template} stands for") from error


def _note(query: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in query.items())


def _filters(names: Mapping[str, str]) -> dict[str, list[dict[str, str]]]:
    """Return the values of each filter: one that many rows have, one that few have, and one that none has."""
    now, app = datetime.now(UTC), names["app"]

    def ago(**time: float) -> str:
        return (now - timedelta(**time)).isoformat()

    def each(name: str, *values: str) -> list[dict[str, str]]:
        return [{name: value} for value in values]

    rules = [{"app": app, "rule": json.dumps(rule)} for rule in _RULES]
    facts = {
        "fact.region": ("cn", "vn", "nowhere"),
        "fact.model": ("Pixel 14", "iPhone17,4"),
        "fact.battery": ("55.5",),
        "fact.free_storage": ("77777",),
        "fact.user.age_band": ("65+",),
        "fact.user.vip": ("true",),
        "fact.user.name": ("nobody",),
    }
    return {
        "app": each("app", "mall", "shop", "kiosk"),
        "get_fleet.app": each("app", app),
        "get_fleet_pulse.app": each("app", app),
        "days": each("days", "1", "30"),
        "details": each("details", "true"),
        "order": each("order", "created_at", "-created_at"),
        "minutes": each("minutes", "5", "2880"),
        "get_pipeline_series.minutes": each("minutes", "5", "1440"),
        "get_serving_host_series.minutes": each("minutes", "5", "1440"),
        "app_version": each("app_version", "5.11.0", "4.0.0", "9.9.9"),
        "os": each("os", "android", "ios", "tizen"),
        "device": each("device", names["device"], "nobody"),
        "q": each("q", "device-0009", "device-00001234", "x"),
        "facts": [{name: value} for name, values in facts.items() for value in values],
        "rule": rules,
        "task": each("task", "bench-0/task-0", "bench-9/task-4", "bench-0/none"),
        "at": each("at", ago(days=1), ago(days=500)),
        "seen_since": [*each("seen_since", ago(days=1), ago(seconds=1)), {"seen_since": ago(days=1), "os": "ios"}],
        "first_seen_since": each("first_seen_since", ago(days=30), ago(seconds=1)),
        "first_seen_before": each("first_seen_before", ago(days=30), ago(days=390), ago(days=500)),
        "seen_before": each("seen_before", ago(days=30), ago(days=290), ago(days=500)),
        "revoked": each("revoked", "true", "false"),
        "vouched": each("vouched", "true", "false"),
        "exact": [{"exact": "true"}, {"exact": "true", "app": app}, *({"exact": "true"} | rule for rule in rules)],
        "version": [
            {"task": "bench-0/task-0", "version": "1.0.0"},
            {"task": "bench-0/task-0", "version": "9.9.9"},
        ],
        "kind": each("kind", "install", "run", "remove"),
        "outcome": [*each("outcome", "success", "failure"), {"outcome": "failure", "kind": "remove"}],
        "release": each("release", "1", "77", "999999999"),
        "evidence": each("evidence", "true", "false"),
        "error_class": [
            *each("error_class", "ValueError", "MemoryError", "None"),
            {"error_class": "x", "app": "kiosk"},
        ],
        "since": [*each("since", ago(days=2), ago(seconds=1)), {"since": ago(days=20), "before": ago(days=19)}],
        "before": [*each("before", ago(days=15), ago(days=29)), {"before": ago(days=15), "outcome": "failure"}],
        "state": each("state", "complete", "rolled-back", "draft"),
        "action": each("action", "release.pause", "scenario.create", "none"),
        "actor": each("actor", "user-7", "nobody"),
        "scope": each("scope", "app:shop", "scenario:bench-3"),
        "object_type": each("object_type", "tasks_app.release", "none"),
        "object_id": [{"object_type": "tasks_app.release", "object_id": "77"}, {"object_id": "77"}],
        "attempt": each("attempt", "1"),
        "arm": each("arm", "control"),
        "became": [
            *each("became", "failed", "silent"),
            {"became": "failed", "error_class": "ValueError", "stage": "2"},
        ],
        "stage": each("stage", "0", "5"),
        "base": each("base", "2.0.0"),
        "scenario": each("scenario", "bench-0", "none"),
        "retired": each("retired", "true", "false"),
        "list_tasks.q": each("q", "task-1", "none"),
        "list_all_tasks.q": each("q", "task-1", "none"),
        "list_scenarios.q": each("q", "bench", "none"),
        "path": each("path", "prefs.json", "none"),
        "id": each("id", "1", "1,2,3,4,5,6,7,8,9,10", ",".join(map(str, range(1, 201))), "999999999"),
        "key": each("key", "user-000777", "none"),
        "list_deliveries.state": each("state", "failed"),
        "event": each("event", "release.start"),
        "sequence": each("sequence", "1"),
        "workflow": each("workflow", "questions", "none"),
    }
