"""The few devices that put off new versions are found; the index is made while check-ins are being written."""

from django.db import migrations, models

from kit.index_operations import AddIndexWhileWriting


class Migration(migrations.Migration):
    atomic = False
    works_in_transaction = True
    dependencies = [("devices_app", "0009_deferral")]

    operations = [
        AddIndexWhileWriting(
            model_name="device",
            index=models.Index(fields=["app"], condition=models.Q(("deferral", ""), _negated=True), name="device_deferring"),
        ),
    ]
