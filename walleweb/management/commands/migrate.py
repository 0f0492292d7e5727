"""Django's command; `--pre-deploy` leaves for later what the processes of the version before still need."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor

from kit.contractions import behind_contractions, contractions

UNFINISHED = (
    "{} needs {}, which takes away what an earlier version uses. If the last upgrade was not finished, finish it: "
    "migrate without --pre-deploy. If versions were skipped, upgrade to the next one first, or stop all processes and "
    "migrate without --pre-deploy. Nothing was changed."
)


class PreDeployExecutor(MigrationExecutor):
    """Plans no contractions, except in an empty database, where there was no version before.

    Planning raises CommandError where other migrations need one: they cannot be applied before the restart.
    """

    def migration_plan(self, targets: Any, clean_start: bool = False) -> list[tuple[Migration, bool]]:
        plan = super().migration_plan(targets, clean_start)
        # A plan with a clean start makes the state of all models.
        if clean_start or not self.loader.applied_migrations:
            return plan
        pending = {(each.app_label, each.name): each for each, _ in plan}
        if behind := behind_contractions(pending):
            raise CommandError(UNFINISHED.format(*(".".join(key) for key in min(behind.items()))))
        waiting = contractions(pending)
        return [(each, backwards) for each, backwards in plan if (each.app_label, each.name) not in waiting]


class Command(migrate.Command):
    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--pre-deploy",
            action="store_true",
            help="leave out migrations that take away what the version before uses; apply them after the restart",
        )

    def handle(self, *args: Any, pre_deploy: bool, **options: Any) -> None:
        # Django's command takes the executor from its module and offers no other way to give it another one.
        migrate.MigrationExecutor = PreDeployExecutor if pre_deploy else MigrationExecutor  # type: ignore[attr-defined]
        try:
            super().handle(*args, **options)
        finally:
            migrate.MigrationExecutor = MigrationExecutor  # type: ignore[attr-defined]
