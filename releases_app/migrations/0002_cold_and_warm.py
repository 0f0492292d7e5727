"""Exposures tell cold runs from warm ones; runs that were reported before do not say, and are taken for cold."""

from django.db import migrations, models

BEFORE = """
UPDATE releases_app_exposure SET cold_ms = duration_ms, cold_at = reported_at
WHERE duration_ms IS NOT NULL AND reported_at IS NOT NULL
"""


class Migration(migrations.Migration):
    dependencies = [("releases_app", "0001_initial")]

    operations = [
        migrations.AddField(
            "exposure", "cold_ms", models.FloatField(help_text="of the first run that was not warm", null=True)
        ),
        migrations.AddField(
            "exposure", "cold_at", models.DateTimeField(help_text="of that run, by the device's clock", null=True)
        ),
        migrations.AddField(
            "exposure", "warm_ms", models.FloatField(help_text="of the first warm run", null=True)
        ),
        migrations.AddField(
            "exposure", "warm_at", models.DateTimeField(help_text="of that run, by the device's clock", null=True)
        ),
        migrations.RunSQL(BEFORE, migrations.RunSQL.noop),
    ]
