"""A database or a backup of the layout before: refused in a sentence, before anything is done to it."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from walleweb.backup import BackupError
from walleweb.backup.restoring import _check_migrations
from walleweb.embedded import run

pytestmark = pytest.mark.django_db
SENTENCE = "it was made by an older Walle, whose tables this one does not read"


@pytest.fixture
def older():
    """What such a database says of itself, and no other does."""
    MigrationRecorder.Migration.objects.create(app="tasks_app", name="0003_releases")


def test_a_command_says_what_is_the_matter(older):
    with pytest.raises(CommandError, match=SENTENCE):
        call_command("migrate", skip_checks=False)


def test_make_run_does_not_begin(older):
    with pytest.raises(run.CannotRun, match=SENTENCE):
        run.migrate()


def test_any_other_database_is_used():
    call_command("check", databases=["default"])
    run.migrate()


def test_a_backup_is_not_restored():
    with pytest.raises(BackupError, match=SENTENCE):
        _check_migrations({"accounts_app": "0006_attempts", "tasks_app": "0011_delivery_grants"})


def test_a_backup_of_this_layout_is_restored():
    _check_migrations({"tasks_app": "0001_initial", "releases_app": "0001_initial"})


def test_indexes_that_are_built_beside_writers_are_built_in_a_restoration_too():
    """This test runs in a transaction, as a restoration does."""
    for target in ("0004_tallies", "0005_exposures_to_settle"):
        MigrationExecutor(connection).migrate([("releases_app", target)])
        with connection.cursor() as cursor:
            found = connection.introspection.get_constraints(cursor, "releases_app_exposure")
        assert ("exposure_not_settled" in found, "exposure_unheard" in found) == (
            target[:4] == "0005",
            target[:4] == "0004",
        )
    call_command("migrate", verbosity=0)
