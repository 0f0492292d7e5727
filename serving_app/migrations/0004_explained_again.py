from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("serving_app", "0003_refused_versions")]

    operations = [
        migrations.AddField(
            model_name="explainedversion", name="attempts", field=models.PositiveSmallIntegerField(default=1)
        ),
        migrations.AddField(
            model_name="explainedversion", name="again_at", field=models.DateTimeField(null=True)
        ),
        # What had failed before for a passing reason is tried again, too.
        migrations.RunSQL(
            "UPDATE serving_app_explainedversion SET again_at = at WHERE explanation IS NULL AND NOT refused",
            migrations.RunSQL.noop,
        ),
    ]
