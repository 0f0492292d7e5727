"""The contributions of an app to the system: one declaration, `CONTRIBUTIONS` in its module `contributions`.

Code is named by its dotted path and imported where it is used: a worker never loads the topics of sockets, nor a web
process the functions of jobs before it is ready.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from importlib import import_module
from types import ModuleType
from typing import Any

from django.apps import apps
from django.utils.module_loading import import_string, module_has_submodule


@dataclass(frozen=True)
class Contributions:
    """The contributions of one app; it leaves out kinds that it does not have.

    * `scopes`: the kinds of scopes in which roles are held, such as "app" (accounts_app.scopes).
    * `statuses`: exceptions that callers may cause, by dotted path, and what each is over HTTP (kit.problems).
    * `api`: modules with the addresses of REST, below /api/v1/.
    * `jobs`: modules whose functions do the work of jobs (jobs_app.registry).
    * `topics`: modules with topics of the live channel (live_app.topics).
    * `attention`: functions that list what needs attention (devices_app.attention).
    * `manifests`: functions that find the manifest of a task's version (devices_app.versions).
    * `version_names`: functions that name the versions of several manifests (devices_app.versions).
    * `rolled_back`: functions that list the manifests of versions that were rolled back (devices_app.versions).
    * `refusals`: functions that say why what runs a task's version refuses it (tasks_app.selectors.refusals).
    * `metrics`: metrics computed from rows (kit.metrics.DatabaseMetrics; walleweb.metrics.database reads it).
    * `timeline`: functions that list the events of a device (devices_app.selectors.timeline).
    * `audit_types`: names that the audit log has for rows, by the label of their model, where they are not the model's
      own (accounts_app.audit_types).
    * `dashboard`: addresses of the dashboard's pages below its root, as Django's patterns (walleweb.dashboard).
    """

    scopes: tuple[str, ...] = ()
    statuses: Mapping[str, HTTPStatus] = field(default_factory=dict)
    api: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    attention: tuple[str, ...] = ()
    manifests: tuple[str, ...] = ()
    version_names: tuple[str, ...] = ()
    rolled_back: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    timeline: tuple[str, ...] = ()
    audit_types: Mapping[str, str] = field(default_factory=dict)
    dashboard: tuple[str, ...] = ()


@cache
def contributions() -> tuple[Contributions, ...]:
    """Return the contributions of all installed apps, in their order."""
    return tuple(
        import_module(f"{config.name}.contributions").CONTRIBUTIONS
        for config in apps.get_app_configs()
        if module_has_submodule(config.module, "contributions")
    )


def contributed_modules(kind: str) -> Iterator[ModuleType]:
    """Import and return the contributed modules of a kind, such as "topics"."""
    for each in contributions():
        yield from map(import_module, getattr(each, kind))


def contributed_objects(kind: str) -> Iterator[Any]:
    """Import and return the contributed functions or other objects of a kind, such as "attention"."""
    for each in contributions():
        yield from map(import_string, getattr(each, kind))
