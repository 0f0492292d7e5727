"""Versions know their order, so that the database sorts and pages them."""

from django.db import migrations, models

from walle.protocol.names import SemVer

_OFF = "ALTER TABLE tasks_app_taskversion DISABLE TRIGGER version_is_immutable"
_ON = "ALTER TABLE tasks_app_taskversion ENABLE TRIGGER version_is_immutable"
_BATCH = 500


def fill(apps, schema_editor):
    versions = apps.get_model("tasks_app", "TaskVersion")
    rows = []
    for row in versions.objects.only("version").iterator(_BATCH):
        row.order = SemVer.parse(row.version).sort_key
        rows.append(row)
    versions.objects.bulk_update(rows, ["order"], _BATCH)


class Migration(migrations.Migration):
    dependencies = [("tasks_app", "0008_unused_artifacts")]

    operations = [
        migrations.AddField(
            "taskversion",
            "order",
            models.CharField(
                db_collation="C", default="", editable=False, help_text="sorts as versions do", max_length=300
            ),
            preserve_default=False,
        ),
        # Versions never change, but for this once.
        migrations.RunSQL(_OFF, _ON),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunSQL(_ON, _OFF),
        migrations.AddIndex("taskversion", models.Index(fields=["task", "order"], name="tasks_app_t_task_id_35add1_idx")),
    ]
