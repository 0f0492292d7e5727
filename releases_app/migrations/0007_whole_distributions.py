"""Exposures are counted at several points of the distributions of run times and metrics; devices may have crossed."""

import django.contrib.postgres.fields
from django.db import migrations, models

from releases_app.migrations import _tallies

_COUNTS = (
    "slower_25", "slower_50", "slower_75", "slower_95", "slower_99",
    "warm_slower_25", "warm_slower_50", "warm_slower_75", "warm_slower_95", "warm_slower_99",
    "low_5", "low_25", "low_75", "low_95",
)  # fmt: skip
_GRIDS = ("cold_grid", "warm_grid", "metric_grid")


class Migration(migrations.Migration):
    dependencies = [("releases_app", "0006_exposures_deleted")]

    operations = [
        migrations.AddField(
            "exposure",
            "crossed",
            models.BooleanField(db_default=False, default=False, help_text="held back, and ran the version itself"),
        ),
        *(
            migrations.AddField("exposuretally", name, models.BigIntegerField(db_default=0, default=0))
            for name in _COUNTS
        ),
        *(
            migrations.AddField(
                "talliedrelease",
                name,
                django.contrib.postgres.fields.ArrayField(
                    base_field=models.FloatField(), db_default=[], default=list, size=None
                ),
            )
            for name in _GRIDS
        ),
        *_tallies.CHANGES,
    ]
