"""Versions may have a cloud half: what it is, its files, which no device gets, and how it does. Dictionaries of tasks."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q

DIGEST = "^[0-9a-f]{64}$"


class Migration(migrations.Migration):
    dependencies = [("tasks_app", "0004_run_count_shed")]

    operations = [
        migrations.AddField(
            "taskversion",
            "cloud",
            models.JSONField(
                blank=True,
                default=None,
                null=True,
                help_text="what answers its features in the cloud, if anything does",
            ),
        ),
        migrations.RemoveConstraint("versionfile", "file_shared_or_exclusive"),
        migrations.AlterField(
            "versionfile",
            "kind",
            models.CharField(
                choices=[("shared", "Shared"), ("exclusive", "Exclusive"), ("source", "Source"), ("cloud", "Cloud")],
                max_length=9,
            ),
        ),
        migrations.AddConstraint(
            "versionfile",
            models.CheckConstraint(
                condition=Q(kind__in=["shared", "source", "cloud"], digest__isnull=False, size__isnull=False)
                & Q(digest__regex=DIGEST, size__gte=0, template="", default="")
                | Q(Q(kind="exclusive", digest=None, size=None), ~Q(template=""), ~Q(default=F("path"))),
                name="file_shared_or_exclusive",
            ),
        ),
        migrations.CreateModel(
            "CloudHalfState",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("answered", models.BigIntegerField(default=0)),
                (
                    "unanswered",
                    models.BigIntegerField(default=0, help_text="it has no answer to them, or failed on them"),
                ),
                ("late", models.BigIntegerField(default=0, help_text="their devices did not wait so long")),
                ("calls", models.BigIntegerField(default=0)),
                ("call_ms", models.FloatField(default=0, help_text="what the calls took together")),
                ("failures", models.PositiveIntegerField(default=0)),
                ("error", models.CharField(blank=True, default="", max_length=500)),
                ("failed_at", models.DateTimeField(null=True)),
                ("rests_until", models.DateTimeField(null=True)),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cloud_state",
                        to="tasks_app.taskversion",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            "FeatureDictionary",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("schema", models.CharField(max_length=64)),
                ("digest", models.CharField(max_length=64)),
                ("size", models.IntegerField()),
                ("samples", models.IntegerField(help_text="features that it was trained on")),
                ("bytes_before", models.BigIntegerField()),
                ("bytes_after", models.BigIntegerField()),
                ("created_at", models.DateTimeField()),
                (
                    "task",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="dictionaries",
                        to="tasks_app.task",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["task", "-id"], name="dictionary_of_task"),
                    models.Index(fields=["digest"], name="dictionary_by_digest"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(digest__regex=DIGEST, schema__regex=DIGEST), name="dictionary_format"
                    ),
                ],
            },
        ),
    ]
