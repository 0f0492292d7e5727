"""Django's own checks of models, addresses, templates and settings, which no process repeats when it starts."""

from django.core.checks import run_checks

NOT_BUILT = "staticfiles.W004"
"""The dashboard is not built in this tree."""


def test_django_finds_nothing_to_object_to():
    assert [found for found in run_checks() if found.id != NOT_BUILT] == []
