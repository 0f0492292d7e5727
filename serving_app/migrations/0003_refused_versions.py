from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("serving_app", "0002_placements")]

    operations = [
        migrations.AddField(
            model_name="explainedversion", name="refused", field=models.BooleanField(default=False)
        ),
    ]
