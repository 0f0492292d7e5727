"""Columns that came after their table get a default in the database, for processes that do not know them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("serving_app", "0006_placement_measurements")]

    operations = [
        migrations.AlterField("explainedversion", "refused", models.BooleanField(default=False, db_default=False)),
        migrations.AlterField(
            "explainedversion", "attempts", models.PositiveSmallIntegerField(default=1, db_default=1)
        ),
    ]
