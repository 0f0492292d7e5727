"""The model of activity counts has a name of its own; its table keeps the one that running processes know."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("devices_app", "0001_initial")]

    operations = [
        migrations.AlterModelTable("pulse", "devices_app_pulse"),
        migrations.RenameModel("Pulse", "ActivityCount"),
    ]
