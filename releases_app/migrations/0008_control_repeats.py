"""A device in control may have one more exposure for each later stage, once 0010 allows it.

The indexes are built while exposures are written.
"""

from django.db import migrations, models

from kit.index_operations import AddUniqueWhileWriting


class Migration(migrations.Migration):
    atomic = False
    works_in_transaction = True
    dependencies = [("releases_app", "0007_whole_distributions")]

    operations = [
        migrations.AlterField(
            "exposure",
            "arm",
            models.CharField(
                choices=[("treatment", "Treatment"), ("control", "Control"), ("repeat", "Repeat")], max_length=9
            ),
        ),
        migrations.RemoveConstraint("exposure", "exposure_arm_known"),
        migrations.AddConstraint(
            "exposure",
            models.CheckConstraint(
                condition=models.Q(arm__in=["treatment", "control", "repeat"]), name="exposure_arm_known"
            ),
        ),
        AddUniqueWhileWriting(
            "exposure",
            models.UniqueConstraint(
                condition=~models.Q(arm="repeat"), fields=("release", "device"), name="exposure_once_in_release"
            ),
        ),
        AddUniqueWhileWriting(
            "exposure",
            models.UniqueConstraint(
                condition=models.Q(arm="repeat"),
                fields=("release", "device", "stage"),
                name="exposure_repeat_once_in_stage",
            ),
        ),
    ]
