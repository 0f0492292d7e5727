"""Rows of a selector within other SQL."""

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from jobs_app.models import Job
from kit.sql import statement, subquery


@pytest.mark.django_db
def test_a_selectors_rows_stand_where_a_table_would():
    kinds = subquery(ContentType.objects.order_by().values("app_label", "model"))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT kind.model FROM {kinds} kind WHERE kind.app_label = %s ORDER BY 1", ["jobs_app"])
        assert cursor.fetchall() == [("job",), ("worker",)]


def test_arguments_are_refused_where_nobody_would_give_them():
    rows = Job.objects.order_by().filter(kind="tests.work").values("id")
    assert statement(rows)[1] == ("tests.work",)
    with pytest.raises(ValueError, match="without arguments"):
        subquery(rows)
