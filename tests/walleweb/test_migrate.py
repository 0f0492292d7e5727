"""Migrations before and after the restart of an upgrade."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from kit.contractions import contractions
from walleweb.health import known_migrations
from walleweb.management.commands.migrate import PreDeployExecutor

pytestmark = pytest.mark.django_db


def test_contractions_and_what_depends_on_them_wait_until_after_the_restart():
    known = known_migrations()
    waiting = contractions(known)
    assert waiting
    recorder = MigrationRecorder(connection)
    for app, name in waiting:
        recorder.record_unapplied(app, name)
    targets = PreDeployExecutor(connection).loader.graph.leaf_nodes()
    assert PreDeployExecutor(connection).migration_plan(targets) == []
    assert len(MigrationExecutor(connection).migration_plan(targets)) == len(waiting)
    call_command("migrate", pre_deploy=True, verbosity=0)
    assert waiting.isdisjoint(recorder.applied_migrations())


def test_an_empty_database_gets_everything_at_once():
    MigrationRecorder(connection).migration_qs.all().delete()
    targets = PreDeployExecutor(connection).loader.graph.leaf_nodes()
    assert {(each.app_label, each.name) for each, _ in PreDeployExecutor(connection).migration_plan(targets)} == set(
        known_migrations()
    )
