"""The test database is a real PostgreSQL 18."""

import pytest
from django.contrib.auth import get_user_model
from django.db import connection


@pytest.mark.django_db
def test_the_database_is_postgresql_18():
    get_user_model().objects.create_user("ada", password="x")
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        assert cursor.fetchone()[0].startswith("18.")
