"""Django's own checks of models, addresses, templates and settings, which no process repeats when it starts."""

from django.core.checks import run_checks


def test_django_finds_nothing_to_object_to():
    assert [found for found in run_checks() if not found.is_silenced()] == []
