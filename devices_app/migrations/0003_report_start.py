"""Reports say how a run began. What is there already is not looked at again: it says nothing."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("devices_app", "0002_activity_count")]

    operations = [
        migrations.AddField(
            "report",
            "start",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="of a run: cold or warm; empty: not said",
                max_length=4,
            ),
        ),
        migrations.AddField(
            "report",
            "vm_end",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="why the kept VM before this run had ended",
                max_length=40,
            ),
        ),
        AddConstraintNotValid(
            "report",
            models.CheckConstraint(
                condition=models.Q(("start__in", ["", "cold", "warm"])), name="report_start_known"
            ),
        ),
    ]
