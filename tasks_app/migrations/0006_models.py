"""Versions say how their models will run, and counts of runs which backends ran them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tasks_app", "0005_cloud_half")]

    operations = [
        migrations.AddField(
            "taskversion",
            "model_plans",
            models.JSONField(
                blank=True, default=dict, db_default={}, help_text="how its models will run, by their names"
            ),
        ),
        migrations.AddField("runcount", "backends", models.JSONField(default=dict, db_default={})),
    ]
