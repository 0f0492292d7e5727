"""Devices say when they put off new versions, and why."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("devices_app", "0008_interruptions")]

    operations = [
        migrations.AddField(
            "device",
            "deferral",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="why it puts off new versions; empty: it does not",
                max_length=20,
            ),
        ),
        migrations.AddField(
            "device",
            "deferral_until",
            models.DateTimeField(blank=True, help_text="until when it expects to do so", null=True),
        ),
    ]
