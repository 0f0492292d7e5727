"""What apps contribute: everything that is named is there, nothing is declared twice."""

from collections import Counter
from dataclasses import fields
from importlib.util import find_spec

import pytest
from django.apps import apps
from django.utils.module_loading import import_string

from accounts_app.audit_types import audit_type, audited_model
from accounts_app.scopes import scope_kinds
from kit.contributing import Contributions, contributed_modules, contributed_objects, contributions
from kit.problems import statuses
from releases_app.models import Release
from tasks_app.models import Task

MODULES = ("api", "jobs", "topics")
OBJECTS = ("attention", "manifests", "timeline")


@pytest.mark.parametrize("kind", MODULES)
def test_modules_that_are_named_are_there(kind):
    named = [name for each in contributions() for name in getattr(each, kind)]
    assert [module.__name__ for module in contributed_modules(kind)] == named != []


@pytest.mark.parametrize("kind", OBJECTS)
def test_functions_that_are_named_are_there(kind):
    assert all(map(callable, contributed_objects(kind)))
    assert list(contributed_objects(kind))


def test_every_status_is_of_an_exception_that_there_is():
    names = [name for each in contributions() for name in each.statuses]
    assert all(issubclass(import_string(name), Exception) for name in names)
    assert {import_string(name) for name in names} <= statuses().keys()
    assert max(Counter(names).values()) == 1


def test_an_app_that_has_jobs_topics_or_addresses_declares_them():
    """A module of a usual name that nobody declares would be dead code."""
    declared = {name for kind in MODULES for each in contributions() for name in getattr(each, kind)}
    for config in apps.get_app_configs():
        for name, usual in (("jobs", "jobs"), ("live", "topics"), ("urls", "api")):
            path = f"{config.name}.{name}"
            if config.name.endswith("_app") and find_spec(path):
                assert path in declared, f"{path} is in no contributions.py ({usual})"


def test_audit_types_last_where_a_model_moved_and_are_its_label_elsewhere():
    assert audit_type(Release) == "tasks_app.release"
    assert audited_model("tasks_app.release") is Release
    assert audit_type(Task) == "tasks_app.task"
    assert audited_model("tasks_app.task") is Task
    labels = [label for each in contributions() for label in each.audit_types]
    assert all(apps.get_model(label) for label in labels)


def test_kinds_of_scopes_always_come_in_the_same_order():
    assert scope_kinds() == ("scenario", "app")


def test_what_is_left_out_is_empty():
    assert not any(getattr(Contributions(), field.name) for field in fields(Contributions))
