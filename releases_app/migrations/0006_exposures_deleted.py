"""Figures that outlive the exposures that they count say when these were deleted."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("releases_app", "0005_exposures_to_settle")]

    operations = [
        migrations.AddField(
            "keptfigures",
            "exposures_deleted_at",
            models.DateTimeField(help_text="when the exposures were deleted", null=True),
        ),
    ]
