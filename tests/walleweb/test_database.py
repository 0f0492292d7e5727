"""The test database is a real PostgreSQL 18."""

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection


@pytest.mark.django_db
def test_the_database_is_postgresql_18():
    get_user_model().objects.create_user("ada", password="x")
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        assert cursor.fetchone()[0].startswith("18.")


@pytest.mark.django_db
def test_models_and_migrations_say_the_same(capsys):
    """Choices too, which types of facts and kinds of stages are."""
    try:
        call_command("makemigrations", check_changes=True, dry_run=True)
    except SystemExit:
        pytest.fail(f"run manage.py makemigrations:\n{capsys.readouterr().out}")
