"""What was released to apps, what devices said of themselves and what is held about their users is kept when it changes.

What it was before this migration is not known: devices say what they say since now.
"""

import django.core.serializers.json
import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now

ID = ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"))


def of_app(name: str) -> "models.ForeignKey[models.Model, models.Model]":
    return models.ForeignKey(
        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name=name, to="devices_app.app"
    )


class Migration(migrations.Migration):
    dependencies = [("devices_app", "0010_deferring_devices")]

    operations = [
        migrations.AddField(
            "device",
            "changed_at",
            models.DateTimeField(
                db_default=Now(),
                editable=False,
                help_text="since when its facts, profile and deferral are as they are",
            ),
        ),
        migrations.CreateModel(
            "PastClaims",
            [
                ID,
                ("facts", models.JSONField()),
                ("trusted", models.JSONField()),
                ("profile", models.JSONField()),
                ("deferral", models.CharField(blank=True, max_length=20)),
                ("since", models.DateTimeField()),
                ("until", models.DateTimeField()),
                (
                    "blurred_from",
                    models.DateTimeField(help_text="since when it changed more often than is kept", null=True),
                ),
                (
                    "device",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="past",
                        to="devices_app.device",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["device", "-until"], name="past_of_device"),
                    models.Index(fields=["until"], name="past_claims_by_end"),
                ]
            },
        ),
        migrations.CreateModel(
            "PastTable",
            [
                ID,
                ("number", models.BigIntegerField()),
                ("published_at", models.DateTimeField()),
                ("digest", models.CharField(help_text="SHA-256 of what it releases", max_length=64)),
                ("content", models.BinaryField(help_text="the document, compressed")),
                ("app", of_app("past_tables")),
            ],
            options={"indexes": [models.Index(fields=["app", "-published_at"], name="past_table_of_app")]},
        ),
        migrations.CreateModel(
            "PastUserFacts",
            [
                ID,
                ("device", models.CharField(max_length=64)),
                ("facts", models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ("since", models.DateTimeField(null=True)),
                ("until", models.DateTimeField()),
                ("app", of_app("past_user_facts")),
            ],
            options={
                "verbose_name_plural": "past user facts",
                "indexes": [
                    models.Index(fields=["app", "device", "until"], name="past_user_facts_of_device"),
                    models.Index(fields=["until"], name="past_user_facts_by_end"),
                ],
            },
        ),
    ]
