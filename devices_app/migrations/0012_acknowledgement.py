"""Who has acknowledged what needs attention."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("devices_app", "0011_history")]

    operations = [
        migrations.CreateModel(
            name="Acknowledgement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=40)),
                ("target", models.CharField(blank=True, max_length=120)),
                ("title", models.CharField(max_length=300)),
                ("note", models.TextField()),
                ("by", models.CharField(max_length=150)),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("kind", "target", "title"), name="acknowledged_once")
                ],
            },
        ),
    ]
