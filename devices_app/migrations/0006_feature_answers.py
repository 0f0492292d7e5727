"""Answers to features, until a gateway has delivered them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("devices_app", "0005_features")]

    operations = [
        migrations.CreateModel(
            name="FeatureAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("device", models.CharField(max_length=64)),
                ("spool", models.BinaryField()),
                ("sequence", models.BigIntegerField()),
                ("status", models.SmallIntegerField()),
                ("body", models.BinaryField()),
                ("expires", models.DateTimeField(db_index=True, help_text="when the device stops waiting for it")),
                (
                    "app",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="devices_app.app",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(fields=("app", "device", "spool", "sequence"), name="answer_once"),
                    models.CheckConstraint(condition=models.Q(("status__in", [0, 1, 2])), name="answer_status_known"),
                ],
            },
        ),
    ]
