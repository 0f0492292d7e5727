"""What the processes of the version before need goes: from now on exposures of control repeat."""

from django.db import migrations

from releases_app.migrations import _tallies


class Migration(migrations.Migration):
    contracts = "exposures are stored by exposure_once_in_release, and counted at several points, since 0008 and 0007"
    dependencies = [("releases_app", "0009_completion_watch")]

    operations = [
        # Of a database that main's code migrated before this, 0008 has removed both already.
        migrations.SeparateDatabaseAndState(
            [
                migrations.RunSQL(
                    "ALTER TABLE releases_app_exposure DROP CONSTRAINT IF EXISTS exposure_once",
                    "ALTER TABLE releases_app_exposure ADD CONSTRAINT exposure_once UNIQUE (release, device)",
                )
            ],
            [migrations.RemoveConstraint("exposure", "exposure_once")],
        ),
        *_tallies.CONTRACTION,
    ]
