"""Reports may be about several runs of a task."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("devices_app", "0003_report_start")]

    operations = [
        migrations.AddField(
            "report",
            "runs",
            models.JSONField(help_text="of several runs in one report: walle.protocol.aggregates", null=True),
        ),
    ]
