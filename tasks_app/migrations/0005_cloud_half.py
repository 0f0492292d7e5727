"""Versions may have a cloud half: what it is, and its files, which no device gets."""

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
    ]
