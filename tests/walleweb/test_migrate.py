"""Migrations before and after the restart of an upgrade."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from kit.contractions import contractions
from walleweb.health import known_migrations
from walleweb.management.commands.migrate import PreDeployExecutor

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting():
    """The contractions, none of which is applied."""
    waiting = contractions(known_migrations())
    assert waiting
    recorder = MigrationRecorder(connection)
    for app, name in waiting:
        recorder.record_unapplied(app, name)
    return waiting


def test_contractions_wait_until_after_the_restart(waiting):
    targets = PreDeployExecutor(connection).loader.graph.leaf_nodes()
    assert PreDeployExecutor(connection).migration_plan(targets) == []
    assert len(MigrationExecutor(connection).migration_plan(targets)) == len(waiting)
    call_command("migrate", pre_deploy=True, verbosity=0)
    assert waiting.isdisjoint(MigrationRecorder(connection).applied_migrations())


def test_the_next_upgrade_is_refused_until_the_last_one_is_finished(waiting, monkeypatch):
    """Its migrations need the contraction, so they would be left out though its code needs them."""
    app, name = max(waiting)

    class Added(Migration):
        dependencies = [(app, name)]

    planned = MigrationExecutor.migration_plan
    monkeypatch.setattr(
        MigrationExecutor,
        "migration_plan",
        lambda *given, **more: [*planned(*given, **more), (Added("9999_added", app), False)],
    )
    with pytest.raises(CommandError, match=f"{app}.9999_added needs {app}.{name}.* migrate without --pre-deploy"):
        call_command("migrate", pre_deploy=True, verbosity=0)


def test_an_empty_database_gets_everything_at_once():
    MigrationRecorder(connection).migration_qs.all().delete()
    targets = PreDeployExecutor(connection).loader.graph.leaf_nodes()
    assert {(each.app_label, each.name) for each, _ in PreDeployExecutor(connection).migration_plan(targets)} == set(
        known_migrations()
    )
