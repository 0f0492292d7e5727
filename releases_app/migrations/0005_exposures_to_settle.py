"""Devices whose silence timeout is over are found without those that were selected and not offered anything yet.

Both indexes are changed while exposures are being written.
"""

from django.db import migrations, models

from kit.index_operations import AddIndexWhileWriting, RemoveIndexWhileWriting


class Migration(migrations.Migration):
    atomic = False
    works_in_transaction = True
    dependencies = [("releases_app", "0004_tallies")]

    operations = [
        AddIndexWhileWriting(
            model_name="exposure",
            index=models.Index(
                models.F("release"),
                models.Case(models.When(arm="control", then="drawn_at"), default="offered_at"),
                condition=models.Q(silent=None),
                name="exposure_not_settled",
            ),
        ),
        RemoveIndexWhileWriting(model_name="exposure", name="exposure_unheard"),
    ]
