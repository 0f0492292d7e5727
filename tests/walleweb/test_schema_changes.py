"""Migrations that leave the processes of the version before at work: its statements do not know what was added.

docs/guides/extending.md says how a column changes in two steps. tests/walleweb/test_rolling_upgrade.py tries it.
"""

import re
from itertools import pairwise

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models.fields import NOT_PROVIDED

from walleweb.config import BASE_DIR

DROPPED = re.compile(r"DROP FUNCTION (?:IF EXISTS )?([^()\s]+\([^()]*\))", re.IGNORECASE)
OUR_APPS = {path.parent.name for path in BASE_DIR.glob("*/migrations")}


def states(loader):
    """The schema after each migration of ours, with the migration; begins with the empty one."""
    state = ProjectState(real_apps=loader.unmigrated_apps)
    yield None, state
    for node in loader.graph._generate_plan(loader.graph.leaf_nodes(), at_end=True):
        migration = loader.graph.nodes[node]
        state = migration.mutate_state(state, preserve=True)
        if migration.app_label in OUR_APPS:
            yield migration, state


def our_models(state):
    """The models of ours, each by the name of its table."""
    found = {key: model for key, model in state.models.items() if key[0] in OUR_APPS}
    return {model.options.get("db_table") or "_".join(key): model for key, model in found.items()}


def tables(state):
    """The columns of each table of ours, by name."""
    return {
        table: {field.db_column or key: field for key, field in model.fields.items()}
        for table, model in our_models(state).items()
    }


def may_be_left_out(field):
    """An INSERT that does not name the column succeeds."""
    return field.many_to_many or field.null or field.primary_key or field.db_default is not NOT_PROVIDED


def came_later(steps):
    """Columns that a later migration added than the one that made their table."""
    for (_, before), (migration, after) in pairwise(steps):
        known = tables(before)
        for table, columns in tables(after).items():
            yield from ((migration, table, name) for name in columns if name not in known.get(table, columns))


def uniques(state):
    """What is unique in tables of ours as a whole, which ON CONFLICT needs."""
    return {
        table: {
            ", ".join(each.fields)
            for each in model.options.get("constraints", [])
            if isinstance(each, models.UniqueConstraint) and each.condition is None
        }
        for table, model in our_models(state).items()
    }


def taken_away(before, after):
    """What statements of the version before name or leave out, and cannot any more."""
    remaining = tables(after)
    held = uniques(after)
    for table, names in uniques(before).items():
        if table in remaining:
            yield from (f"that {fields} are unique in {table}" for fields in sorted(names - held[table]))
    for table, columns in tables(before).items():
        if table not in remaining:
            yield f"the table {table}"
            continue
        present = remaining[table]
        for name, field in columns.items():
            if name not in present:
                yield f"{table}.{name}"
            elif may_be_left_out(field) and not may_be_left_out(present[name]):
                yield f"the default of {table}.{name}, or that it may be null"


def dropped_functions(migration):
    """Functions of the database that a migration drops on its way forward."""
    for operation in migration.operations:
        if isinstance(operation, migrations.RunSQL):
            statements = [operation.sql] if isinstance(operation.sql, str) else operation.sql
            yield from (f"the function {name}" for name in DROPPED.findall(" ".join(map(str, statements))))


def unfit(steps):
    """Every change that would fail statements of running processes, in a sentence."""
    newest = tables(steps[-1][1])
    for migration, table, name in came_later(steps):
        field = newest.get(table, {}).get(name)
        if field is not None and not may_be_left_out(field):
            yield f"{migration} adds {table}.{name}, which old processes do not know: give it db_default, or null=True"
    for (_, before), (migration, after) in pairwise(steps):
        gone = [*taken_away(before, after), *dropped_functions(migration)]
        if gone and not getattr(migration, "contracts", ""):
            yield (
                f"{migration} takes away {', '.join(gone)}: do that in a migration of its own whose attribute "
                "`contracts` says since when the code does not use it; it is applied after the restart"
            )


def test_no_migration_fails_statements_of_the_version_before():
    steps = list(states(MigrationLoader(None, ignore_no_migrations=True)))
    assert list(unfit(steps)) == [], "docs/guides/extending.md, A column"


def made_by(*operations, **attributes):
    """The steps of a table and one migration more."""
    fields = [("id", models.BigAutoField(primary_key=True)), ("name", models.TextField())]
    once = models.UniqueConstraint(fields=["name"], name="name_once")
    first = migrations.CreateModel("Job", fields, options={"constraints": [once]})
    last = type("Migration", (migrations.Migration,), attributes)("0002_more", "jobs_app")
    last.operations = list(operations)
    begin = migrations.Migration("0001_initial", "jobs_app")
    begin.operations = [first]
    steps = [(None, ProjectState())]
    for migration in (begin, last):
        steps.append((migration, migration.mutate_state(steps[-1][1], preserve=True)))
    return steps


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        (migrations.AddField("job", "size", models.IntegerField(default=0)), "adds jobs_app_job.size"),
        (migrations.RemoveField("job", "name"), "takes away jobs_app_job.name"),
        (migrations.RenameField("job", "name", "title"), "takes away jobs_app_job.name"),
        (migrations.DeleteModel("Job"), "takes away the table jobs_app_job"),
        (migrations.RemoveConstraint("job", "name_once"), "takes away that name are unique in jobs_app_job"),
        (migrations.RunSQL(["DROP FUNCTION size(bigint)", "SELECT 1"]), "takes away the function size(bigint)"),
        (migrations.RunSQL("CREATE FUNCTION size()", "DROP FUNCTION size()"), None),
        (migrations.AlterField("job", "id", models.BigIntegerField(primary_key=True)), None),
        (migrations.AddField("job", "size", models.IntegerField(default=0, db_default=0)), None),
        (migrations.AddField("job", "size", models.IntegerField(null=True)), None),
    ],
)
def test_each_such_change_is_told(operation, said):
    found = list(unfit(made_by(operation)))
    assert (found == []) if said is None else (said in found[-1])


def test_a_default_that_is_dropped_is_told_and_a_second_step_is_let_pass():
    added = migrations.AddField("job", "size", models.IntegerField(db_default=0))
    dropped = migrations.AlterField("job", "size", models.IntegerField())
    steps = made_by(added)
    last = migrations.Migration("0003_less", "jobs_app")
    last.operations = [dropped]
    steps.append((last, last.mutate_state(steps[-1][1], preserve=True)))
    assert len(list(unfit(steps))) == 2
    assert list(unfit(made_by(migrations.RemoveField("job", "name"), contracts="0.4 does not read it"))) == []
