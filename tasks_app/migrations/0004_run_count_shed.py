"""Counts of runs tell how many did not take place."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks_app", "0003_run_counts")]

    operations = [
        migrations.AddField(
            "runcount",
            "shed",
            models.PositiveBigIntegerField(db_default=0, default=0, help_text="runs that did not take place"),
        ),
    ]
